"""Functions whose header packs floats into integers, or beside them, are inlined into their callers.

rustc passes an aggregate of up to eight bytes as one integer, and returns `Option<f32>` as `{ i32, float }`: Enzyme takes
the first for an integer without a derivative, and loses the second's float.  Inlined, there is no header.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree, calls
from pipeline.debug_info import holds_float, is_aggregate, signature_types
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

CLEAN = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg"
"""What makes registers of memory, and floats of the casts that a repair leaves."""

_SMALLEST, _PACKED = 16, 64
"""Bits of the smallest float, and of the largest aggregate that is one integer."""


def headers_with_packed_floats(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline them wherever the shims reach them, but those that call themselves."""
    import networkx as nx

    tree = call_tree(editor, shims)
    recursive = {function for cycle in nx.strongly_connected_components(tree) if len(cycle) > 1 for function in cycle}
    recursive |= set(nx.nodes_with_selfloops(tree))
    packed = [f for f in tree if f not in shims and f not in recursive and packs_floats(editor, f)]
    if not packed:
        return []
    names = [editor.module.name(function) for function in packed]
    for function in packed:
        editor.drop_attributes(function, "noinline", "optnone", "cold", "minsize", "optsize")
        editor.add_attribute(function, "alwaysinline")
    callers = [function for function in tree if not set(tree.successors(function)).isdisjoint(packed)]
    for caller in callers:
        for call in calls(editor, caller):
            editor.drop_call_attributes(call, "noinline", "cold")
    editor.run_passes("always-inline")
    for function in call_tree(editor, shims):
        editor.run_passes(CLEAN, function)
    return [f"inline: {name}" for name in names]


def packs_floats(editor: Editor, function: Value) -> bool:
    """Whether an integer of the header carries a float, or stands beside one in what is returned."""
    result, *parameters = signature_types(editor.module, function) or [0]
    ty = editor.function_type(function)
    if result and is_aggregate(editor.module, result) and holds_float(editor.module, result):
        returned = editor.return_type(ty)
        if any(editor.integer_bits(member) for member in editor.members(returned)):
            return True
    packed = any(_is_packed(editor, parameter) for parameter in parameters if parameter)
    return packed and any(editor.integer_bits(p) >= _SMALLEST for p in editor.parameter_types(ty))


def _is_packed(editor: Editor, ty: Value) -> bool:
    """Whether rustc may pass an aggregate with a float in it as one integer."""
    module = editor.module
    return is_aggregate(module, ty) and module.type_bits(ty) <= _PACKED and holds_float(module, ty)
