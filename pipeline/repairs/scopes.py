"""Of two references nobody says any more that they lead to two places where that is not so: analyses/scopes.py."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.scopes import NOALIAS, declared_in_loops, overclaims
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def say_less(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Take such scopes from what each load is said not to meet, and those of a loop from all; a line a function."""
    done = []
    for function in call_tree(editor, shims):
        of_loops = list(declared_in_loops(editor, ControlFlow(editor.module, function)))
        for instruction, kind, scopes in of_loops:
            editor.give_scopes(instruction, kind, scopes)
        found = list(overclaims(editor, function))
        for reader, scopes in found:
            editor.give_scopes(reader, NOALIAS, scopes)
        count = len({instruction for instruction, *_ in (*of_loops, *found)})
        done += [f"scopes: {count} in {editor.module.name(function)}"] if count else []
    return done
