"""What is read as one type where a value of another is written later: as a `Vec` is collected in place, or an enum changes.

Enzyme takes it that one never lies where the other does (`writesToMemoryReadBy` in its Utils.cpp compares their types before it
asks alias analysis): reverse mode would read it again, and find what was written.  And of memory that has integers first it may
believe that all that is stored there are integers, which have no shadow and no tangent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.analyses.addresses import Address, Origin, address, distance, meet, origins
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.hidden import ACTIVE, KEPT, OF_FLOAT, is_of, is_same_float
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

Use = tuple[Value, Value]
"""A value, and who uses it."""
_INTEGER, _POINTER = "integer", "pointer"


@dataclass(frozen=True)
class _Access:
    """A load or a store: where in its block, of what type, to which memory, and how many bytes."""

    instruction: Value
    block: Value
    position: int
    kind: str
    where: Address
    origins: set[Origin]
    size: int


class Reused:
    """The loads and stores of a function that may be of places where values of several types are written."""

    def __init__(self, inspector: Inspector, flow: ControlFlow) -> None:
        self._inspector = inspector
        blocks = [block for block in flow.ends if block not in flow.never_returning()]
        found = [(block, at, i) for block in blocks for at, i in enumerate(inspector.module.instructions_of(block))]
        accesses = [one for one in found if inspector.is_plain_load(one[2]) or inspector.is_plain_store(one[2])]
        if len({_kind(inspector, i) for _, _, i in accesses}) == 1:
            accesses = []
        all_of_them = [_access(inspector, *one) for one in accesses]
        self._loads = [one for one in all_of_them if inspector.is_plain_load(one.instruction)]
        self._stores = [one for one in all_of_them if inspector.is_plain_store(one.instruction)]
        writing = {one.block for one in self._stores}
        self._before = {block: flow.leading_to(flow.predecessors.get(block, ())) for block in writing}

    def loads(self) -> Iterator[tuple[Value, list[Use]]]:
        """The loads of what may be written over as another type, each with who may want later what was read."""
        for load in self._loads:
            later = (store for store in self._stores if self._is_after(load, store))
            if any(self._may_replace(store, load) for store in later) and (uses := _wanted(self._inspector, load.instruction)):
                yield load.instruction, uses

    def integers(self) -> Iterator[Value]:
        """The stores of integers where pointers or floats are known to be stored later, as far as places are known."""
        for store in self._stores:
            if store.kind == _INTEGER:
                later = (other for other in self._stores if self._is_after(store, other))
                if any(self._may_replace(other, store, is_known=True) for other in later):
                    yield store.instruction

    def pointers(self) -> Iterator[Value]:
        """The stores of pointers where integers are known to be read or stored, too."""
        integers = [one for one in (*self._loads, *self._stores) if one.kind == _INTEGER]
        for store in self._stores:
            is_pointer = store.kind == _POINTER and not self._inspector.is_null(self._inspector.operands(store.instruction)[0])
            if is_pointer and any(self._may_replace(store, one, is_known=True) for one in integers):
                yield store.instruction

    def _is_after(self, one: _Access, store: _Access) -> bool:
        """Whether a store may come after another access."""
        return one.block in self._before[store.block] or (one.block == store.block and one.position < store.position)

    def _may_replace(self, store: _Access, other: _Access, *, is_known: bool = False) -> bool:
        """Whether a store of another type may be where an access is, for all that is known of where they are."""
        if store.kind == other.kind:
            return False
        for root, _ in store.origins & other.origins:
            ours, theirs = (distance(self._inspector, root, access.where) for access in (other, store))
            if ours is None or theirs is None:
                if not is_known:
                    return True
                continue
            between = theirs.without(ours)
            if meet(between.constant, other.size, store.size, between.step):
                return True
        return False


def _kind(inspector: Inspector, access: Value) -> str:
    ty = inspector.accessed_type(access)
    is_pointer = ty == inspector.pointer_type() or _is_address(inspector, access)
    return inspector.float_name(ty) or (_POINTER if is_pointer else _INTEGER)


def _is_address(inspector: Inspector, access: Value) -> bool:
    """Whether the integer that is loaded or stored is made of a pointer, or becomes one: LLVM swaps references as such."""
    value = access if inspector.is_plain_load(access) else inspector.operands(access)[0]
    users = inspector.module.users(value) if inspector.api.IsAInstruction(value) else []
    return any(map(inspector.is_pointer_cast, (value, *users)))


def _access(inspector: Inspector, block: Value, position: int, access: Value) -> _Access:
    pointer, size = inspector.operands(access)[-1], inspector.size_of(inspector.accessed_type(access))
    where = address(inspector, pointer)
    return _Access(access, block, position, _kind(inspector, access), where, origins(inspector, pointer), size)


def _wanted(inspector: Inspector, load: Value) -> list[Use]:
    """Who uses what was read, chosen from it or made an integer, but to store it elsewhere or because it is kept."""
    found = []
    for value, user in (uses := Uses(inspector.module, [load])):
        is_stored = inspector.is_plain_store(user) and inspector.operands(user)[0] == value
        if inspector.is_choice(user) or is_of(inspector, OF_FLOAT, user) or is_same_float(inspector, user):
            uses.follow([user])
        elif not is_stored and not is_of(inspector, (KEPT, ACTIVE), user):
            found.append((value, user))
    return found
