"""What Enzyme was seen to ask of an inner loop outside of the loop around it is kept where it is made.

Else it is computed again from how often the inner loop ran in no known run of the other (`analyses/asked_outside.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pipeline.analyses.asked_outside import asked, asked_outside, used_outside
from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def keep_numbers(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep such conditions and integers of all that the shims reach; a line for each function."""
    return _keep(editor, shims, lambda value: editor.integer_bits(editor.api.TypeOf(value)) > 0)


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep floats and pointers, too."""
    return _keep(editor, shims, lambda _: True)


def _keep(editor: Editor, shims: Sequence[Value], is_wanted: Callable[[Value], bool]) -> list[str]:
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        used = {value: users for value, users in used_outside(editor, flow).items() if is_wanted(value)}
        count = _keep_conditions(editor, flow) + _keep_values(editor, used)
        done += [f"asked_outside: {count} in {editor.module.name(function)}"] if count else []
    return done


def _keep_conditions(editor: Editor, flow: ControlFlow) -> int:
    ends = list(asked_outside(editor, flow))
    for end in ends:
        editor.api.SetOperand(end, 0, opaque.kept(editor, asked(editor, end), end))
    return len(ends)


def _keep_values(editor: Editor, used: Mapping[Value, Sequence[Value]]) -> int:
    known = {value: users for value, users in used.items() if opaque.can_keep(editor, value)}
    for value, users in known.items():
        made = opaque.kept(editor, value, _after(editor, value))
        for user in users:
            for index, operand in enumerate(editor.operands(user)):
                if operand == value:
                    editor.api.SetOperand(user, index, made)
    return len(known)


def _after(editor: Editor, value: Value) -> Value:
    """The first instruction after a value that is no phi."""
    after = int(editor.api.GetNextInstruction(value))
    while editor.api.IsAPHINode(after):
        after = int(editor.api.GetNextInstruction(after))
    return after
