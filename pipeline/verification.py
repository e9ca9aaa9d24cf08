"""Derivatives check themselves as the program runs (`verify` of the config), but not where they are differentiated in turn.

There the check would be part of what Enzyme differentiates, with all it copies, counts and prints.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor

_WANTED = "__crategrad_verify_wanted"
"""The frontend's function that says whether a call is to be checked."""

_CLEAN = "simplifycfg,sroa,early-cse,simplifycfg"


def leave_out(module: Module, shims: Iterable[Value]) -> list[str]:
    """Let nothing be checked in all that the shims reach; a line for each function."""
    wanted = module.named([_WANTED])
    if not wanted:
        return []
    editor = Editor(module)
    done = []
    for function in call_tree(editor, shims):
        asking = [call for call in calls(editor, function) if module.callee(call) in wanted]
        for call in asking:
            editor.replace(call, editor.api.ConstInt(editor.integer(1), 0, 0))
        if asking:
            editor.run_passes(_CLEAN, function)
            done.append(f"not verified, as it is differentiated itself: {module.name(function)}")
    return done
