"""Memory to which a pointer leads that may lead to other memory is active where that is.

Enzyme takes memory that is written and not read for constant, and its shadow is then the memory itself.  Where a pointer is
either that or memory with a shadow of its own, as of a `Vec` that may have grown, what was written would be taken for an
adjoint.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.call_tree import call_tree, calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_ALLOCATES = re.compile(r"malloc|calloc|(?:_RNvCs[0-9A-Za-z]+_7___rustc\d+_)?__rust_alloc(?:_zeroed)?")
_ACTIVE = "enzyme_active"


def make_active(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of allocations that are chosen from or stored that they are active; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = kept(editor, function)
        for call in found:
            editor.add_call_attribute(call, _ACTIVE)
        if found:
            done.append(f"mixed: {len(found)} in {editor.module.name(function)}")
    return done


def kept(editor: Editor, function: Value) -> list[Value]:
    """The allocations in a function whose memory is one of several at a place."""
    return [call for call in calls(editor, function) if _is_allocation(editor, call) and _is_kept(editor, call)]


def _is_allocation(editor: Editor, call: Value) -> bool:
    callee = editor.module.callee(call)
    return editor.module.is_function(callee) and bool(_ALLOCATES.fullmatch(editor.module.name(callee)))


def _is_kept(editor: Editor, call: Value) -> bool:
    """Whether the memory is one of several at a place: chosen from, or where a pointer is stored."""
    users = editor.module.users(call)
    return any(editor.is_choice(user) or (editor.api.IsAStoreInst(user) and editor.operands(user)[0] == call) for user in users)
