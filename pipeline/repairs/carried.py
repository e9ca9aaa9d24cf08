"""What a loop carries in a way that Enzyme has a shortcut for may stay as it is, for all that Enzyme knows.

Never is hidden until opt2, which takes the choice out again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.loop_choices import Carried, decided_by_themselves, shortcuts
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def use_twice(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give what the loops of all that the shims reach carry so a second use; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        if found := [carried for loop in flow.loops() for carried in _found(editor, flow, loop)]:
            never = opaque.same(editor, editor.api.ConstInt(editor.integer(1), 0, 0), next(iter(flow.ends.values())))
            for carried in found:
                _stay(editor, carried, never)
            done.append(f"carried: {len(found)} in {editor.module.name(function)}")
    return done


def _found(editor: Editor, flow: ControlFlow, loop: Loop) -> list[Carried]:
    return list(dict.fromkeys([*shortcuts(editor, loop), *decided_by_themselves(editor, flow, loop)]))


def _stay(editor: Editor, carried: Carried, never: Value) -> None:
    """Let the phi have its own value again, rather than the next one, if that ever was wanted."""
    phi, following = carried
    for index, (value, block) in enumerate(zip(editor.chosen(phi), editor.incoming_blocks(phi), strict=True)):
        if value == following:
            with editor.module.before(editor.api.GetBasicBlockTerminator(block)) as builder:
                editor.api.SetOperand(phi, index, editor.api.BuildSelect(builder, never, phi, following, b""))
