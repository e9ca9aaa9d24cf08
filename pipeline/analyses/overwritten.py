"""What a loop reads, and a later run of it writes over, and Enzyme believes to be there to the end.

Whether a write may meet a read it asks of alias analysis first (`writesToMemoryReadBy` in its Utils.cpp), which answers for one
and the same run of the loop: `a[i + 1]` is read where `a[i]` is written, and these are two places.  The next run writes the
first of them; reverse mode reads it again, and finds what was written.  So of what is chosen: `if c { (a, b) } else { (b, a) }`
are two places in each run, and the same ones in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from pipeline.analyses.addresses import Address, address, roots
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.hidden import APART, is_of
from pipeline.analyses.loop_exits import is_in
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_ANY = 2**62
"""Bytes, where it is not known how many."""


@dataclass(frozen=True)
class Overwritten:
    """A load of what a later run writes."""

    load: Value
    memory: Value | None
    """Where alias analysis matches choices: what both places may be chosen of, known where the loop begins; 0: nothing is.

    None where it compares addresses in one memory.
    """


@dataclass(frozen=True)
class _Access:
    """A load, a store, a copy that writes, or what a call is handed a pointer to: where, and how many bytes."""

    instruction: Value
    block: Value
    where: Address
    roots: set[Value]
    size: int


def overwritten(inspector: Inspector, flow: ControlFlow) -> Iterator[Overwritten]:
    """The loads in loops of what a later run writes, as far as alias analysis may say otherwise; some twice."""
    loops = flow.loops()
    inside = {block for loop in loops for block in loop.blocks} - flow.never_returning()
    instructions = [(block, i) for block in flow.ends if block in inside for i in inspector.module.instructions_of(block)]
    writes = [_access(inspector, block, i, pointer) for block, i in instructions for pointer in _written(inspector, i)]
    loads = [(block, i) for block, i in instructions if inspector.is_plain_load(i)] if writes else []
    for load in (_access(inspector, block, i, inspector.operands(i)[0]) for block, i in loads):
        of_one_memory = ((write, _common(loops, load, write)) for write in writes if load.roots & write.roots)
        may_meet = [(write, common) for write, common in of_one_memory if common]
        if any(_is_hidden_from(inspector, common, load, write) for write, common in may_meet):
            yield Overwritten(load.instruction, None)
        if not _is_beside(inspector, load):
            found = (_matched(inspector, flow, common, load, write) for write, common in may_meet)
            yield from (Overwritten(load.instruction, memory) for memory in dict.fromkeys(found) if memory is not None)


def _written(inspector: Inspector, instruction: Value) -> list[Value]:
    """The pointers by which an instruction writes, or may write."""
    if inspector.is_plain_store(instruction):
        return inspector.operands(instruction)[1:]
    if inspector.is_bulk_write(instruction):
        return inspector.operands(instruction)[:1]
    if not inspector.module.is_call(instruction) or inspector.is_intrinsic(instruction):
        return []
    given = inspector.module.arguments(instruction)
    return [argument for argument in given if inspector.api.TypeOf(argument) == inspector.pointer_type()]


def _access(inspector: Inspector, block: Value, instruction: Value, pointer: Value) -> _Access:
    if inspector.is_bulk_write(instruction):
        length = inspector.operands(instruction)[2]
        size = int(inspector.api.ConstIntGetZExtValue(length)) if inspector.api.IsAConstantInt(length) else _ANY
    else:
        size = _ANY if inspector.module.is_call(instruction) else inspector.size_of(inspector.accessed_type(instruction))
    return _Access(instruction, block, address(inspector, pointer), roots(inspector, pointer), size)


def _is_hidden_from(inspector: Inspector, common: list[Loop], load: _Access, write: _Access) -> bool:
    """Whether the write may be to what was read in an earlier run, and is somewhere else in the same run."""
    if load.where.base != write.where.base or any(is_of(inspector, APART, term) for term in load.where.terms):
        return False
    is_handed_on = inspector.module.is_call(write.instruction) and not inspector.is_bulk_write(write.instruction)
    way = None if is_handed_on else _way(inspector, load, write)  # a callee may write before its pointer, and behind it
    if way is None:
        return False
    steps = _steps(inspector, common, write.where)
    towards = [step for step in steps if step is None or step * way >= 0]
    return bool(towards) and (way == 0 or _may_meet(load, write, steps))


def _common(loops: list[Loop], load: _Access, write: _Access) -> list[Loop]:
    """The loops that both are in, the inner ones first."""
    return [loop for loop in loops if load.block in loop.blocks and write.block in loop.blocks]


def _is_beside(inspector: Inspector, load: _Access) -> bool:
    """Whether it is hidden already of which of two pointers is read (repairs/overwritten.py)."""
    base = load.where.base
    return bool(inspector.api.IsASelectInst(base)) and is_of(inspector, APART, inspector.operands(base)[0])


def _matched(inspector: Inspector, flow: ControlFlow, common: list[Loop], load: _Access, write: _Access) -> Value | None:
    """What both may lead into, where the two are chosen together; None where they are not, 0 where nothing is known of it.

    None, too, where that is allocated or read in each run: no other run has the same, or alias analysis does not know.
    """
    if not _are_taken_apart(inspector, load.where.base, write.where.base):
        return None
    written = inspector.behind(write.where.base)
    theirs = [value for value in written if inspector.is_choice(value)]
    for one in filter(inspector.is_choice, inspector.behind(load.where.base)):
        around = next((loop for loop in common if is_in(inspector, loop, one)), None)
        if around and any(one != other and _are_matched(inspector, one, other) for other in theirs):
            both = [value for value in inspector.behind(one) if value in written and not inspector.leads_nowhere(value)]
            both = [value for value in both if not is_in(inspector, around, value)]
            if both:
                return next((value for value in both if _is_known(inspector, flow, value, load.block)), 0)
    return None


def _are_taken_apart(inspector: Inspector, one: Value, other: Value) -> bool:
    """Whether alias analysis may take two pointers for different places, where what is chosen together is taken by pairs."""
    known, waiting = set[tuple[Value, Value]](), [(one, other)]
    while waiting:
        pair = waiting.pop()
        if pair[0] == pair[1]:
            return False
        bases = [address(inspector, pointer).base for pointer in pair]
        if pair in known or bases[0] == bases[1]:
            continue
        known.add(pair)
        if not any(map(inspector.is_choice, bases)):
            if not any(_is_memory_of_its_own(inspector, base) or inspector.leads_nowhere(base) for base in bases):
                return False
        elif _are_matched(inspector, *bases):
            waiting += _pairs(inspector, *bases)
        else:
            at = 0 if inspector.is_choice(bases[0]) else 1
            waiting += [(chosen, bases[1 - at]) for chosen in inspector.chosen(bases[at])]
    return True


def _pairs(inspector: Inspector, one: Value, other: Value) -> list[tuple[Value, Value]]:
    """What of two choices is chosen together."""
    ours, theirs = inspector.chosen(one), inspector.chosen(other)
    if inspector.api.IsASelectInst(one):
        return list(zip(ours, theirs, strict=True))
    by_block = dict(zip(inspector.incoming_blocks(other), theirs, strict=True))
    return [(value, by_block[block]) for value, block in zip(ours, inspector.incoming_blocks(one), strict=True)]


def _is_memory_of_its_own(inspector: Inspector, base: Value) -> bool:
    """Whether a pointer leads into memory that no other leads into, unless it was made of this one."""
    api = inspector.api
    is_variable = api.IsAAllocaInst(base) or api.IsAGlobalVariable(base) or api.IsAArgument(base)
    return bool(is_variable) or (inspector.module.is_call(base) and inspector.is_fresh_memory(base))


def _is_known(inspector: Inspector, flow: ControlFlow, value: Value, block: Value) -> bool:
    """Whether a value was made on every way to a block."""
    return not inspector.api.IsAInstruction(value) or not flow.is_passed_by(inspector.api.GetInstructionParent(value), [block])


def _are_matched(inspector: Inspector, one: Value, other: Value) -> bool:
    """Whether alias analysis takes of two choices what is chosen together: phis of one block, selects of one condition."""
    if inspector.api.IsASelectInst(one) and inspector.api.IsASelectInst(other):
        return inspector.operands(one)[0] == inspector.operands(other)[0]
    are_phis = inspector.api.IsAPHINode(one) and inspector.api.IsAPHINode(other)
    return bool(are_phis and _are_alike(inspector, one, other))


def _way(inspector: Inspector, load: _Access, write: _Access) -> int | None:
    """1 where what is read lies behind what is written in the same run, -1 where before, 0 where it is one of these.

    None where it may be the same place, for all that alias analysis knows: it misleads nobody there.
    """
    terms = {**load.where.terms}
    for value, factor in write.where.terms.items():
        terms[value] = terms.get(value, 0) - factor
    factors = [factor for factor in terms.values() if factor]
    between = load.where.constant - write.where.constant
    if all(factor > 0 for factor in factors) and (between >= write.size or (between >= 0 and len(factors) == 1)):
        return 1
    if all(factor < 0 for factor in factors) and (-between >= load.size or (between <= 0 and len(factors) == 1)):
        return -1
    return 0 if len(factors) == 2 and sum(factors) == 0 and _are_alike(inspector, *(v for v, f in terms.items() if f)) else None


def _are_alike(inspector: Inspector, one: Value, other: Value) -> bool:
    """Whether two values are made in the same way, and LLVM may know that they are never equal."""
    api = inspector.api
    if not (api.IsAInstruction(one) and api.IsAInstruction(other)):
        return False
    if api.IsAPHINode(one):
        return bool(api.GetInstructionParent(one) == api.GetInstructionParent(other))
    return bool(api.GetInstructionOpcode(one) == api.GetInstructionOpcode(other))


def _steps(inspector: Inspector, common: list[Loop], where: Address) -> list[int | None]:
    """By how many bytes each of the loops moves what is written; None where that is not known."""
    headers = {loop.header for loop in common}
    counted = [factor for value, factor in where.terms.items() if value in headers]
    is_unknown = any(_changes(inspector, common, value) for value in (*where.terms, where.base))
    return [*counted, *([None] if is_unknown else [])]


def _changes(inspector: Inspector, common: list[Loop], value: Value) -> bool:
    return any(is_in(inspector, loop, value) for loop in common)


def _may_meet(load: _Access, write: _Access, steps: list[int | None]) -> bool:
    """Whether what is written can come to what is read by whole steps: not where each has a field of its own."""
    terms = {*load.where.terms.items()} ^ {*write.where.terms.items()}
    if terms or None in steps or _ANY in (load.size, write.size):
        factors = [factor for _, factor in terms] + [abs(factor) for factor in write.where.terms.values()]
        if not factors or _ANY in (load.size, write.size):
            return True
        stride = gcd(*factors)
    else:
        stride = gcd(*(step for step in steps if step))
    if not stride:
        return False
    rest = (load.where.constant - write.where.constant) % stride
    return rest < write.size or rest > stride - load.size
