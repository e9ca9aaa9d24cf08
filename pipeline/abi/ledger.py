"""The ledger of a program: each differentiated function and what it calls, with the header that every stage left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from pipeline.abi import verdicts
from pipeline.abi.entry import INLINED, NO_BITCODE, NOT_CALLED, NOT_RUN, REMOVED, THERE, Entry, Left
from pipeline.abi.headers import Header, Reader
from pipeline.abi.matching import UNKNOWN, Matched, match
from pipeline.abi.signature import Signature, signature_of, signature_of_primal
from pipeline.abi.stage_modules import StageModules
from pipeline.abi.verdicts import NOT_MODELLED, Facts, Verdict, verdict
from pipeline.audit import findings
from pipeline.headers import ENDING
from pipeline.llvm import Value
from pipeline.places import NO_NUMBERS, Places
from pipeline.repairs.inline import packs_floats
from pipeline.stages.abi_fixup import Derivative, RefusedError, asked
from pipeline.toolchain import Tool

STAGES = ("rustc", "llvm_link", "opt1", "abi_fixup")
"""After which stages headers are told."""

_OURS = "crategrad_"


def read_ledger(
    libllvm: Tool,
    modules: Mapping[str, Sequence[Path]],
    places: Places = NO_NUMBERS,
    refused: RefusedError | None = None,
    rungs: Mapping[tuple[str, str], str] | None = None,
) -> list[Entry]:
    """The ledger, of the modules after each stage: of rustc as many as there are, of the others one, of one not run none.

    `places` is what numbers stand for in modules that rustc has not made; `refused` is what abi_fixup ended with; `rungs` is
    which rung of the ladder each derivative took, named with its shim.
    Raises: UserError where a module cannot be read.
    """
    with ExitStack() as opened:
        of_stage = {name: NO_NUMBERS if name == "rustc" else places for name in STAGES}
        stages = [StageModules(libllvm, name, modules.get(name, ()), of_stage[name], opened) for name in STAGES]
        return _Ledger(stages, places, refused, rungs or {}).entries()


class _Ledger:
    def __init__(
        self,
        stages: Sequence[StageModules],
        places: Places,
        refused: RefusedError | None,
        rungs: Mapping[tuple[str, str], str],
    ) -> None:
        self.stages = stages
        self.rustc, self.linked, self.opt1, self.fixed = stages
        self.places = places
        self.refused = refused
        self.rungs = rungs
        self.derivatives = [derivative for reader in self.linked.readers() for derivative in asked(reader.module)]
        self.shims = list(dict.fromkeys(derivative.shim for derivative in self.derivatives))
        for stage in stages[1:]:
            stage.follow(self.shims)

    def entries(self) -> list[Entry]:
        primals = {derivative: self._primal(derivative) for derivative in self.derivatives}
        differentiated = [self._differentiated(derivative, symbol) for derivative, symbol in primals.items()]
        callees = self._callees({*self.shims, *primals.values()})
        called = [self._called(symbol) for symbol in callees] + [self._native(symbol) for symbol in self._natives()]
        return sorted(differentiated, key=_in_source_order) + sorted(called, key=lambda entry: (entry.function, entry.symbol))

    def _callees(self, others: set[str]) -> list[str]:
        """What the shims reach after any stage; not the frontend's and abi_fixup's own functions."""
        reached = frozenset().union(*(stage.everything_reached for stage in self.stages))
        return sorted(symbol for symbol in reached - others if not _is_ours(symbol) and not self._is_shims(symbol))

    def _natives(self) -> list[str]:
        """What is called and has no bitcode after any stage."""
        return sorted(frozenset().union(*(names for stage in self.stages for names in stage.natives.values())))

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
        signature = signature_of_primal(reader, shim, derivative)
        return self._entry(symbol, derivative.primal, derivative.place, signature, derivative)

    def _called(self, symbol: str) -> Entry:
        reader, function = self._first(symbol, self.stages)
        return self._entry(symbol, reader.path(function), reader.place(function), signature_of(reader, function), None)

    def _native(self, symbol: str) -> Entry:
        calling = {d.derivative for d in self.derivatives for stage in self.stages if symbol in stage.natives.get(d.shim, ())}
        return Entry(
            function=symbol,
            symbol=symbol,
            place="",
            derivative=None,
            called_by=tuple(sorted(calling)),
            arguments=None,
            result=None,
            expected="",
            lowered=Matched((), ()),
            stages=tuple(self._declared(stage, symbol) for stage in self.stages),
            verdict=Verdict(NOT_MODELLED, verdicts.NO_BITCODE),
        )

    def _declared(self, stage: StageModules, symbol: str) -> Left:
        if not stage:
            return Left(stage.name, NOT_RUN)
        found = stage.declaration(symbol)
        return Left(stage.name, NO_BITCODE, str(found[0].header(found[1]))) if found else Left(stage.name, REMOVED)

    def _first(self, symbol: str, stages: Sequence[StageModules]) -> tuple[Reader, Value]:
        return next(found for stage in stages if (found := stage.find(symbol)))

    def _entry(self, symbol: str, path: str, place: str, signature: Signature, derivative: Derivative | None) -> Entry:
        left = tuple(self._left(stage, symbol, signature) for stage in self.stages)
        first = next((one.mapping for one in left if one.mapping), None) or signature.as_modelled()
        found = verdict(self._facts(symbol, left, first, derivative))
        return Entry(
            function=path,
            symbol=symbol,
            place=place,
            derivative=derivative,
            called_by=self._called_by(symbol, derivative),
            arguments=signature.arguments,
            result=signature.result,
            expected=_written(first),
            lowered=first,
            stages=left,
            verdict=found,
            rung=self.rungs.get((derivative.derivative, derivative.shim), "") if derivative else "",
        )

    def _called_by(self, symbol: str, derivative: Derivative | None) -> tuple[str, ...]:
        calling = {d.derivative for d in self.derivatives if d == derivative or self._reaches(d.shim, symbol)}
        return tuple(sorted(calling))

    def _reaches(self, shim: str, symbol: str) -> bool:
        return any(symbol in stage.reached.get(shim, ()) for stage in self.stages)

    def _left(self, stage: StageModules, symbol: str, signature: Signature) -> Left:
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
            found=(*self._found(symbol), *(self._found(derivative.shim) if derivative else ())),
        )

    def _refused(self, derivative: Derivative | None) -> str:
        """Why abi_fixup refused the derivative, if it did."""
        if self.refused is None or derivative is None:
            return ""
        place = self.places.told(self.refused.derivative.place)
        is_it = (self.refused.derivative.derivative, place) == (derivative.derivative, derivative.place)
        return self.places.told(self.refused.why) if is_it else ""

    def _packs(self, stage: StageModules, symbol: str) -> bool:
        found = stage.find(symbol) if symbol in stage.everything_reached else None
        return found is not None and packs_floats(found[0].inspector, found[1])

    def _found(self, symbol: str) -> Iterator[str]:
        """What the audit's rules say of the function after abi_fixup."""
        if symbol in self.fixed.everything_reached and (found := self.fixed.find(symbol)):
            reader, function = found
            yield from (f"{d.message} ({d.place})" for d in findings(reader.inspector, function))


def _is_ours(symbol: str) -> bool:
    """Whether abi_fixup made the function."""
    return symbol.rpartition(" ")[2].startswith(_OURS) or symbol.endswith(ENDING)


def _in_source_order(entry: Entry) -> tuple[str, list[int]]:
    file, *numbers = entry.place.split(":")
    return file, [int(number) for number in numbers]


def _named(reader: Reader, derivative: Derivative) -> list[str]:
    """The functions that have the name of the differentiated one, and its line."""
    line = derivative.place.rsplit(":", 2)[1]
    functions = reader.by_name.get(derivative.primal.rpartition("::")[2], [])
    return [reader.module.name(function) for function in functions if str(reader.line(function)) == line]


def _written(mapping: Matched) -> str:
    """The header that is expected, as LLVM writes it; empty where it is not modelled."""
    if any(row.kind == UNKNOWN for row in (*mapping.arguments, *mapping.result)):
        return ""
    sret = any(row.kind == "sret" for row in mapping.result)
    expected = [row.expected for row in mapping.result if row.expected and not sret]
    result = expected[0] if len(expected) == 1 else f"{{ {', '.join(expected)} }}" if expected else "void"
    arguments = [row.expected for row in mapping.arguments if row.expected]
    return str(Header(("ptr", *arguments) if sret else tuple(arguments), result, sret))
