"""Where something may be computed and not wanted, an adjoint of zero is zero whatever it is multiplied with.

Enzyme is asked for that where it is asked for a derivative, and does so in all that this reaches.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.unwanted import STRONG_ZERO, asked_without, unwanted
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def let_zero_be_strong(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Ask for it with the adjoints of these shims that want it; a line for each."""
    done = []
    for shim in shims:
        calls = asked_without(editor, shim)
        if calls and any(unwanted(editor, function) for function in call_tree(editor, [shim])):
            for call in calls:
                _ask(editor, call)
            done.append(f"unwanted: {editor.module.name(shim)}")
    return done


def _ask(editor: Editor, call: Value) -> None:
    module = editor.module
    primal, *arguments = module.arguments(call)
    with module.before(call) as builder:
        name = module.name(module.callee(call))
        module.call_variadic(builder, name, [primal, module.external(STRONG_ZERO), *arguments])
    editor.api.InstructionEraseFromParent(call)
