"""Where memory that a function was lent a shadow of is replaced: a `Vec` that is pushed to, or given anew.

In reverse mode the adjoint of what was there is in the shadow of that, which is freed with it.  What comes instead has a shadow
that Enzyme frees in the end, whatever it holds: the caller would find freed memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.given import handed_in
from pipeline.analyses.hidden import ACTIVE, HIDDEN, is_of
from pipeline.analyses.origins import CONST, PRIMALS
from pipeline.analyses.outliving import may_be_kept
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def replaced(inspector: Inspector, shim: Value) -> Iterator[Value]:
    """The stores of other pointers than were there, where a shim is given pointers with a shadow."""
    lent = [one for one in _lent(inspector, shim) if may_be_kept(inspector, shim, one)]
    given = _Given(inspector, lent)
    for function in call_tree(inspector, [shim]) if lent else ():
        for store in filter(inspector.is_plain_store, inspector.module.returning_instructions(function)):
            value, place = inspector.operands(store)
            is_pointer = inspector.api.TypeOf(value) == inspector.pointer_type()
            if is_pointer and given.leads_there(place) and not given.comes_from_there(value):
                yield store


def _lent(inspector: Inspector, shim: Value) -> list[Value]:
    """The parameters of a shim, but that of the result, of which one who asks for a derivative has a shadow."""
    found = set()
    for call in filter(inspector.asks_enzyme, inspector.module.users(shim)):
        marks = [name for name in map(inspector.module.name, inspector.module.arguments(call)) if name in PRIMALS]
        found |= {position for position, mark in enumerate(marks[:-1]) if mark != CONST}
    return [parameter for position, parameter in enumerate(inspector.parameters(shim)) if position in found]


class _Given:
    """Which pointers lead into memory that is reached by parameters."""

    def __init__(self, inspector: Inspector, parameters: list[Value]) -> None:
        self._inspector = inspector
        self._known = dict.fromkeys(parameters, True)

    def leads_there(self, pointer: Value) -> bool:
        """Whether a pointer may lead into that memory, as far as it can be followed."""
        return any(map(self._is_there, self._inspector.bases(pointer)))

    def comes_from_there(self, pointer: Value) -> bool:
        """Whether a pointer is one that lay in that memory, or leads into it: then it is only moved."""
        return all(map(self._is_there, self._inspector.bases(pointer)))

    def _is_there(self, base: Value) -> bool:
        if base not in self._known:
            self._known[base] = False  # where it leads to itself
            self._known[base] = any(map(self.leads_there, self._before(base)))
        return self._known[base]

    def _before(self, base: Value) -> list[Value]:
        """The pointers by which one comes to what is at a pointer, of any one of them."""
        inspector = self._inspector
        if inspector.api.IsAArgument(base):
            return list(handed_in(inspector, base))
        if inspector.is_plain_load(base):
            place = inspector.operands(base)[0]
            return [place, *self._stored(base)]
        if inspector.module.is_call(base) and (is_of(inspector, (HIDDEN, ACTIVE), base) or not inspector.is_fresh_memory(base)):
            given = inspector.module.arguments(base)
            return [one for one in given if inspector.api.TypeOf(one) == inspector.pointer_type()]
        return []

    def _stored(self, load: Value) -> list[Value]:
        """What is stored on the stack where a pointer is read."""
        inspector = self._inspector
        slot = inspector.slot(load)
        if not inspector.api.IsAAllocaInst(slot[0]):
            return []
        stores = filter(inspector.is_plain_store, inspector.module.instructions(inspector.module.parent(load)))
        return [inspector.operands(store)[0] for store in stores if inspector.slot(store) == slot]
