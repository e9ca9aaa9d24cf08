"""Of two references that are only read nobody says any more that they lead to two places: analyses/scopes.py."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.scopes import overclaims
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def say_less(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Take such scopes from what each load is said not to meet; a line a function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(overclaims(editor, function))
        for reader, scopes in found:
            editor.say_meets_none_of(reader, scopes)
        done += [f"scopes: {len(found)} in {editor.module.name(function)}"] if found else []
    return done
