"""What is computed though nothing may come to want it: a product with what is infinite, a quotient by zero.

LLVM computes before a branch, or before a loop, what is wanted there alone (`if d > limit { a / b }`).  In reverse mode the
adjoint of what is not wanted is zero, and zero times an infinite slope, or times NaN, is NaN.  What the user computes so is
left, but where it is chosen from: it has a place in the source of its own, and LLVM takes that from what it moves.
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.analyses.control_flow import ControlFlow, Edge
from pipeline.analyses.graphs import reachable
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_PRODUCTS = ("llvm.fma.", "llvm.fmuladd.", "llvm.pow.", "llvm.powi.")
"""Of these the adjoint is multiplied, too.  Other functions LLVM leaves where they are wanted (`llvm.WHERE_WANTED`)."""

STRONG_ZERO = "enzyme_strong_zero"
"""What Enzyme is asked by to let an adjoint of zero be zero whatever it is multiplied with."""
_REVERSE = "__enzyme_autodiff"


def asked_without(inspector: Inspector, shim: Value) -> list[Value]:
    """The calls by which Enzyme is asked for a shim's adjoint, and not for a strong zero."""
    return [call for call in _asking(inspector, shim) if not inspector.asks_for(call, STRONG_ZERO)]


def is_zero_strong(inspector: Inspector, shim: Value) -> bool:
    """Whether Enzyme is asked for a shim's adjoint, and each time for a strong zero."""
    calls = _asking(inspector, shim)
    return bool(calls) and all(inspector.asks_for(call, STRONG_ZERO) for call in calls)


def _asking(inspector: Inspector, shim: Value) -> list[Value]:
    return [user for user in inspector.module.users(shim) if inspector.is_call_of(user, _REVERSE)]


def unwanted(inspector: Inspector, function: Value) -> Value | None:
    """A product, a quotient, a remainder or a power that a run may compute and not want, though its adjoint is asked for.

    None where there is none.
    """
    steep = [i for i in inspector.module.returning_instructions(function) if _is_steep(inspector, i)]
    if not steep:
        return None
    floats = _Floats(inspector, function)
    asked = [value for value in steep if value in floats.asked_for]
    wanted = floats.wanted(floats.is_wanted_somewhere)
    if left := [value for value in asked if value not in wanted]:
        return left[0]
    moved = _moved(inspector, function, asked)
    wanted = floats.wanted(floats.is_wanted_on_each_way) if moved else wanted
    return next((value for value in moved if value not in wanted), None)


def _moved(inspector: Inspector, function: Value, values: list[Value]) -> list[Value]:
    """Those of a function's values that LLVM may have moved: they are on no line, or where a branch or its condition is."""
    module = inspector.module
    deciding = (i for i in module.instructions(function) if inspector.compares(i) or inspector.ends_block_by_choice(i))
    places = set(map(module.location, deciding))
    return [one for one in values if not inspector.api.GetDebugLocLine(one) or module.location(one) in places]


def _is_steep(inspector: Inspector, value: Value) -> bool:
    """Whether its adjoint is multiplied with what may be infinite, or no number: no constant is."""
    if inspector.is_quotient(value):
        return not inspector.api.IsConstant(inspector.operands(value)[1])
    if inspector.is_call_of(value, _PRODUCTS):
        return True
    is_product = inspector.is_product(value) or inspector.is_remainder(value)
    return is_product and not any(map(inspector.api.IsConstant, inspector.operands(value)))


class _Floats:
    """What becomes of a function's floats."""

    def __init__(self, inspector: Inspector, function: Value) -> None:
        self._inspector, self._module = inspector, inspector.module
        self._flow = ControlFlow(self._module, function)
        never = self._flow.never_returning()
        ends = [(block, end) for block, end in self._flow.ends.items() if block not in never]
        self._ways = {block: set(self._flow.successors(end)) - never for block, end in ends}
        self._returns = set(self._flow.returns())
        self._users = {
            value: self._taking(value)
            for value in self._module.instructions(function)
            if inspector.has_floats(value) and self._block(value) in self._ways
        }
        self._operands = {value: inspector.operands(value) for value in self._users}
        taken = (value for value, users in self._users.items() if any(user not in self._users for user in users))
        self.asked_for = reachable(self._operands, taken)
        """Those of which something is made that is no float itself, or that are stored, returned or handed on."""

    def wanted(self, is_wanted: Callable[[Value, list[Value]], bool]) -> set[Value]:
        """The floats of which this is true, given the users that want them: floats wanted themselves, and what stores them.

        What only goes round in a loop is wanted.
        """
        wanted, waiting = set(self._users), dict.fromkeys(self._users)
        while waiting:
            value, _ = waiting.popitem()
            if value in wanted and not is_wanted(value, [user for user in self._users[value] if self._wants(user, wanted)]):
                wanted.discard(value)
                waiting |= dict.fromkeys(one for one in self._operands[value] if one in wanted)
        return wanted

    def is_wanted_somewhere(self, _value: Value, users: list[Value]) -> bool:
        """Whether it is not for choices alone."""
        return bool(users)

    def is_wanted_on_each_way(self, value: Value, users: list[Value]) -> bool:
        """Whether no way leads to the function's end, or to where it is computed again, but by one of the users."""
        blocks: set[Value] = set()
        edges: set[Edge] = set()
        for user in users:
            if self._inspector.api.IsAPHINode(user):
                ways = zip(self._inspector.chosen(user), self._inspector.incoming_blocks(user), strict=True)
                edges |= {(block, self._block(user)) for one, block in ways if one == value}
            else:
                blocks.add(self._block(user))
        return self._block(value) in blocks or not self._is_passed_by(self._block(value), blocks, edges)

    def _block(self, instruction: Value) -> Value:
        return int(self._inspector.api.GetInstructionParent(instruction))

    def _taking(self, value: Value) -> list[Value]:
        """The users of a float that have something to do with its adjoint: what compares or rounds it has none."""
        inspector = self._inspector
        return [u for u in self._module.users(value) if not (inspector.rounds_or_compares(u) or inspector.leaves_alone(u))]

    def _wants(self, user: Value, wanted: set[Value]) -> bool:
        if self._inspector.api.IsASelectInst(user):
            _, one, other = self._inspector.operands(user)
            return one == other and user in wanted
        if self._inspector.float_behind(user):  # of its bits something else may be made
            return False
        return user not in self._users or user in wanted

    def _is_passed_by(self, start: Value, blocks: set[Value], edges: set[Edge]) -> bool:
        """Whether a way leads from a block to the function's end, or back, by none of these blocks and edges."""
        ways = {block: [to for to in its if (block, to) not in edges] for block, its in self._ways.items()}
        return start in self._returns or not reachable(ways, ways[start], but=blocks).isdisjoint({start, *self._returns})
