"""Where accesses go: what a pointer is counted from, and by how much of what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from ctypes import c_uint, c_void_p
from dataclasses import dataclass
from itertools import permutations
from math import gcd
from typing import Any

from pipeline.analyses.hidden import is_nothing
from pipeline.llvm import Value
from pipeline.llvm_inspect import STRUCT, Inspector

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "StructGetTypeAtIndex": (c_void_p, [c_void_p, c_uint]),
}
Origin = tuple[Value, int]
"""What a pointer leads into, and behind how many pointers that are read: in memory, or in what a pointer there points to."""
_MANY = 3
"""As often, or more often."""
_ADD, _SUBTRACT, _MULTIPLY, _SHIFT_LEFT, _WIDENED = 8, 10, 12, 20, {31, 32}  # LLVMOpcode


@dataclass(frozen=True)
class Address:
    """A pointer: what it is counted from, values times factors, and a constant; in bytes.

    A loop's header stands for how often the loop ran.
    """

    base: Value
    terms: Mapping[Value, int]
    constant: int


def address(inspector: Inspector, pointer: Value) -> Address:
    """What a pointer is, as far back as the steps to it lead."""
    return inspector.once_of(pointer, "address", lambda one: _address(inspector, one))


def _address(inspector: Inspector, pointer: Value) -> Address:
    terms = Counter[Value]()
    constant = 0
    while True:
        pointer, offset = _walk(inspector, pointer, terms, through_loops=True)
        constant += offset
        counter = _counter(inspector, pointer)
        if counter is None:
            return Address(pointer, _nonzero(terms), constant)
        terms[inspector.api.GetInstructionParent(pointer)] += counter[1]
        pointer = counter[0]


@dataclass(frozen=True)
class Distance:
    """How far it is from one pointer to another: so many bytes, and any number of steps of so many more or less; 0: none."""

    constant: int
    """Less than a step, where there is one: so that of all ways round a loop there are but few."""
    step: int

    @classmethod
    def of(cls, constant: int, *steps: int) -> Distance:
        """So many bytes, and any number of each of these steps."""
        step = gcd(*steps)
        return cls(constant % step if step else constant, step)

    def further(self, other: Distance) -> Distance:
        """One way, and the other after it."""
        return Distance.of(self.constant + other.constant, self.step, other.step)

    def without(self, other: Distance) -> Distance:
        """What is left of the way from where another one leads on."""
        return Distance.of(self.constant - other.constant, self.step, other.step)

    def either(self, other: Distance) -> Distance:
        """One way, or the other."""
        return Distance.of(self.constant, self.step, other.step, self.constant - other.constant)


def distance(inspector: Inspector, begin: Value, end: Address) -> Distance | None:
    """How far an address is from a pointer that it leads back to, whatever is chosen on the way; None where it never does."""
    back = inspector.once_of(end.base, "distances", lambda one: _distances(inspector, one)).get(begin)
    return back.further(_from_base(inspector, end)) if back else None


def _distances(inspector: Inspector, pointer: Value) -> dict[Value, Distance]:
    """How far a pointer is from each that it leads back to."""
    found, waiting = {pointer: Distance(0, 0)}, [pointer]
    while waiting:
        value = waiting.pop()
        where = address(inspector, value)
        before = {where.base: _from_base(inspector, where)} if where.base != value else {}
        if not before and inspector.is_choice(value):
            before = dict.fromkeys(inspector.chosen(value), Distance(0, 0))
        for one, way in before.items():
            new = found[value].further(way)
            joined = found[one].either(new) if one in found else new
            if joined != found.get(one):
                found[one] = joined
                waiting.append(one)
    return found


def _from_base(inspector: Inspector, where: Address) -> Distance:
    return Distance.of(where.constant, *(factor for term, factor in where.terms.items() if not is_nothing(inspector, term)))


def meet(distance: int, size: int, width: int, step: int) -> bool:
    """Whether so many bytes, and `width` bytes that far on, share one, be either any number of steps from there; 0: none."""
    if step:
        distance %= step
        return distance < size or distance + width > step
    return distance < size and distance + width > 0


def roots(inspector: Inspector, pointer: Value) -> set[Value]:
    """What a pointer leads into, be it read from there: before optimisation each use reads it anew."""
    return {root for root, _ in origins(inspector, pointer)}


def origins(inspector: Inspector, pointer: Value) -> set[Origin]:
    """What a pointer leads into, and how often it is read on the way from there."""
    found: set[Origin] = set()
    known: set[Origin] = set()
    waiting = [(pointer, 0)]
    while waiting:
        one, reads = waiting.pop()
        new = [(base, reads) for base in inspector.bases(one) if (base, reads) not in known]
        known.update(new)
        read = [base for base, _ in new if inspector.is_plain_load(base)]
        waiting += [(inspector.operands(base)[0], min(reads + 1, _MANY)) for base in read]
        found.update((base, reads) for base, _ in new if base not in read)
    return found


def terms(inspector: Inspector, number: Value) -> set[Value]:
    """What an integer is a sum of, constants and factors apart."""
    found = Counter[Value]()
    _add(inspector, number, 1, found, through_loops=True)
    return set(_nonzero(found))


def _counter(inspector: Inspector, phi: Value) -> tuple[Value, int] | None:
    """What a loop's phi begins as, and by how much it goes on in each run."""
    values = inspector.chosen(phi) if inspector.api.IsAPHINode(phi) else []
    if len(values) != 2:
        return None
    ways = list(permutations(values))
    found = ((begin, _more(inspector, phi, following)) for following, begin in ways)
    moved = next(((begin, step) for begin, step in found if step), None)
    return moved or next((both for following, begin in ways if (both := _follower(inspector, phi, following, begin))), None)


def _more(inspector: Inspector, phi: Value, value: Value) -> int:
    """By how much more a value is than the phi; 0 where it is something else."""
    terms = Counter[Value]()
    if inspector.api.TypeOf(phi) == inspector.pointer_type():
        base, constant = _walk(inspector, value, terms, through_loops=False)
        return constant if base == phi and not any(terms.values()) else 0
    constant = _add(inspector, value, 1, terms, through_loops=False)
    return constant if _nonzero(terms) == {phi: 1} else 0


def _follower(inspector: Inspector, phi: Value, following: Value, begin: Value) -> tuple[Value, int] | None:
    """A phi that becomes what is made of the loop's counter, and begins as if it always had been."""
    made = Counter[Value]()
    constant = _add(inspector, following, 1, made, through_loops=False)
    if not inspector.api.IsAConstantInt(begin) or len(terms := _nonzero(made)) != 1:
        return None
    ((counter, factor),) = terms.items()
    block = inspector.api.GetInstructionParent(phi)
    if not inspector.api.IsAPHINode(counter) or inspector.api.GetInstructionParent(counter) != block:
        return None
    ways = permutations(inspector.chosen(counter))
    first, step = next(((one, more) for after, one in ways if (more := _more(inspector, counter, after))), (0, 0))
    if not first or not inspector.api.IsAConstantInt(first):
        return None
    at_first = factor * int(inspector.api.ConstIntGetSExtValue(first)) + constant
    fits = int(inspector.api.ConstIntGetSExtValue(begin)) == at_first - factor * step
    return (begin, factor * step) if fits else None


def _nonzero(terms: Counter[Value]) -> dict[Value, int]:
    return {value: factor for value, factor in terms.items() if factor}


def _walk(inspector: Inspector, pointer: Value, terms: Counter[Value], *, through_loops: bool) -> tuple[Value, int]:
    """Back to what a pointer is counted from; and the constant of the way, whose terms are counted."""
    inspector.api.load(_SIGNATURES)
    constant = 0
    while inspector.api.IsAGetElementPtrInst(pointer):
        ty = int(inspector.api.GetGEPSourceElementType(pointer))
        pointer, first, *further = inspector.operands(pointer)
        constant += _add(inspector, first, inspector.size_of(ty), terms, through_loops=through_loops)
        for index in further:
            if inspector.api.GetTypeKind(ty) == STRUCT:
                field = int(inspector.api.ConstIntGetZExtValue(index))
                constant += int(inspector.api.OffsetOfElement(inspector.layout, ty, field))
                ty = int(inspector.api.StructGetTypeAtIndex(ty, field))
            else:
                ty = int(inspector.api.GetElementType(ty))
                constant += _add(inspector, index, inspector.size_of(ty), terms, through_loops=through_loops)
    return pointer, constant


def _add(inspector: Inspector, value: Value, factor: int, terms: Counter[Value], *, through_loops: bool) -> int:
    """Count a value's terms, that many times each; what is constant of it."""
    if inspector.api.IsAConstantInt(value):
        return factor * int(inspector.api.ConstIntGetSExtValue(value))
    parts = _parts(inspector, value)
    if through_loops and (counter := _counter(inspector, value)):
        terms[inspector.api.GetInstructionParent(value)] += factor * counter[1]
        parts = [(counter[0], 1)]
    if not parts:
        terms[value] += factor
    return sum(_add(inspector, part, factor * times, terms, through_loops=through_loops) for part, times in parts)


def _parts(inspector: Inspector, value: Value) -> list[tuple[Value, int]]:
    """What an integer is a sum of, each with how many times; nothing where it is no sum."""
    opcode = int(inspector.api.GetInstructionOpcode(value)) if inspector.api.IsAInstruction(value) else 0
    operands = inspector.operands(value) if opcode else []
    if opcode == _ADD:
        return [(operand, 1) for operand in operands]
    if opcode == _SUBTRACT:
        return [(operands[0], 1), (operands[1], -1)]
    if opcode in _WIDENED:
        return [(operands[0], 1)]
    if opcode in {_MULTIPLY, _SHIFT_LEFT} and inspector.api.IsAConstantInt(operands[1]):
        times = int(inspector.api.ConstIntGetSExtValue(operands[1]))
        return [(operands[0], times if opcode == _MULTIPLY else 1 << times)]
    return []
