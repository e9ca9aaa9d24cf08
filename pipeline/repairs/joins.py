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
        while found := next(misjudged(flow := ControlFlow(editor.module, function)), None):
            _part(editor, flow, *found)
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


def _part(editor: Editor, flow: ControlFlow, join: Value, pair: Sequence[Value]) -> None:
    api = editor.api
    made = int(api.AppendBasicBlockInContext(editor.module.context, api.GetBasicBlockParent(join), b""))
    with editor.module.builder() as builder:
        api.PositionBuilderAtEnd(builder, made)
        end = int(api.BuildBr(builder, join))
    for phi in [one for one in editor.module.instructions_of(join) if api.IsAPHINode(one)]:
        incoming = list(zip(editor.chosen(phi), editor.incoming_blocks(phi), strict=True))
        of_pair = _phi(editor, end, phi, [one for one in incoming if one[1] in pair])
        editor.replace(phi, _phi(editor, phi, phi, [*(one for one in incoming if one[1] not in pair), (of_pair, made)]))
    opaque.stay(editor, end)
    for block in pair:
        flow.lead(flow.ends[block], join, made)


def _phi(editor: Editor, place: Value, like: Value, incoming: Sequence[tuple[Value, Value]]) -> Value:
    with editor.module.before(place) as builder:
        phi = int(editor.api.BuildPhi(builder, editor.api.TypeOf(like), b""))
    values, blocks = zip(*incoming, strict=True)
    editor.add_values(phi, values, blocks)
    return phi
