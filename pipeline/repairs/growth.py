"""A `Vec` that grows is differentiable: `realloc` is written out, and what stands around it is inlined.

Enzyme has no derivative of `realloc`, as that does not say how long the old memory is.  Rust's own reallocation does: it
is not inlined before this, so that its sizes are there to see.  The functions of `RawVec` hand pointers and errors through
the same words of a `Result`; inlined, these are registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_REALLOCATE = "___rust_realloc"
"""How the name of Rust's reallocation ends, in every mangling."""
_RAW_VEC = "5alloc7raw_vec"
_LESS = 36  # LLVMIntULT
_GREATEST_ALIGNMENT = 16
"""What `malloc` aligns to, by which std then allocates (library/std/src/sys/alloc/mod.rs)."""


def by_copy(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Write the reallocations in the shims' functions out; a line for each function."""

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if _reallocates(editor, call)]

    return mend_each(editor, shims, "growth: {}", find, _allocate_and_copy)


def inline_raw_vec(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline the growth of vectors in the shims' functions; nothing is logged, as nearly all vectors grow."""
    found = _calls_of_raw_vec(editor, shims)
    while found:
        for call in found:
            editor.inline_call(call)
        editor.run_passes("always-inline")
        found = _calls_of_raw_vec(editor, shims)
    return []


def _calls_of_raw_vec(editor: Editor, shims: Sequence[Value]) -> list[Value]:
    return [call for caller in call_tree(editor, shims) for call in calls(editor, caller) if _is_raw_vec(editor, call)]


def _is_raw_vec(editor: Editor, call: Value) -> bool:
    callee = editor.module.callee(call)
    return editor.module.is_defined(callee) and _RAW_VEC in editor.module.name(callee)


def _reallocates(editor: Editor, call: Value) -> bool:
    """Whether a call is one of Rust's reallocation, by std's own allocator, of memory that `malloc` can give."""
    callee = editor.module.callee(call)
    if not editor.module.name(callee).endswith(_REALLOCATE) or not editor.module.is_defined(callee):
        return False
    behind = {editor.module.name(editor.module.callee(inner)) for inner in calls(editor, callee)}
    alignment = editor.module.arguments(call)[2]
    is_small = editor.api.IsAConstantInt(alignment) and editor.api.ConstIntGetZExtValue(alignment) <= _GREATEST_ALIGNMENT
    return bool(is_small) and any(name == "realloc" or name.endswith("__rdl_realloc") for name in behind)


def _allocate_and_copy(editor: Editor, call: Value) -> None:
    api = editor.api
    old, length, _, wanted = editor.module.arguments(call)
    with editor.module.before(call) as builder:
        memory = editor.allocate(builder, wanted)
        is_longer = api.BuildICmp(builder, _LESS, length, wanted, b"")
        size = api.BuildSelect(builder, is_longer, length, wanted, b"")
        api.BuildMemCpy(builder, memory, 1, old, 1, size)
        editor.release(builder, old)
    editor.replace(call, memory)
