"""Quotients, roots and the like that may not be chosen are computed of one then: their slope there is finite.

The result is the same, as it is not chosen.  LLVM would see that, so it is not shown on what the operand depends.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.steep import Steep, unchosen
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def make_finite(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Guard them one by one, as guarding one moves others; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        count = 0
        while found := unchosen(editor, function):
            _guard(editor, found[0])
            count += 1
        if count:
            done.append(f"steep: {count} in {editor.module.name(function)}")
    return done


def _guard(editor: Editor, steep: Steep) -> None:
    condition = opaque.same(editor, steep.condition, steep.choice)
    instruction = _moved_down(editor, steep)
    operand = editor.operands(instruction)[steep.operand]
    one = editor.api.ConstReal(editor.api.TypeOf(operand), 1.0)
    arms = (operand, one) if steep.if_true else (one, operand)
    with editor.module.before(instruction) as builder:
        editor.api.SetOperand(instruction, steep.operand, editor.api.BuildSelect(builder, condition, *arms, b""))


def _moved_down(editor: Editor, steep: Steep) -> Value:
    """The instruction, with all that is computed of it, after the condition: before the choice."""
    made = 0
    for number, value in enumerate(reversed(steep.chain)):
        with editor.module.before(steep.choice) as builder:
            copy = editor.copy(builder, value)
        editor.replace(value, copy)
        made = made if number else copy
    return made
