"""Functions that the user says are inactive (`#[autodiff::inactive]`): a call of ours in each tells which."""

from __future__ import annotations

from pipeline.analyses.allocations import frees_what_it_takes
from pipeline.errors import UserError
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import BY_USER
from pipeline.repairs.apart import hide

MARK = "__crategrad_inactive_v1"
"""The function that an inactive one calls."""


def say_inactive(editor: Editor) -> list[str]:
    """Make them so, and take the calls out; a line for each.

    Raises: UserError for one that returns by pointer: Enzyme would go on with what the shadow of that place held before; and
    for one that frees what it is given.
    """
    done = []
    for mark in [function for function in editor.module.functions() if MARK in editor.module.name(function)]:
        for call in editor.module.users(mark):
            function = editor.module.parent(call)
            if editor.returns_by_pointer(function):
                raise UserError(_refusal(editor, function, call))
            if frees_what_it_takes(editor, function):
                raise UserError(_refusal_to_free(editor, function, call))
            hide(editor, function)
            editor.add_text_attribute(function, BY_USER)
            editor.api.InstructionEraseFromParent(call)
            done.append(f"inactive: {editor.module.name(function)}")
        editor.module.delete_function(mark)
    return done


def _refusal_to_free(editor: Editor, function: Value, call: Value) -> str:
    return (
        f"error: an inactive function that is given memory to keep would free it, and the derivative once more: "
        f"`{editor.module.name(function)}`\n  --> {editor.module.users_place(call)}\n"
        "  = help: let it take a reference: `&str`, `&[f64]`, `&T`"
    )


def _refusal(editor: Editor, function: Value, call: Value) -> str:
    return (
        f"error: an inactive function that returns through memory would leave what its shadow held before: "
        f"`{editor.module.name(function)}`\n  --> {editor.module.users_place(call)}\n"
        "  = help: let it return a number, or two; or nothing"
    )
