"""A `switch` that leads to a block by several of its cases, or will, is made branches, where a float is chosen there.

Enzyme goes through the ways into a block and adds for each: what comes twice from the same block would count twice.  That
it does may be Enzyme's own doing: it takes out loops that have no effect (of `tanh`, which LLVM alone would keep).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def lower(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Make branches of the switches of such functions; a line for each."""
    done = []
    for function in call_tree(editor, shims):
        if editor.phis_of_one_block_twice(function):
            editor.run_passes("lower-switch", function)
            done.append(f"switches: {editor.module.name(function)}")
    return done
