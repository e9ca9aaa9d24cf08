"""The sign of a float that is taken, turned or set among its bits (`f64::from_bits(x.to_bits() & !(1 << 63))`) is a float's.

LLVM sees that by itself, but where the bits are read from memory as an integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_char_p, c_void_p

from pipeline.analyses.debug_info import paths_around
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_SIGNATURES = {"BuildFNeg": (c_void_p, [c_void_p, c_void_p, c_char_p])}
_AND, _OR, _XOR = 23, 24, 25
_WIDTHS = (32, 64)
_FABS = ["libm", "math", "generic", "fabs"]


def of_floats(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Compute with the float; a line for each function in which that was so."""

    def find(function: Value) -> list[Value]:
        return [
            one for one in editor.module.instructions(function) if _is_about_sign(editor, one) and _is_of_float(editor, one)
        ]

    return mend_each(editor, shims, "signs: {}", find, _compute)


def _is_about_sign(editor: Editor, bits: Value) -> bool:
    """Whether the highest bit of a word as wide as a float is taken off, set, or turned."""
    if editor.opcode(bits) not in (_AND, _OR, _XOR) or editor.integer_bits(editor.api.TypeOf(bits)) not in _WIDTHS:
        return False
    _, mask = editor.operands(bits)
    sign = 1 << editor.integer_bits(editor.api.TypeOf(bits)) - 1
    return editor.number(mask) == (sign - 1 if editor.opcode(bits) == _AND else -sign)


def _is_of_float(editor: Editor, bits: Value) -> bool:
    """Whether a float is made of a word, or it is the magnitude that `libm` has."""
    is_made = any(map(editor.is_cast_to_float, editor.module.users(bits)))
    return is_made or any(where[: len(_FABS)] == _FABS for where in paths_around(editor.module, bits))


def _compute(editor: Editor, bits: Value) -> None:
    editor.api.load(_SIGNATURES)
    ty, (word, _) = editor.api.TypeOf(bits), editor.operands(bits)
    of_float = editor.float_type(editor.integer_bits(ty))
    with editor.module.before(bits) as builder:
        made = int(editor.api.BuildBitCast(builder, word, of_float, b""))
        if editor.opcode(bits) != _XOR:
            made = _magnitude(editor, builder, made, of_float)
        if editor.opcode(bits) != _AND:
            made = int(editor.api.BuildFNeg(builder, made, b""))
        editor.replace(bits, int(editor.api.BuildBitCast(builder, made, ty, b"")))


def _magnitude(editor: Editor, builder: Value, value: Value, ty: Value) -> Value:
    name = f"llvm.fabs.f{8 * editor.size_of(ty)}"
    function = editor.c_function(name, ty, [ty])
    return editor.call(builder, editor.function_type(function), function, [value])
