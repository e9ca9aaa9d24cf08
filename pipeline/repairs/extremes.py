"""The larger and the smaller of two floats, by intrinsics that Enzyme differentiates.

`f64::max` is `llvm.maximumnum`, of which Enzyme knows nothing; `llvm.maxnum` differs only for signalling NaN, which Rust
leaves open.  The derivative is that of the number that is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_UNKNOWN = re.compile(r"llvm\.(max|min)imumnum\.(.*)")


def by_older_intrinsics(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Call what Enzyme knows; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = [(call, name) for call in calls(editor, function) if (name := _known(editor, editor.module.callee(call)))]
        for call, name in found:
            _call(editor, call, name)
        if found:
            done.append(f"extremes: {len(found)} in {editor.module.name(function)}")
    return done


def _known(editor: Editor, callee: Value) -> str:
    unknown = _UNKNOWN.fullmatch(editor.module.name(callee)) if editor.module.is_function(callee) else None
    return f"llvm.{unknown[1]}num.{unknown[2]}" if unknown else ""


def _call(editor: Editor, call: Value, name: str) -> None:
    """Let a call be of the intrinsic of that name."""
    named = editor.module.named([name])
    ty = editor.function_type(editor.module.callee(call))
    known = named[0] if named else int(editor.api.AddFunction(editor.module.handle, name.encode(), ty))
    editor.api.SetOperand(call, editor.api.GetNumOperands(call) - 1, known)
