"""What a function returns is kept on every path: before it returns, memory may be freed, for all that Enzyme knows.

Nothing is: opt2 takes the call out again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.results import at_risk
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Guard the results at risk in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        returns = at_risk(editor, function)
        for end in returns:
            opaque.free_nothing(editor, end)
        if returns:
            done.append(f"results: {len(returns)} in {editor.module.name(function)}")
    return done
