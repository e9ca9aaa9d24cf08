"""Places in memory that surely hold a float, whatever they are read or written as."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from pipeline.analyses.debug_info import FLOAT_BITS
from pipeline.analyses.given import numbers_there
from pipeline.analyses.hidden import slot_behind
from pipeline.analyses.moves import word_accessed
from pipeline.analyses.of_floats import are_of_floats
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


class FloatPlaces:
    """Those of a function: by debug info, or because what else is read and written there are floats."""

    def __init__(self, inspector: Inspector, function: Value, variables: Variables | None = None) -> None:
        self._inspector = inspector
        self._variables = variables or Variables(inspector, function)

    def is_float(self, access: Value) -> bool:
        """Whether a load or a store of an integer is of a place where a float of its width is."""
        return bool(self._inspector.integer_bits(self._inspector.accessed_type(access))) and self.is_for_floats(access)

    def is_for_floats(self, access: Value) -> bool:
        """Whether a load or a store, of whatever type, is of a place where a float of its width is."""
        ty = self._inspector.accessed_type(access)
        bits = FLOAT_BITS.get(self._inspector.float_name(ty), self._inspector.integer_bits(ty))
        if bits not in FLOAT_BITS.values():
            return False
        known = self._known(access)
        return known == {bits} if known else self._lies_among_floats(access, bits)

    def is_number(self, access: Value) -> bool:
        """Whether debug info says of a place that there never is a float, and none is read or written there."""
        return self._known(access) == {None} and not any(map(self._inspector.float_name, self._types_here(access)[1]))

    def may_be_float(self, access: Value) -> bool:
        """Whether a float surely is there, or floats are read or written there and debug info does not say that none is."""
        return self.is_float(access) or (not self.is_number(access) and are_of_floats(self._inspector, access))

    def is_float_by_type(self, access: Value) -> bool:
        """Whether debug info says of a place that is read or written as a float that it is never anything else."""
        return self._known(access) == {FLOAT_BITS[self._inspector.float_name(self._inspector.accessed_type(access))]}

    def _known(self, access: Value) -> set[int | None]:
        """How wide the floats are that a place may hold, None among them for all else; nothing where no type is known."""
        kind = word_accessed(self._inspector, access, self._variables)
        if kinds := {kind} if kind else self._variables.kinds(access):
            return {FLOAT_BITS.get(kind) for kind in kinds}
        roots = self._inspector.bases(self._inspector.operands(access)[-1])
        found = (numbers_there(self._inspector, root) for root in roots)
        return {FLOAT_BITS.get(name) for name in frozenset().union(*found)}

    def _lies_among_floats(self, access: Value, bits: int) -> bool:
        """Whether all that is read and written there is as wide, and some of it, not surely elsewhere, is a float."""
        inspector = self._inspector
        types, here = self._types_here(access)
        widths = {FLOAT_BITS.get(inspector.float_name(ty), inspector.integer_bits(ty)) for ty in types}
        return widths == {bits} and any(map(inspector.float_name, here))

    def _types_here(self, access: Value) -> tuple[list[Value], list[Value]]:
        """The types of all that is read and written in that memory beside it; and of what is so, not surely elsewhere."""
        inspector = self._inspector
        roots = inspector.bases(inspector.operands(access)[-1])
        # What is empty begins at the same number in every function.
        memory = [root for root in roots if not inspector.leads_nowhere(root)]
        users = {user for root in memory for user in self._users(root, access)} - {access}
        accesses = [user for user in users if self._is_access(user, roots)]
        here = (user for user in accesses if not self._is_elsewhere(user, access, roots))
        return [inspector.accessed_type(user) for user in accesses], [inspector.accessed_type(user) for user in here]

    def _users(self, root: Value, access: Value) -> list[Value]:
        """What uses memory; a constant, as what is empty may begin with it everywhere, only in the same function."""
        inspector = self._inspector
        users = inspector.users_through_offsets(root)
        if not inspector.api.IsAGlobalVariable(root) or not inspector.api.IsGlobalConstant(root):
            return users
        return [user for user in users if inspector.function_of(user) == inspector.function_of(access)]

    def _is_elsewhere(self, one: Value, other: Value, roots: Sequence[Value]) -> bool:
        """Whether two accesses are at different known offsets of the same memory, or of elements of what begins at `roots`."""
        (base, offset, _), (other_base, other_offset, _) = (slot_behind(self._inspector, access) for access in (one, other))
        if base == other_base:
            return offset != other_offset
        (begins, step), (other_begins, other_step) = map(self._counted, (base, other_base))
        size = gcd(step, other_step)
        memory = {begin for begin in begins | other_begins if not self._inspector.leads_nowhere(begin)}
        return memory <= set(roots) and size > 0 and (offset - other_offset) % size != 0

    def _counted(self, place: Value) -> tuple[set[Value], int]:
        """What a place may be counted from, and a number that divides all that is added, be it in a loop; 0: nothing is."""
        begins, divisor, waiting = dict[Value, None](), 0, [place]
        while waiting:
            begin, step = self._inspector.origin(waiting.pop())
            divisor = gcd(divisor, step)
            if begin not in begins:
                begins[begin] = None
                waiting += self._inspector.chosen(begin) if self._inspector.is_choice(begin) else []
        return {begin for begin in begins if not self._inspector.is_choice(begin)}, divisor

    def _is_access(self, user: Value, roots: Iterable[Value]) -> bool:
        """Whether a load or a store is in that memory; not, if a store puts its address elsewhere."""
        inspector = self._inspector
        if inspector.is_plain_store(user):
            return not set(inspector.bases(inspector.operands(user)[0])) & set(roots)
        return inspector.is_plain_load(user)
