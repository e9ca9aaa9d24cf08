"""A float that is read from a text is a constant: `"0.5".parse::<f64>()`.

std puts it together bit by bit, which would look like a derivative that is lost.  It is inactive as a whole; what it writes to
the result's place is written there once more where Enzyme sees it, so that the tangent there is zero.

Not where floats are written as text, too: the text could be of one that has a derivative.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.counting import PARSED
from pipeline.analyses.debug_info import path
from pipeline.analyses.effects import Effects
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.apart import hide

_READS = ("core::num::float_parse", "core::num::dec2flt")
_WRITES = ("core::fmt::float", "core::num::flt2dec", "core::num::imp::flt2dec")
_WORD = 64
"""Bits of the tag with what lies beside it in a `Result<f64, ParseFloatError>`; after it the float."""


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it of what reads floats in the shims' call tree; a line for each such function."""
    tree = list(call_tree(editor, shims))
    found = [function for function in tree if _is_at(editor, function, _READS)]
    if not found or any(_is_at(editor, one, _WRITES) for one in Effects(editor).reached(*tree)):
        return []
    done = [f"parsed: {editor.module.name(function)}" for function in found]
    for function in found:
        users = [user for user in editor.module.users(function) if editor.module.is_call(user)]
        hide(editor, function)
        editor.add_text_attribute(function, PARSED)
        if editor.returns_by_pointer(function):
            shown = _shown(editor, function)
            for user in users:
                editor.give(user, function, shown)
    return done


def _is_at(editor: Editor, function: Value, modules: tuple[str, ...]) -> bool:
    return "::".join(path(editor.module, editor.module.subprogram(function))).startswith(modules)


def _shown(editor: Editor, function: Value) -> Value:
    """A function that calls another, which returns a word and a float by pointer, and writes both where it is to."""
    ty = editor.function_type(function)
    made = editor.internal_function(f"{PARSED}_shown", editor.return_type(ty), editor.parameter_types(ty))
    editor.api.SetFunctionCallConv(made, editor.api.GetFunctionCallConv(function))
    editor.compile_like(function, made)
    out, *text = editor.parameters(made)
    members = [editor.integer(_WORD), editor.float_type(64)]
    stores: list[Value] = []
    with editor.block(made) as builder:
        place = editor.api.BuildAlloca(builder, editor.api.ArrayType2(members[0], len(members)), b"")
        editor.call(builder, ty, function, [place, *text])
        for offset, member in zip((0, _WORD // 8), members, strict=True):
            value = editor.api.BuildLoad2(builder, member, editor.address(builder, place, offset), b"")
            stores.append(int(editor.api.BuildStore(builder, value, editor.address(builder, out, offset))))
        editor.api.BuildRetVoid(builder)
    opaque.store(editor, stores[0])
    return made
