"""Where three ways come together, two of them do before that: of each two Enzyme keeps which it was (analyses/joins.py)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.joins import misjudged
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def part(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Part such joins in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        parted = 0
        if _is_joined_twice(editor, ControlFlow(editor.module, function)):
            editor.run_passes("simplifycfg", function)
        while _part_one(editor, ControlFlow(editor.module, function)):
            parted += 1
        done += [f"joins: {parted} parted in {editor.module.name(function)}"] if parted else []
    return done


def _is_joined_twice(editor: Editor, flow: ControlFlow) -> bool:
    """Whether a block does nothing but join ways that another block joins with more: Enzyme makes one join of both."""
    return any(
        len(its) > 1 and len(after := flow.successors(flow.ends[block])) == 1 and len(flow.predecessors[after[0]]) > 1
        for block, its in flow.predecessors.items()
        if all(editor.api.IsAPHINode(one) or one == flow.ends[block] for one in editor.module.instructions_of(block))
    )


def _part_one(editor: Editor, flow: ControlFlow) -> bool:
    found = next(misjudged(editor, flow, flow.loops()), None)
    if found:
        _part(editor, flow, *found)
    return bool(found)


def _part(editor: Editor, flow: ControlFlow, join: Value, pair: Sequence[Value]) -> None:
    api = editor.api
    with editor.block(api.GetBasicBlockParent(join)) as builder:
        made, end = int(api.GetInsertBlock(builder)), int(api.BuildBr(builder, join))
    for phi in [one for one in editor.module.instructions_of(join) if api.IsAPHINode(one)]:
        incoming = list(zip(editor.chosen(phi), editor.incoming_blocks(phi), strict=True))
        of_pair = editor.phi(end, api.TypeOf(phi), [one for one in incoming if one[1] in pair])
        others = [one for one in incoming if one[1] not in pair]
        editor.replace(phi, editor.phi(phi, api.TypeOf(phi), [*others, (of_pair, made)]))
    opaque.stay(editor, end)
    for block in pair:
        flow.lead(flow.ends[block], join, made)
