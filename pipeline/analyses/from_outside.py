"""What differentiated code asks of addresses that come from outside, and only the whole program tells.

Where it has copies of what the program has: what a pointer calls that comes in, and whether an address is a copy's.  What runs
only as the program ends, to say why, may ask what it likes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.analyses import callables
from pipeline.analyses.call_tree import call_tree, indirect_calls
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


def asked(inspector: Inspector, shims: Sequence[Value], *, keeps_callables: bool) -> Iterator[Question]:
    """What is asked by what some shims come to; of callables, by those that are given one, or that a variable keeps one for."""

    def question(what: str, instruction: Value) -> Question:
        function = inspector.module.parent(instruction)
        return Question(what, instruction, next(shim for shim in shims if function in call_tree(inspector, [shim])))

    for function in call_tree(inspector, [one for one in shims if keeps_callables or callables.are_given(inspector, one)]):
        for call in indirect_calls(inspector, function):
            yield question("a pointer is called", call)
    for one in compared_with_copies(inspector, call_tree(inspector, shims)):
        yield question("an address is compared, or read as a number,", one)
