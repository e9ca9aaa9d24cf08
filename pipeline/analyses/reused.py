"""What is read as one type where a value of another is written later: as a `Vec` is collected in place, or an enum changes.

Enzyme takes it that one never lies where the other does (`writesToMemoryReadBy` in its Utils.cpp compares their types before it
asks alias analysis): reverse mode would read it again, and find what was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.analyses.addresses import Address, address, distance, meet, roots
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.hidden import ACTIVE, KEPT, is_of
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

Use = tuple[Value, Value]
"""A value, and who uses it."""


@dataclass(frozen=True)
class _Access:
    """A load or a store: where in its block, of what type, to which memory, and how many bytes."""

    instruction: Value
    block: Value
    position: int
    kind: str
    where: Address
    roots: set[Value]
    size: int


def reused(inspector: Inspector, flow: ControlFlow) -> Iterator[tuple[Value, list[Use]]]:
    """The loads of what may be written over as another type, each with who may want it later."""
    blocks = [block for block in flow.ends if block not in flow.never_returning()]
    found = [(block, at, i) for block in blocks for at, i in enumerate(inspector.module.instructions_of(block))]
    loads = [one for one in found if inspector.is_plain_load(one[2])]
    stores = [one for one in found if inspector.is_plain_store(one[2])] if loads else []
    if len({_kind(inspector, i) for _, _, i in (*loads, *stores)}) == 1:
        return
    writes = [_access(inspector, *one) for one in stores]
    before = {write.block: flow.leading_to(flow.predecessors.get(write.block, ())) for write in writes}
    for load in (_access(inspector, *one) for one in loads) if writes else ():
        later = (write for write in writes if _is_after(load, write, before[write.block]))
        if any(_may_replace(inspector, write, load) for write in later) and (uses := _wanted(inspector, load.instruction)):
            yield load.instruction, uses


def _kind(inspector: Inspector, access: Value) -> str:
    ty = inspector.accessed_type(access)
    return inspector.float_name(ty) or ("pointer" if ty == inspector.pointer_type() else "integer")


def _access(inspector: Inspector, block: Value, position: int, access: Value) -> _Access:
    pointer, size = inspector.operands(access)[-1], inspector.size_of(inspector.accessed_type(access))
    where = address(inspector, pointer)
    return _Access(access, block, position, _kind(inspector, access), where, roots(inspector, pointer), size)


def _is_after(load: _Access, write: _Access, before: set[Value]) -> bool:
    """Whether a write may come after a load."""
    return load.block in before or (load.block == write.block and load.position < write.position)


def _may_replace(inspector: Inspector, write: _Access, load: _Access) -> bool:
    """Whether a write of another type may be where the load is, for all that is known of where they are."""
    if write.kind == load.kind:
        return False
    for root in write.roots & load.roots:
        ours, theirs = distance(inspector, root, load.where), distance(inspector, root, write.where)
        if ours is None or theirs is None:
            return True
        between = theirs.without(ours)
        if meet(between.constant, load.size, write.size, between.step):
            return True
    return False


def _wanted(inspector: Inspector, load: Value) -> list[Use]:
    """Who uses what was read, or chosen from it, but to store it elsewhere or because it is kept."""
    found = []
    for value, user in (uses := Uses(inspector.module, [load])):
        is_stored = inspector.is_plain_store(user) and inspector.operands(user)[0] == value
        if inspector.is_choice(user):
            uses.follow([user])
        elif not is_stored and not is_of(inspector, (KEPT, ACTIVE), user):
            found.append((value, user))
    return found
