"""Cycles that are entered at several blocks become loops: of any other cycle Enzyme sees none, and takes it to run once.

LLVM makes them where it leads a branch that is known beforehand past a loop's header, as it does with the iterators that
`chain` and `flat_map` make.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def unite(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give each such cycle of all that the shims reach one header; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        before = ControlFlow(editor.module, function)
        if not before.entered_amid():
            continue
        editor.run_passes("lower-switch,fix-irreducible", function)
        _hide_ways(editor, ControlFlow(editor.module, function), set(before.ends))
        done.append(f"entries: {editor.module.name(function)}")
    return done


def _hide_ways(editor: Editor, flow: ControlFlow, old: set[Value]) -> None:
    """Hide where a new header leads by which way it was entered: LLVM would lead these past it again."""
    for branch in flow.choices():
        way = flow.condition(branch)
        if editor.api.GetInstructionParent(branch) not in old and editor.api.IsAPHINode(way):
            flow.decide(branch, opaque.same(editor, way, branch))
