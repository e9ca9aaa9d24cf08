"""Floats of constants are floats for Enzyme, too, so that forward mode knows that their tangents are zero.

Each is a sum with -0 (analyses/constant_numbers.py): what is computed has a type.  Until opt2 nobody knows that it is -0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.constant_numbers import handed_on
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def say_floats(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say so of those that are more than computed with, in all that the shims reach; a line for each function."""
    loads = handed_on(editor, call_tree(editor, shims))
    for load in loads:
        users = editor.module.users(load)
        number = opaque.float_for_enzyme(editor, load, editor.following(load))
        for user in users:
            editor.give(user, load, number)
    counts = Counter(map(editor.module.parent, loads))
    return [f"constant_numbers: {count} in {editor.module.name(function)}" for function, count in counts.items()]
