"""What differentiated code asks of addresses that come from outside, and only the whole program tells.

Where it has copies of what the program has: what a pointer calls that comes in, whether an address is a copy's, and what
becomes of floats that a `Display` writes where the program prints.  What runs only as the program ends, to say why, may ask
what it likes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pipeline.analyses import callables
from pipeline.analyses.call_tree import call_tree, calls, indirect_calls
from pipeline.analyses.effects import Effects, prints
from pipeline.analyses.identities import compared_with_copies
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


class Question(NamedTuple):
    """What is asked."""

    what: str
    """In words that end before the place."""
    instruction: Value
    shim: Value
    """The first of those that come to it."""


def asked(inspector: Inspector, shims: Sequence[Value], keeping: Collection[Value]) -> Iterator[Question]:
    """What is asked by what some shims come to; of callables, by those given one, or that come to a variable keeping one."""

    def question(what: str, instruction: Value) -> Question:
        function = inspector.module.parent(instruction)
        return Question(what, instruction, next(shim for shim in shims if function in call_tree(inspector, [shim])))

    def may_call(shim: Value) -> bool:
        return callables.are_given(inspector, shim) or _come_to(inspector, shim, keeping)

    calling = [one for one in shims if any(indirect_calls(inspector, function) for function in call_tree(inspector, [one]))]
    for function in call_tree(inspector, list(filter(may_call, calling))):
        for call in indirect_calls(inspector, function):
            yield question("a pointer is called", call)
    for call in _printing(inspector, shims):
        yield question("a `Display` may write floats as it prints", call)
    for one in compared_with_copies(inspector, call_tree(inspector, shims)):
        yield question("an address is compared, or read as a number,", one)


def _printing(inspector: Inspector, shims: Sequence[Value]) -> list[Value]:
    """The calls of what prints and is left to the program, if floats may come out of what is printed."""
    module = inspector.module
    printing = {one for one in module.functions() if not module.is_defined(one) and prints(inspector, one)}
    if not printing or not Effects(inspector).texts_give_floats():
        return []
    return [
        call
        for function in call_tree(inspector, shims)
        for call in calls(inspector, function)
        if module.callee(call) in printing
    ]


def _come_to(inspector: Inspector, shim: Value, variables: Collection[Value]) -> bool:
    """Whether one of the variables is mentioned by what a shim comes to, be it in a constant, or through a pointer there."""
    waiting, known = [shim] if variables else [], set[Value]()
    while waiting:
        one = waiting.pop()
        if one in variables:
            return True
        if one not in known and inspector.module.has_value(one):
            is_function = inspector.module.is_function(one)
            mentioned = (o for i in inspector.module.instructions(one) for o in inspector.operands(i)) if is_function else ()
            waiting += inspector.globals_in(mentioned if is_function else [inspector.api.GetInitializer(one)])
        known.add(one)
    return False
