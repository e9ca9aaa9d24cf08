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


def say_cases(editor: Editor, function: Value) -> None:
    """Have a phi choose the number that a case is of, and not what the `switch` asks for, which LLVM puts in its place.

    Else nobody knows how often a loop runs that begins to count there.
    """
    if any(_chooses_what_is_asked(editor, phi) for phi in filter(editor.api.IsAPHINode, editor.module.instructions(function))):
        editor.run_passes("correlated-propagation", function)


def _chooses_what_is_asked(editor: Editor, phi: Value) -> bool:
    ends = (int(editor.api.GetBasicBlockTerminator(block)) for block in editor.incoming_blocks(phi))
    return any(
        editor.api.IsASwitchInst(end) and editor.operands(end)[0] == value
        for value, end in zip(editor.chosen(phi), ends, strict=True)
    )
