"""What is read where a value of another type is written later is kept for reverse mode: analyses/reused.py."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.counting import counts_only
from pipeline.analyses.debug_info import FLOAT_BITS
from pipeline.analyses.reused import reused
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep each where it was read, or chosen, for who wants it; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(reused(editor, ControlFlow(editor.module, function)))
        kept: dict[Value, Value] = {}
        for _, uses in found:
            for value, user in uses:
                if not _moves_bits(editor, value, user):
                    kept[value] = kept.get(value) or opaque.kept(editor, value, editor.following(value))
                    editor.give(user, value, kept[value])
        if kept:
            done.append(f"reused: {len(kept)} in {editor.module.name(function)}")
    return done


def _moves_bits(editor: Editor, value: Value, user: Value) -> bool:
    """Whether an integer may be taken apart here to be a float again: whoever looks for that must find it."""
    bits, left = (editor.integer_bits(editor.api.TypeOf(one)) for one in (value, user))
    return bits in FLOAT_BITS.values() and left > 1 and editor.is_bitwise(user) and not counts_only(editor, user)
