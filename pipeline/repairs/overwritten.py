"""What a loop reads, and a later run of it writes over, is kept for reverse mode: nobody knows where just it is read from.

Else reverse mode would read it again, when it is no longer there: analyses/overwritten.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.overwritten import overwritten
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_WHICH, _WHICH_CHOICE = -1, -2
"""They tell what is added here, and what is chosen by, from those of other repairs."""


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Add nothing to the address of each such load, of which nobody knows before opt2 that it is nothing; a line a function.

    Where alias analysis matches choices, it is the address, or that of memory which is written, too, for all that is known.
    """
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        found = list(overwritten(editor, flow))
        if found:
            entry = next(iter(flow.ends.values()))
            nothing = opaque.apart(editor, editor.module.int64(0), editor.module.int64(_WHICH), entry)
            always = _always(editor, entry) if any(one.memory for one in found) else 0
            for one in found:
                if one.memory:
                    _choose(editor, one.load, one.memory, always, nothing)
            for load in dict.fromkeys(one.load for one in found if one.memory is None):
                _move(editor, load, nothing)
            done.append(f"overwritten: {len({one.load for one in found})} in {editor.module.name(function)}")
    return done


def _always(editor: Editor, place: Value) -> Value:
    yes = editor.api.ConstInt(editor.integer(1), 1, 0)
    return opaque.apart(editor, yes, editor.module.int64(_WHICH_CHOICE), place)


def _choose(editor: Editor, load: Value, memory: Value, always: Value, nothing: Value) -> None:
    pointer = editor.operands(load)[0]
    with editor.module.before(load) as builder:
        somewhere = editor.element(builder, memory, nothing, editor.size_of(editor.accessed_type(load)))
        chosen = editor.api.BuildSelect(builder, always, pointer, somewhere, b"")
    editor.api.SetOperand(load, 0, chosen)


def _move(editor: Editor, load: Value, by: Value) -> None:
    pointer = editor.operands(load)[0]
    with editor.module.before(load) as builder:
        moved = editor.element(builder, pointer, by, editor.size_of(editor.accessed_type(load)))
    editor.api.SetOperand(load, 0, moved)
