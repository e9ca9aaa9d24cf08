"""Conditions of branches are computed without promises, so that Enzyme may compute them anywhere (analyses/promises.py)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.promises import promises, promising
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def take_back(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Take promises off what conditions are computed of, in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(promising(editor, function))
        for value in found:
            for name in promises(editor, value):
                getattr(editor.api, f"Set{name}")(value, 0)
        done += [f"promises: {len(found)} in {editor.module.name(function)}"] if found else []
    return done
