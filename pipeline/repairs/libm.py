"""The mathematical functions of the crate `libm`, which computes by bits and in assembly, have the derivatives that C's have.

Where one result is right the call is of LLVM's own function.  Else, until the derivatives are there, a function without a body
stands in for it, of which Enzyme is told by what name C has it.

What gives a sine and a cosine at once is called as it stands, and each gets its tangent by the other: times what `x` is less
itself, which is zero and has a tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_char_p, c_void_p

from pipeline import libm
from pipeline.analyses.call_tree import calls
from pipeline.analyses.foreign import assembly
from pipeline.leftovers import ITSELF, STANDS_FOR
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_MATHEMATICAL = "enzyme_math"
"""What Enzyme goes by in the place of a function's name."""
_INACTIVE = "enzyme_inactive"
_PAIR = "crategrad_pair_"
_SIGNATURES = {f"Build{name}": (c_void_p, [c_void_p, c_void_p, c_void_p, c_char_p]) for name in ("FSub", "FMul")}
_ATTRIBUTES = ("memory", "nofree", "nosync", "nounwind", "willreturn")
"""Of memory: that it is neither read nor written."""

_IN_ASSEMBLY = {"sqrtsd ${0:x}, ${0:x}": "sqrt", "sqrtss ${0:x}, ${0:x}": "sqrtf"}
"""What a function of one float is in assembly, as rustc inlines it."""


def know_by_c_name(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have those called in their place; a line for each function that calls some."""

    def find(function: Value) -> list[Value]:
        is_one = bool(libm.c_name(editor.module.name(function)))
        return [] if is_one else [call for call in calls(editor, function) if _c_name(editor, call)]

    return mend_each(editor, shims, "libm: {}", find, _call_what_is_known)


def _c_name(editor: Editor, call: Value) -> str:
    callee = editor.module.callee(call)
    if editor.module.is_inline_assembly(callee):
        return _IN_ASSEMBLY.get(assembly(editor, call), "")
    return libm.c_name(editor.module.name(callee)) if editor.module.is_function(callee) else ""


def _call_what_is_known(editor: Editor, call: Value) -> None:
    callee, name = editor.module.callee(call), _c_name(editor, call)
    base = name.removesuffix("f")
    if name in libm.PAIRS:
        known = _with_tangents(editor, callee)
    elif base in libm.EXACT:
        known = editor.declared(f"llvm.{base}.{'f64' if base == name else 'f32'}", editor.called_type(call))
    else:
        known = _standing_for(editor, callee, name)
    editor.call_another(call, known)


def _standing_for(editor: Editor, function: Value, name: str) -> Value:
    return _declared(editor, STANDS_FOR, editor.module.name(function), editor.function_type(function), _MATHEMATICAL, name)


def _declared(editor: Editor, prefix: str, name: str, ty: Value, told: str, what: str = "") -> Value:
    function = editor.declared(f"{prefix}{name}", ty)
    for attribute in _ATTRIBUTES:
        editor.add_attribute(function, attribute)
    editor.add_text_attribute(function, told, what)
    return function


def _with_tangents(editor: Editor, pair: Value) -> Value:
    """A function that gives what another does, a sine and a cosine, so that Enzyme finds their derivatives."""
    api, name, ty = editor.api, editor.module.name(pair), editor.function_type(pair)
    if known := editor.module.named([f"{_PAIR}{name}"]):
        return known[0]
    of_float, *_ = editor.parameter_types(ty)
    constant = _declared(editor, STANDS_FOR, name, ty, _INACTIVE)
    itself = _declared(editor, ITSELF, f"f{8 * editor.size_of(of_float)}", editor.header_of(of_float, [of_float]), _INACTIVE)
    made = editor.internal_function(f"{_PAIR}{name}", editor.return_type(ty), [of_float])
    (x,) = editor.parameters(made)
    api.load(_SIGNATURES)
    with editor.block(made) as builder:
        both = editor.call(builder, ty, constant, [x])
        sine, cosine = (int(api.BuildExtractValue(builder, both, index, b"")) for index in range(2))
        none = int(api.BuildFSub(builder, editor.call(builder, editor.function_type(itself), itself, [x]), x, b""))
        sine_of_x = int(api.BuildFSub(builder, sine, api.BuildFMul(builder, none, cosine, b""), b""))
        cosine_of_x = int(api.BuildFAdd(builder, cosine, api.BuildFMul(builder, none, sine, b""), b""))
        for index, value in enumerate((sine_of_x, cosine_of_x)):
            both = int(api.BuildInsertValue(builder, both, value, index, b""))
        api.BuildRet(builder, both)
    return made
