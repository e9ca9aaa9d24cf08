"""What a loop carries has a second use beside the one that Enzyme has a shortcut for: to stay as it is, which it never does.

Never is hidden until opt2, which takes the choice out again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.loop_choices import Carried, shortcuts
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def use_twice(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give what the loops of all that the shims reach carry so a second use; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        if found := [carried for loop in flow.loops() for carried in shortcuts(editor, loop)]:
            never = opaque.same(editor, editor.api.ConstInt(editor.integer(1), 0, 0), next(iter(flow.ends.values())))
            for carried in found:
                _stay(editor, carried, never)
            done.append(f"carried: {len(found)} in {editor.module.name(function)}")
    return done


def _stay(editor: Editor, carried: Carried, never: Value) -> None:
    """Let the phi have its own value again, rather than the next one, if that ever was wanted."""
    phi, following = carried
    with editor.module.after(following) as builder:
        chosen = editor.api.BuildSelect(builder, never, phi, following, b"")
    for index, value in enumerate(editor.chosen(phi)):
        if value == following:
            editor.api.SetOperand(phi, index, chosen)
