"""What reverse mode would ask of a loop outside of it, in no known run, is kept where it is made.

That is what it computes again from how often an inner loop ran, outside of the loop around it
(`analyses/asked_outside.py`), and what the ends of later loops are made of (`analyses/limits.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.analyses.asked_outside import asked, asked_outside, begun_anew, chosen_pointers, used_outside
from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.limits import chosen_before, computed
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep such conditions and values of all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        loops = flow.loops()
        outside = used_outside(editor, loops)
        pointers = {value: users for value, users in outside.items() if editor.api.TypeOf(value) == editor.pointer_type()}
        numbers = {value: users for value, users in outside.items() if value not in pointers}
        count = _keep_conditions(editor, flow, loops) + _keep_values(editor, numbers) + _keep_pointers(editor, pointers)
        count += _keep_values(editor, chosen_before(editor, flow, loops))
        count += sum(_keep_after(editor, flow, loop, used) for loop, used in chosen_pointers(editor, flow, loops))
        count += _keep_values(editor, {phi: editor.module.users(phi) for phi in begun_anew(editor, loops)})
        if function not in shims:
            count += _keep(editor, computed(editor, flow, loops))  # which are counted: no float's bits
        done += [f"asked_outside: {count} in {editor.module.name(function)}"] if count else []
    return done


def _keep_conditions(editor: Editor, flow: ControlFlow, loops: Sequence[Loop]) -> int:
    ends = list(asked_outside(editor, flow, loops))
    for end in ends:
        editor.api.SetOperand(end, 0, opaque.kept(editor, asked(editor, end), end))
    return len(ends)


def _keep_values(editor: Editor, found: Mapping[Value, Sequence[Value]]) -> int:
    used = {value: users for value, users in found.items() if opaque.can_keep(editor, value)}
    return _keep(editor, used)


def _keep(editor: Editor, used: Mapping[Value, Sequence[Value]], place: Value = 0) -> int:
    """Keep values where they are made, or before one instruction, and have those use them who did."""
    for value, users in used.items():
        made = opaque.kept(editor, value, place or editor.following(value)) if users else value
        for user in users:
            editor.give(user, value, made)
    return len(used)


def _keep_after(editor: Editor, flow: ControlFlow, loop: Loop, used: Mapping[Value, Sequence[Value]]) -> int:
    """Keep pointers where the loop is left, once for all who use them; where it is left to several places, as others are."""
    left = {after for block in flow.exiting(loop) for after in flow.successors(flow.ends[block])} - loop.blocks
    first = next(iter(left))
    if len(left) > 1 or not set(flow.predecessors[first]) <= loop.blocks:
        return _keep_pointers(editor, used)
    there = list(editor.module.instructions_of(first))
    phis = {one for one in there if editor.api.IsAPHINode(one)}
    handed_on = dict.fromkeys(user for users in used.values() for user in users if user in phis)
    plain = {value: [user for user in users if user not in phis] for value, users in used.items()}
    place = next(one for one in there if one not in phis)
    _keep(editor, {**plain, **{phi: editor.module.users(phi) for phi in handed_on}}, place)
    return len(used)


def _keep_pointers(editor: Editor, used: Mapping[Value, Sequence[Value]]) -> int:
    """Keep pointers where they are used: a shadow that is kept in the loop would be looked up for no known run, too."""
    uses = [(user, value) for value, users in used.items() for user in users]
    chosen = dict.fromkeys(user for user, _ in uses if editor.api.IsAPHINode(user))
    _keep(editor, {phi: editor.module.users(phi) for phi in chosen})
    for user, value in uses:
        if user not in chosen:
            editor.give(user, value, opaque.kept(editor, value, user))
    return len(used)
