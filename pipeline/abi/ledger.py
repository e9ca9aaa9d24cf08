"""The ledger of a program: each differentiated function and what it calls, with the header that every stage left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline import debug_info as di
from pipeline.abi.headers import Header, Reader
from pipeline.abi.lowering import Lowered, Lowering
from pipeline.abi.matching import Argument, Matched, Row, match
from pipeline.abi.verdicts import Facts, Verdict, verdict
from pipeline.audit import findings
from pipeline.call_tree import call_tree
from pipeline.llvm import Module, Value
from pipeline.repairs.inline import packs_floats
from pipeline.stages.abi_fixup import Derivative, RefusedError, asked
from pipeline.toolchain import Tool

STAGES = ("rustc", "llvm_link", "opt1", "abi_fixup")
"""After which stages headers are told."""

THERE, INLINED, REMOVED, NOT_CALLED, NOT_RUN = "there", "inlined", "removed", "not called", "not run"
_DISPATCH = "crategrad_dispatch_"


@dataclass(frozen=True)
class Left:
    """What a stage left of a function.

    `state` is `there`, `not called` (it is there for others, or called through a pointer), `inlined`, `removed` or `not run`.
    """

    after: str
    state: str
    header: str = ""
    mapping: Matched | None = None


@dataclass(frozen=True)
class Typed:
    """An argument or result of a Rust header; `activity` is empty where Enzyme finds it out."""

    name: str
    type: str
    activity: str = ""


@dataclass(frozen=True)
class Entry:
    """A function of the ledger."""

    function: str
    symbol: str
    """Its name in the modules; empty where rustc inlined it already."""
    place: str
    derivative: Derivative | None
    """The derivative that is asked for; None for what a differentiated function calls."""
    called_by: tuple[str, ...]
    """The derivatives below which it is called."""
    arguments: tuple[Typed, ...] | None
    """None where debug info has no types of it."""
    result: Typed | None
    expected: str
    """The header that rustc's ABI gives it."""
    lowered: Matched
    """What that makes of each argument and of the result."""
    stages: tuple[Left, ...]
    verdict: Verdict


@dataclass(frozen=True)
class Signature:
    """A Rust header, and how rustc lowers it."""

    arguments: tuple[Typed, ...] | None
    result: Typed | None
    lowered: tuple[Argument, ...]
    results: tuple[Lowered, ...]


def read_ledger(libllvm: Tool, modules: Mapping[str, Sequence[Path]], refused: RefusedError | None = None) -> list[Entry]:
    """The ledger, of the modules after each stage: of rustc as many as there are, of the others one, of one not run none.

    `refused` is what abi_fixup ended with.
    Raises: UserError where a module cannot be read.
    """
    with ExitStack() as opened:
        stages = [_Stage(libllvm, name, modules.get(name, ()), opened) for name in STAGES]
        return _Ledger(stages, refused).entries()


class _Stage:
    """The modules after a stage, each read when it is needed."""

    def __init__(self, libllvm: Tool, name: str, paths: Sequence[Path], opened: ExitStack) -> None:
        self.name = name
        self._libllvm = libllvm
        self._paths = list(paths)
        self._opened = opened
        self._readers: list[Reader] = []
        self.reached: dict[str, frozenset[str]] = {}
        """What each shim reaches, by name."""

    def __bool__(self) -> bool:
        return bool(self._paths)

    def readers(self) -> Iterator[Reader]:
        """Those of all modules, in order."""
        for number, path in enumerate(self._paths):
            if number == len(self._readers):
                self._readers.append(Reader(self._opened.enter_context(Module(self._libllvm, path))))
            yield self._readers[number]

    def find(self, symbol: str) -> tuple[Reader, Value] | None:
        """The function of that name, where it has a body."""
        found = ((reader, reader.functions.get(symbol)) for reader in self.readers())
        return next(((reader, function) for reader, function in found if function), None)

    def follow(self, shims: Iterable[str]) -> None:
        """Find out what the shims reach."""
        for reader in self.readers():
            for shim in shims:
                tree = call_tree(reader.editor, reader.module.named([shim]))
                self.reached[shim] = frozenset(reader.module.name(function) for function in tree)

    @cached_property
    def everything_reached(self) -> frozenset[str]:
        return frozenset().union(*self.reached.values())

    @cached_property
    def inlined(self) -> set[str]:
        """What was inlined into that."""
        reached = [found for symbol in self.everything_reached if (found := self.find(symbol))]
        return {name for reader, function in reached for name in reader.inlined([function])}


class _Ledger:
    def __init__(self, stages: Sequence[_Stage], refused: RefusedError | None) -> None:
        self.stages = stages
        self.rustc, self.linked, self.opt1, self.fixed = stages
        self.refused = refused
        self.derivatives = [derivative for reader in self.linked.readers() for derivative in asked(reader.module)]
        self.shims = list(dict.fromkeys(derivative.shim for derivative in self.derivatives))
        for stage in stages[1:]:
            stage.follow(self.shims)

    def entries(self) -> list[Entry]:
        primals = {derivative: self._primal(derivative) for derivative in self.derivatives}
        differentiated = [self._differentiated(derivative, symbol) for derivative, symbol in primals.items()]
        callees = self._callees({*self.shims, *primals.values()})
        return sorted(differentiated, key=_in_source_order) + sorted(
            (self._called(symbol) for symbol in callees), key=lambda entry: (entry.function, entry.symbol)
        )

    def _callees(self, others: set[str]) -> list[str]:
        """What the shims reach after any stage; not the frontend's and abi_fixup's own functions."""
        reached = frozenset().union(*(stage.everything_reached for stage in self.stages))
        return sorted(symbol for symbol in reached - others if not symbol.startswith(_DISPATCH) and not self._is_shims(symbol))

    def _is_shims(self, symbol: str) -> bool:
        """Whether a function is the closure that the frontend has a shim call."""
        reader, function = self._first(symbol, self.stages)
        path = reader.path(function)
        return any(f"::{d.derivative}::{{constant#" in path and path.endswith("::{closure#0}") for d in self.derivatives)

    def _primal(self, derivative: Derivative) -> str:
        """The function in the modules that a derivative is of; empty where none is left."""
        for stage in self.stages[1:]:
            reached = stage.reached.get(derivative.shim, frozenset()) - {derivative.shim}
            named = [symbol for reader in stage.readers() for symbol in _named(reader, derivative) if symbol in reached]
            if named:
                return named[0]
        # Inlined at once it may still be there for others; of several instances nobody knows which it was.
        named = [symbol for reader in self.rustc.readers() for symbol in _named(reader, derivative)]
        return named[0] if len(named) == 1 else ""

    def _differentiated(self, derivative: Derivative, symbol: str) -> Entry:
        reader, shim = self._first(derivative.shim, self.stages[1:])
        signature = _signature_of_primal(reader, shim, derivative)
        return self._entry(symbol, derivative.primal, derivative.place, signature, derivative)

    def _called(self, symbol: str) -> Entry:
        reader, function = self._first(symbol, self.stages)
        return self._entry(symbol, reader.path(function), reader.place(function), _signature(reader, function), None)

    def _first(self, symbol: str, stages: Sequence[_Stage]) -> tuple[Reader, Value]:
        return next(found for stage in stages if (found := stage.find(symbol)))

    def _entry(self, symbol: str, path: str, place: str, signature: Signature, derivative: Derivative | None) -> Entry:
        left = tuple(self._left(stage, symbol, signature) for stage in self.stages)
        first = next((one.mapping for one in left if one.mapping), None) or _as_modelled(signature)
        return Entry(
            function=path,
            symbol=symbol,
            place=place,
            derivative=derivative,
            called_by=tuple(sorted({d.derivative for d in self.derivatives if self._reaches(d.shim, symbol)})),
            arguments=signature.arguments,
            result=signature.result,
            expected=_written(first),
            lowered=first,
            stages=left,
            verdict=verdict(self._facts(symbol, left, first, derivative)),
        )

    def _reaches(self, shim: str, symbol: str) -> bool:
        return any(symbol in stage.reached.get(shim, ()) for stage in self.stages)

    def _left(self, stage: _Stage, symbol: str, signature: Signature) -> Left:
        if not stage:
            return Left(stage.name, NOT_RUN)
        found = stage.find(symbol)
        is_called = stage is self.rustc or symbol in stage.everything_reached
        beside = self.linked if stage is self.rustc else stage
        if not is_called and (not symbol or symbol in beside.inlined):
            return Left(stage.name, INLINED)
        if found is None:
            return Left(stage.name, REMOVED if symbol else INLINED)
        reader, function = found
        header = reader.header(function)
        mapping = match(signature.lowered, signature.results, header)
        return Left(stage.name, THERE if is_called else NOT_CALLED, str(header), mapping)

    def _facts(self, symbol: str, left: Sequence[Left], first: Matched, derivative: Derivative | None) -> Facts:
        return Facts(
            rows=tuple(row for mapping in (first, *(one.mapping for one in left)) for row in (mapping.rows if mapping else ())),
            refused=self._refused(derivative),
            is_fixed=bool(self.fixed),
            packed_before=self._packs(self.opt1, symbol),
            packed_after=self._packs(self.fixed, symbol),
            found=tuple(self._found(symbol)),
        )

    def _refused(self, derivative: Derivative | None) -> str:
        """Why abi_fixup refused the derivative, if it did."""
        if self.refused is None or derivative is None:
            return ""
        is_it = (self.refused.derivative.derivative, self.refused.derivative.place) == (derivative.derivative, derivative.place)
        return self.refused.why if is_it else ""

    def _packs(self, stage: _Stage, symbol: str) -> bool:
        found = stage.find(symbol) if symbol in stage.everything_reached else None
        return found is not None and packs_floats(found[0].editor, found[1])

    def _found(self, symbol: str) -> Iterator[str]:
        """What the audit's rules say of the function after abi_fixup."""
        if symbol in self.fixed.everything_reached and (found := self.fixed.find(symbol)):
            reader, function = found
            yield from (f"{d.message} ({d.place})" for d in findings(reader.editor, function, set()))


def _in_source_order(entry: Entry) -> tuple[str, list[int]]:
    file, *numbers = entry.place.split(":")
    return file, [int(number) for number in numbers]


def _named(reader: Reader, derivative: Derivative) -> list[str]:
    """The functions that have the name of the differentiated one, and its line."""
    line = derivative.place.rsplit(":", 2)[1]
    functions = reader.by_name.get(derivative.primal.rpartition("::")[2], [])
    return [reader.module.name(function) for function in functions if str(reader.line(function)) == line]


def _signature(reader: Reader, function: Value) -> Signature:
    """The Rust header of a function by its own debug info."""
    known = reader.signature(function)
    if known is None:
        return Signature(None, None, (), (Lowered("zero-sized", ()),))
    result, arguments = known
    return _typed(reader, [(name, ty, "") for name, ty in arguments], ("result", result, "") if result else None)


def _signature_of_primal(reader: Reader, shim: Value, derivative: Derivative) -> Signature:
    """The Rust header of a differentiated function by its shim, which takes a pointer to each argument and to the result."""
    names = [*derivative.names, *(["result"] if derivative.result is not None else [])]
    pointers = di.parameter_types(reader.module, shim)[-len(names) :] if names else []
    types = [di.base_type(reader.module, pointer) for pointer in pointers]
    typed = list(zip(names, types, derivative.activities, strict=False))
    return _typed(reader, typed[: len(derivative.names)], next(iter(typed[len(derivative.names) :]), None))


def _typed(reader: Reader, arguments: Sequence[tuple[str, Value, str]], result: tuple[str, Value, str] | None) -> Signature:
    lowering = Lowering(reader.module)
    return Signature(
        tuple(Typed(name, di.type_name(reader.module, ty), activity) for name, ty, activity in arguments),
        Typed("result", di.type_name(reader.module, result[1]), result[2]) if result else None,
        tuple(Argument(name, tuple(lowering.argument(ty, name))) for name, ty, _ in arguments),
        tuple(lowering.result(result[1] if result else 0, "result")),
    )


def _as_modelled(signature: Signature) -> Matched:
    """What would be expected of a function that no stage has left."""
    arguments = [(way.kind, word) for argument in signature.lowered for way in argument.ways[:1] for word in way.words]
    result = signature.results[0]
    return Matched(
        tuple(Row(word.path, kind, word.llvm) for kind, word in arguments),
        tuple(Row(word.path, result.kind, word.llvm) for word in result.words),
    )


def _written(mapping: Matched) -> str:
    """The header that is expected, as LLVM writes it."""
    sret = any(row.kind == "sret" for row in mapping.result)
    expected = [row.expected for row in mapping.result if row.expected and not sret]
    result = expected[0] if len(expected) == 1 else f"{{ {', '.join(expected)} }}" if expected else "void"
    arguments = [row.expected for row in mapping.arguments if row.expected]
    return str(Header(("ptr", *arguments) if sret else tuple(arguments), result, sret))
