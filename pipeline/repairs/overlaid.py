"""Integers that are stored where a float may have been are stored once, and not to the shadow (analyses/overlaid.py)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.overlaid import overlaid
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def store_once(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hide each such store from Enzyme; a line for each function."""
    done = []
    for function, stores in list(overlaid(editor, call_tree(editor, shims))):
        for store in stores:
            opaque.store(editor, store)
        done.append(f"overlaid: {len(stores)} in {editor.module.name(function)}")
    return done
