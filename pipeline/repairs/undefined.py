"""What a `None` holds is undefined: it begins as zero where a loop carries it, or is what is chosen otherwise.

Of the choices that a value goes through Enzyme leaves out what is undefined (`RemoveRedundantPHI` in its FunctionUtils.cpp):
where what is left is one value, it takes that for the choice, and forgets that it is of an earlier run.  And of a float that is
chosen from another and an undefined one it knows no type (`visitSelectInst` in its TypeAnalysis.cpp), nor where there is a tag
beside it, which is chosen and frozen with it (`SplitPHIs`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.loop_choices import undefined_at_first
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import STRUCT


def begin_as_zero(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give each such value of all that the shims reach a beginning; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(undefined_at_first(editor, ControlFlow(editor.module, function)))
        for phi in found:
            zero = editor.api.ConstNull(editor.api.TypeOf(phi))
            for index, value in enumerate(editor.chosen(phi)):
                if editor.is_undefined(value):
                    editor.api.SetOperand(phi, index, zero)
        done += [f"undefined: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


def choose_the_defined(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have what is undefined of one of two floats, or of two with floats, be that of the other; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        selects = [i for i in editor.module.returning_instructions(function) if editor.api.IsASelectInst(i)]
        count = sum(_complete(editor, select) for select in selects)
        done += [f"undefined: {count} in {editor.module.name(function)}"] if count else []
    return done


def freeze_members(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Freeze structs member by member; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = [i for i in editor.module.returning_instructions(function) if _freezes_struct(editor, i)]
        for freeze in found:
            _freeze_members(editor, freeze)
        done += [f"undefined: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


def _freezes_struct(editor: Editor, instruction: Value) -> bool:
    return bool(editor.api.IsAFreezeInst(instruction)) and editor.api.GetTypeKind(editor.api.TypeOf(instruction)) == STRUCT


def _freeze_members(editor: Editor, freeze: Value) -> None:
    (struct,) = editor.operands(freeze)
    ty = editor.api.TypeOf(struct)
    made = editor.api.GetPoison(ty)
    with editor.module.before(freeze) as builder:
        for index in range(len(editor.members(ty))):
            member = _frozen(editor, builder, editor.api.BuildExtractValue(builder, struct, index, b""))
            made = editor.api.BuildInsertValue(builder, made, member, index, b"")
    editor.replace(freeze, made)


def _complete(editor: Editor, select: Value) -> bool:
    """Take what is undefined of either from the other, frozen: it may be undefined, too, where it is not chosen."""
    one, other = editor.chosen(select)
    with editor.module.before(select) as builder:
        chosen = _completed(editor, builder, one, other), _completed(editor, builder, other, one)
    for index, value in enumerate(chosen, start=1):
        editor.api.SetOperand(select, index, value)
    return chosen != (one, other)


def _completed(editor: Editor, builder: Value, value: Value, other: Value) -> Value:
    """A float, or a constant with floats, what is undefined of it taken from the other; anything else as it is."""
    if editor.is_float(value):
        return _frozen(editor, builder, other) if editor.is_undefined(value) else value
    members = editor.operands(value) if editor.api.IsAConstantStruct(value) else []
    for index, member in enumerate(members):
        if editor.is_float(member) and editor.is_undefined(member):
            found = _frozen(editor, builder, editor.api.BuildExtractValue(builder, other, index, b""))
            value = editor.api.BuildInsertValue(builder, value, found, index, b"")
    return value


def _frozen(editor: Editor, builder: Value, value: Value) -> Value:
    return int(editor.api.BuildFreeze(builder, value, b""))
