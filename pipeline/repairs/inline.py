"""Functions whose header packs floats into integers, or beside them, are inlined into their callers.

rustc passes an aggregate of up to eight bytes as one integer, and returns `Option<f32>` as `{ i32, float }`: Enzyme takes
the first for an integer without a derivative, and loses the second's float.  Inlined, there is no header.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.analyses.call_tree import call_tree, calls, recursive
from pipeline.analyses.debug_info import holds_float, is_aggregate, signature_types
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

if TYPE_CHECKING:
    import networkx as nx

CLEAN = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg"
"""What makes registers of memory, and floats of the casts that a repair leaves."""

_PACKED = 64
"""Bits of the largest aggregate that is one integer."""


def headers_with_packed_floats(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline them wherever the shims reach them, but those that last."""
    tree = call_tree(editor, shims)
    stay = lasting(editor, tree) | set(shims)
    packed = [function for function in tree if function not in stay and packs_floats(editor, function)]
    if not packed:
        return []
    names = [editor.module.name(function) for function in packed]
    for caller in tree:
        for call in calls(editor, caller):
            if editor.module.callee(call) in packed:
                editor.inline_call(call)
    editor.run_passes("always-inline")
    for function in call_tree(editor, shims):
        editor.run_passes(CLEAN, function)
    return [f"inline: {name}" for name in names]


def lasting(inspector: Inspector, tree: nx.DiGraph[Value]) -> set[Value]:
    """The functions that cannot be inlined away: those that call themselves, and those that hide types from each other."""
    return recursive(tree) | {function for function in tree if inspector.has_text_attribute(function, "enzyme_ta_norecur")}


def packs_floats(inspector: Inspector, function: Value) -> bool:
    """Whether an integer of the header carries a float, or stands beside one in what is returned."""
    sizes = packed_parameter_sizes(inspector, function)
    parameters = inspector.parameter_types(inspector.function_type(function))
    return returns_packed_floats(inspector, function) or any(inspector.integer_bits(ty) in sizes for ty in parameters)


def returns_packed_floats(inspector: Inspector, function: Value) -> bool:
    """Whether what is returned has a float in it, by debug info where there is some, and an integer in LLVM."""
    returned = inspector.members(inspector.return_type(inspector.function_type(function)))
    signature = signature_types(inspector.module, function)
    if not signature:
        return any(map(inspector.float_name, returned)) and any(map(inspector.integer_bits, returned))
    result = signature[0]
    if not result or not is_aggregate(inspector.module, result) or not holds_float(inspector.module, result):
        return False
    return any(map(inspector.integer_bits, returned))


def packed_parameter_sizes(inspector: Inspector, function: Value) -> set[int]:
    """The sizes in bits of the parameters that rustc may pass as one integer though there is a float in them."""
    module = inspector.module
    types = [ty for ty in signature_types(module, function)[1:] if ty and is_aggregate(module, ty)]
    return {module.type_bits(ty) for ty in types if module.type_bits(ty) <= _PACKED and holds_float(module, ty)}
