"""Integers that carry two floats are loaded and stored as two.

rustc moves `[f32; 2]` as one `i64`: `load i64`, then `trunc` and `lshr 32` take it apart, or `shl 32` and `or` put it
together before `store i64`.  Enzyme follows floats, not shifts.  Each half on its own, instcombine makes floats of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_SHL, _LSHR, _OR = 20, 21, 24  # LLVMOpcode
_HALF = 32


def split(editor: Editor, function: Value) -> bool:
    """Split the loads and stores of a function; True where there were some."""
    instructions = list(editor.module.instructions(function))
    loads = [i for i in instructions if editor.is_plain_load(i) and _is_double_word(editor, i)]
    stores = [i for i in instructions if editor.is_plain_store(i)]
    done = [_split_load(editor, load) for load in loads]
    done += [_split_store(editor, store) for store in stores]
    return any(done)


def _is_double_word(editor: Editor, value: Value) -> bool:
    return editor.integer_bits(editor.api.TypeOf(value)) == 2 * _HALF


def _split_load(editor: Editor, load: Value) -> bool:
    """Only where nobody wants the whole."""
    users = editor.module.users(load)
    low = [user for user in users if _is_half(editor, user)]
    shifts = [user for user in users if _is_shift(editor, user, _LSHR)]
    high = [half for shift in shifts for half in editor.module.users(shift)]
    if not users or len(low) + len(shifts) < len(users) or not all(_is_half(editor, half) for half in high):
        return False
    pointer, alignment = editor.api.GetOperand(load, 0), editor.api.GetAlignment(load)
    with editor.module.before(load) as builder:
        for halves, offset in ((low, 0), (high, _HALF // 8)):
            part = editor.api.BuildLoad2(builder, editor.integer(_HALF), editor.address(builder, pointer, offset), b"")
            editor.api.SetAlignment(part, min(alignment, _HALF // 8))
            for half in halves:
                editor.replace(half, part)
    for instruction in (*shifts, load):
        editor.api.InstructionEraseFromParent(instruction)
    return True


def _split_store(editor: Editor, store: Value) -> bool:
    """Where the value is put together of two halves."""
    halves = _halves(editor, editor.api.GetOperand(store, 0))
    if halves is None:
        return False
    pointer, alignment = editor.api.GetOperand(store, 1), editor.api.GetAlignment(store)
    with editor.module.before(store) as builder:
        for half, offset in ((halves.low, 0), (halves.high, _HALF // 8)):
            part = editor.api.BuildStore(builder, half, editor.address(builder, pointer, offset))
            editor.api.SetAlignment(part, min(alignment, _HALF // 8))
    editor.api.InstructionEraseFromParent(store)
    return True


@dataclass(frozen=True)
class _Halves:
    low: Value
    high: Value


def _halves(editor: Editor, value: Value) -> _Halves | None:
    """`or (shl (zext high), 32), (zext low)`, either way round."""
    if not editor.api.IsABinaryOperator(value) or editor.api.GetInstructionOpcode(value) != _OR:
        return None
    one, other = editor.api.GetOperand(value, 0), editor.api.GetOperand(value, 1)
    for shifted, plain in ((one, other), (other, one)):
        if _is_shift(editor, shifted, _SHL):
            low, high = _widened(editor, plain), _widened(editor, editor.api.GetOperand(shifted, 0))
            if low and high:
                return _Halves(low, high)
    return None


def _widened(editor: Editor, value: Value) -> Value | None:
    """What a `zext` from half the width widens."""
    if not editor.api.IsAZExtInst(value) or not _is_double_word(editor, value):
        return None
    narrow: Value = editor.api.GetOperand(value, 0)
    return narrow if editor.integer_bits(editor.api.TypeOf(narrow)) == _HALF else None


def _is_half(editor: Editor, value: Value) -> bool:
    return bool(editor.api.IsATruncInst(value)) and editor.integer_bits(editor.api.TypeOf(value)) == _HALF


def _is_shift(editor: Editor, value: Value, opcode: int) -> bool:
    api = editor.api
    if not api.IsABinaryOperator(value) or api.GetInstructionOpcode(value) != opcode or not _is_double_word(editor, value):
        return False
    by = api.GetOperand(value, 1)
    return bool(api.IsAConstantInt(by)) and int(api.ConstIntGetZExtValue(by)) == _HALF
