"""What asks for a derivative and is differentiated itself is inlined into the shim: Enzyme looks for such calls there alone.

It differentiates what a shim asks for before the shim; in what that calls, it takes the call for one like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls, recursive
from pipeline.analyses.graphs import reachable, reversed_graph
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import inline_calls


def inline(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline whatever lies between a shim and a call of Enzyme's, but for what calls itself; a line for each function."""
    tree = call_tree(editor, shims)
    asking = [f for f in tree if any(editor.is_enzymes(editor.module.callee(call)) for call in calls(editor, f))]
    between = reachable(reversed_graph(tree), asking) - recursive(tree) - set(shims)
    return [f"nested: {name}" for name in sorted(inline_calls(editor, tree, between))]
