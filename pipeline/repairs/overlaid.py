"""Integers that are stored where a float may have been are stored once, and not to the shadow (analyses/overlaid.py).

LLVM makes one store of those of two variants, `Counted(n)` and `One(1.5)`.  Of what may be a float a zero is stored before: it
has no tangent, and with it ends the adjoint of the float before.
"""

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
            sources = editor.sources(editor.operands(store)[0])
            has_number = not all(map(editor.is_constant, sources))
            may_be_float = any(map(editor.could_be_float, sources))
            if has_number and may_be_float:
                _store_zero(editor, store)
            opaque.store(editor, store, is_number=not may_be_float)
        done.append(f"overlaid: {len(stores)} in {editor.module.name(function)}")
    return done


def _store_zero(editor: Editor, store: Value) -> None:
    """Store a float where an integer of its size is stored then."""
    value, pointer = editor.operands(store)
    zero = editor.api.ConstNull(editor.float_type(editor.integer_bits(editor.api.TypeOf(value))))
    with editor.module.before(store) as builder:
        made = editor.api.BuildStore(builder, zero, pointer)
    editor.api.SetAlignment(made, editor.api.GetAlignment(store))
