"""The mathematical functions of the crate `libm`, which computes by bits and in assembly, have the derivatives that C's have.

Where one result is right the call is of LLVM's own function.  Else, until the derivatives are there, a function without a body
stands in for it, of which Enzyme is told by what name C has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import libm
from pipeline.analyses.call_tree import calls
from pipeline.analyses.foreign import assembly
from pipeline.leftovers import STANDS_FOR
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_MATHEMATICAL = "enzyme_math"
"""What Enzyme goes by in the place of a function's name."""
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
    if base in libm.EXACT:
        known = editor.declared(f"llvm.{base}.{'f64' if base == name else 'f32'}", editor.called_type(call))
    else:
        known = _standing_for(editor, callee, name)
    editor.call_another(call, known)


def _standing_for(editor: Editor, function: Value, name: str) -> Value:
    known = editor.declared(f"{STANDS_FOR}{editor.module.name(function)}", editor.function_type(function))
    for attribute in _ATTRIBUTES:
        editor.add_attribute(known, attribute)
    editor.add_text_attribute(known, _MATHEMATICAL, name)
    return known
