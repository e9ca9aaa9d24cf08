"""The Rust header of a function, and how rustc lowers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.abi.entry import Typed
from pipeline.abi.headers import Reader
from pipeline.abi.lowering import Lowered, Lowering
from pipeline.abi.matching import Argument, Matched, Row
from pipeline.analyses import debug_info as di
from pipeline.llvm import Value
from pipeline.stages.abi_fixup import Derivative


@dataclass(frozen=True)
class Signature:
    """A Rust header, and how rustc lowers it."""

    arguments: tuple[Typed, ...] | None
    """None where debug info has no types of it."""
    result: Typed | None
    lowered: tuple[Argument, ...]
    results: tuple[Lowered, ...]

    def as_modelled(self) -> Matched:
        """What would be expected of a function that no stage has left."""
        arguments = [(way.kind, word) for argument in self.lowered for way in argument.ways[:1] for word in way.words]
        result = self.results[0]
        return Matched(
            tuple(Row(word.path, kind, word.llvm) for kind, word in arguments),
            tuple(Row(word.path, result.kind, word.llvm) for word in result.words),
        )


_UNKNOWN = Signature(None, None, (), (Lowered("zero-sized", ()),))


def signature_of(reader: Reader, function: Value) -> Signature:
    """The Rust header of a function by its own debug info."""
    known = reader.signature(function)
    if known is None:
        return _UNKNOWN
    result, arguments = known
    return _typed(reader, [(name, ty, "") for name, ty in arguments], ("result", result, "") if result else None)


def signature_of_primal(reader: Reader, shim: Value, derivative: Derivative) -> Signature:
    """The Rust header of a differentiated function by its shim, which takes a pointer to each argument and to the result."""
    names = [*derivative.names, *(["result"] if derivative.result is not None else [])]
    pointers = di.parameter_types(reader.module, shim)[-len(names) :] if names else []
    if len(pointers) != len(names):
        return _UNKNOWN
    types = [di.base_type(reader.module, pointer) for pointer in pointers]
    typed = list(zip(names, types, derivative.activities, strict=True))
    arguments, result = typed[: len(derivative.names)], typed[len(derivative.names) :]
    # The frontend has the shim write a result that is no float into a `MaybeUninit`.
    returned = [(name, di.initialised(reader.module, ty), activity) for name, ty, activity in result]
    return _typed(reader, arguments, next(iter(returned), None))


def _typed(reader: Reader, arguments: Sequence[tuple[str, Value, str]], result: tuple[str, Value, str] | None) -> Signature:
    lowering = Lowering(reader.module)
    return Signature(
        tuple(Typed(name, di.type_name(reader.module, ty), activity) for name, ty, activity in arguments),
        Typed("result", di.type_name(reader.module, result[1]), result[2]) if result else None,
        tuple(Argument(name, tuple(lowering.argument(ty, name))) for name, ty, _ in arguments),
        tuple(lowering.result(result[1] if result else 0, "result")),
    )
