"""Functions of the program that go by a name of C's (`#[no_mangle]`) get one of their own.

Enzyme knows functions of the C library and of others by their names alone: of a `time` it takes no derivative, be it the
user's own, and of a `sinc` that of another one.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.foreign import OWN, has_c_name
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def give_own(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Rename those that the shims reach, but for what is called from outside of the module; a line for each."""
    functions = list(call_tree(editor, shims))
    mentioned = (one for function in functions for one in editor.functions_mentioned(function))
    done = []
    for function in dict.fromkeys([*functions, *mentioned]):
        if has_c_name(editor, function) and editor.is_internal(function):
            name = editor.module.name(function)
            editor.rename(function, f"{OWN}{name}")
            done.append(f"c_names: {name}")
    return done
