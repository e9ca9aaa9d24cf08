"""What is computed though nothing may come to want it: a product with what is infinite, a quotient by zero.

LLVM computes before a branch, or before a loop, what is wanted there alone (`if d > limit { a / b }`); so may the user.  In
reverse mode the adjoint of what is not wanted is zero, and zero times an infinite slope, or times NaN, is NaN.
"""

from __future__ import annotations

from pipeline.analyses.control_flow import ControlFlow, Edge
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_PRODUCTS = ("llvm.fma.", "llvm.fmuladd.", "llvm.pow.", "llvm.powi.")
"""Of these the adjoint is multiplied, too.  Other functions LLVM leaves where they are wanted (`llvm.WHERE_WANTED`)."""


STRONG_ZERO = "enzyme_strong_zero"
"""What Enzyme is asked by to let an adjoint of zero be zero whatever it is multiplied with."""
_REVERSE = "__enzyme_autodiff"


def asked_without(inspector: Inspector, shim: Value) -> list[Value]:
    """The calls by which Enzyme is asked for a shim's adjoint, and not for a strong zero."""
    return [call for call in _asking(inspector, shim) if not _is_strong(inspector, call)]


def is_zero_strong(inspector: Inspector, shim: Value) -> bool:
    """Whether Enzyme is asked for a shim's adjoint, and each time for a strong zero."""
    return bool(_asking(inspector, shim)) and not asked_without(inspector, shim)


def _asking(inspector: Inspector, shim: Value) -> list[Value]:
    module = inspector.module
    calls = (user for user in module.users(shim) if module.is_call(user))
    return [call for call in calls if module.name(module.callee(call)).startswith(_REVERSE)]


def _is_strong(inspector: Inspector, call: Value) -> bool:
    return STRONG_ZERO in map(inspector.module.name, inspector.module.arguments(call))


def unwanted(inspector: Inspector, function: Value) -> Value | None:
    """A product, a quotient, a remainder or a power that a run may compute and not want, though its adjoint is asked for.

    None where there is none.
    """
    steep = [i for i in inspector.module.returning_instructions(function) if _is_steep(inspector, i)]
    if not steep:
        return None
    wanted = _Wanted(inspector, function)
    return next((value for value in steep if wanted.is_open(value)), None)


def _is_steep(inspector: Inspector, value: Value) -> bool:
    """Whether its adjoint is multiplied with what may be infinite, or no number: no constant is."""
    if inspector.is_quotient(value):
        return not inspector.api.IsConstant(inspector.operands(value)[1])
    if inspector.is_call_of(value, _PRODUCTS):
        return True
    is_product = inspector.is_product(value) or inspector.is_remainder(value)
    return is_product and not any(map(inspector.api.IsConstant, inspector.operands(value)))


class _Wanted:
    """Which of a function's floats are wanted whenever they are computed: on each way from there something takes them that is
    wanted itself, or takes them for good, as a store does.  A choice may take the other one.
    """

    def __init__(self, inspector: Inspector, function: Value) -> None:
        self._inspector, self._module = inspector, inspector.module
        self._flow = ControlFlow(self._module, function)
        never = self._flow.never_returning()
        ends = self._flow.ends.items()
        self._ways = {
            block: [to for to in dict.fromkeys(self._flow.successors(end)) if to not in never]
            for block, end in ends
            if block not in never
        }
        self._returns = set(self._flow.returns())
        self._users = {
            value: self._taking(value)
            for value in self._module.instructions(function)
            if inspector.has_floats(value) and self._block(value) in self._ways
        }
        self._asked_for = self._leading_to_what_takes()
        self._wanted = set(self._users)
        self._narrow()

    def is_open(self, value: Value) -> bool:
        """Whether an adjoint is asked for and may be zero."""
        return value in self._asked_for and value not in self._wanted

    def _block(self, instruction: Value) -> Value:
        return int(self._inspector.api.GetInstructionParent(instruction))

    def _taking(self, value: Value) -> list[Value]:
        """The users of a float that have something to do with its adjoint: what compares or rounds it has none."""
        inspector = self._inspector
        return [u for u in self._module.users(value) if not (inspector.rounds_or_compares(u) or inspector.leaves_alone(u))]

    def _leading_to_what_takes(self) -> set[Value]:
        """The floats of which something that is no float itself is made, or that are stored, returned or handed on."""
        found: set[Value] = set()
        waiting = [value for value, users in self._users.items() if any(user not in self._users for user in users)]
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += [operand for operand in self._inspector.operands(value) if operand in self._users]
        return found

    def _narrow(self) -> None:
        """Take out what is not wanted, and so what it is made of; what only goes round in a loop stays."""
        waiting = dict.fromkeys(self._users)
        while waiting:
            value, _ = waiting.popitem()
            if value in self._wanted and not self._is_wanted(value):
                self._wanted.discard(value)
                waiting |= dict.fromkeys(one for one in self._inspector.operands(value) if one in self._wanted)

    def _is_wanted(self, value: Value) -> bool:
        """Whether no way leads to the function's end, or to where it is computed again, but by what wants it."""
        blocks: set[Value] = set()
        edges: set[Edge] = set()
        for user in (user for user in self._users[value] if self._wants(user)):
            if self._inspector.api.IsAPHINode(user):
                ways = zip(self._inspector.chosen(user), self._inspector.incoming_blocks(user), strict=True)
                edges |= {(block, self._block(user)) for one, block in ways if one == value}
            else:
                blocks.add(self._block(user))
        return self._block(value) in blocks or not self._is_passed_by(self._block(value), blocks, edges)

    def _wants(self, user: Value) -> bool:
        if self._inspector.api.IsASelectInst(user):
            _, one, other = self._inspector.operands(user)
            return one == other and user in self._wanted
        if self._inspector.float_behind(user):  # of its bits something else may be made
            return False
        return user not in self._users or user in self._wanted

    def _is_passed_by(self, start: Value, blocks: set[Value], edges: set[Edge]) -> bool:
        """Whether a way leads from a block to the function's end, or back, by none of these blocks and edges."""
        waiting, seen = [start], set[Value]()
        while waiting:
            block = waiting.pop()
            if block in self._returns:
                return True
            on = {to for to in self._ways[block] if (block, to) not in edges} - blocks - seen
            if start in on:
                return True
            seen |= on
            waiting += on
        return False
