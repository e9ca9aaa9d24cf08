"""Loops take the shape in which Enzyme counts their iterations rightly; elsewhere reverse mode is wrong without a word.

It keeps how often an inner loop ran only at those of its exits from which the function can return without entering it again
(`getContext` in its CacheUtility.cpp).  And of some exits it believes too much: loop_exits.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.loop_exits import coming_back, doubtful, least_end, miscounted, ordered, runs_alike
from pipeline.analyses.twins import conditions, fixed, twins
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def shape(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Shape the loops of all that the shims reach; a line for each function where one changed."""
    done = []
    for function in call_tree(editor, shims):
        changes = {"merged": 0, "given an exit": 0, "given a least end": 0, "counted": 0}
        while _merge_one(editor, function):
            changes["merged"] += 1
        if changes["merged"]:  # what goes on alike by either edge back is no choice to Enzyme's passes, and is none here
            editor.run_passes("instsimplify", function)
        _give_entries(editor, function)
        while _give_exit(editor, function):
            changes["given an exit"] += 1
        changes["given a least end"] = _give_least_ends(editor, ControlFlow(editor.module, function))
        changes["counted"] = _count(editor, function)
        said = ", ".join(f"{number} {change}" for change, number in changes.items() if number)
        if said:
            done.append(f"loops: {said} in {editor.module.name(function)}")
    return done


def tell_apart(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give loops that read the same memory ends of their own: of two that run as often Enzyme takes one for the other."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        found = list(twins(editor, flow))
        for number, loop in enumerate(found):
            _give_end(editor, flow, loop, number)
        done += [f"loops: {len(found)} told apart in {editor.module.name(function)}"] if found else []
    return done


def _merge_one(editor: Editor, function: Value) -> bool:
    """Make one loop of a loop and the one around it where `continue` alone is what parts them.

    That is no loop that runs as often each time: Enzyme counts that, and elsewhere all that it goes by would be kept.
    """
    flow = ControlFlow(editor.module, function)
    loops = {loop.header: loop for loop in flow.loops()}
    for outer in loops.values():
        inner = loops.get(_only(flow.successors(flow.ends[outer.header])))
        if inner and inner != outer and _is_empty(editor, flow, outer.header) and inner.blocks < outer.blocks:
            if runs_alike(editor, flow, outer, inner):
                continue
            before = [block for block in flow.predecessors[inner.header] if block not in inner.blocks]
            if before == [outer.header] and not set(inner.latches) & set(outer.latches):
                _Merge(editor, flow, outer, inner).make()
                return True
    return False


def _only(blocks: list[Value]) -> Value:
    return blocks[0] if len(blocks) == 1 else 0


def _is_empty(editor: Editor, flow: ControlFlow, block: Value) -> bool:
    """Whether a block holds nothing but phis and its end."""
    return all(editor.api.IsAPHINode(i) or i == flow.ends[block] for i in editor.module.instructions_of(block))


def _give_entries(editor: Editor, function: Value) -> None:
    """Have each loop that wants an exit be entered from a block that leads nowhere else."""
    flow = ControlFlow(editor.module, function)
    if any(not _entry(flow, loop) for loop in flow.loops() if coming_back(editor, flow, loop)):
        editor.run_passes("loop-simplify", function)


def _entry(flow: ControlFlow, loop: Loop) -> Value:
    """The block from which alone a loop is entered, if that leads nowhere else; 0 else."""
    before = _only([block for block in flow.predecessors[loop.header] if block not in loop.blocks])
    return before if before and len(flow.successors(flow.ends[before])) == 1 else 0


def _give_exit(editor: Editor, function: Value) -> bool:
    """Let the function return, for all that Enzyme knows, before it enters an inner loop that is else the only way out."""
    flow = ControlFlow(editor.module, function)
    for loop in flow.loops():
        if coming_back(editor, flow, loop) and (before := _entry(flow, loop)):
            _return_never(editor, function, before, _runs(editor, flow, before))
            return True
    return False


def _runs(editor: Editor, flow: ControlFlow, block: Value) -> Value:
    """How often the innermost loop around a block has run; nothing where there is none."""
    around = next((loop for loop in flow.loops() if block in loop.blocks), None)
    if not around:
        return editor.module.int64(0)
    runs = editor.phi(next(editor.module.instructions_of(around.header)), editor.integer(64))
    first = next(i for i in editor.module.instructions_of(around.header) if not editor.api.IsAPHINode(i))
    with editor.module.before(first) as builder:
        more = int(editor.api.BuildAdd(builder, runs, editor.module.int64(1), b""))
    before = flow.predecessors[around.header]
    editor.add_values(runs, [more if one in around.blocks else editor.module.int64(0) for one in before], before)
    return runs


def _return_never(editor: Editor, function: Value, block: Value, runs: Value) -> None:
    """Return at the end of a block on a condition that never holds, which nobody sees before opt2.

    Of one that is the same in all runs Enzyme's own passes make a single one, asked before the loop around (`loop-rotate`,
    then `gvn`).
    """
    api = editor.api
    result = editor.return_type(editor.function_type(function))
    with editor.block(function) as builder:
        out = api.GetInsertBlock(builder)
        api.BuildRetVoid(builder) if result == editor.void_type() else api.BuildRet(builder, api.GetPoison(result))
    end = api.GetBasicBlockTerminator(block)
    never = opaque.apart(editor, api.ConstInt(editor.integer(1), 0, 0), runs, end)
    with editor.module.before(end) as builder:
        api.BuildCondBr(builder, never, out, api.GetSuccessor(end, 0))
    api.InstructionEraseFromParent(end)


def _give_least_ends(editor: Editor, flow: ControlFlow) -> int:
    """Let what ends at `++i < end` end at 1 where it ends at 0: that is met, and such a loop is counted before it runs."""
    found = [(loop, branch) for loop in flow.loops() for branch in ordered(editor, flow, loop)]
    given = 0
    for loop, branch in found:
        before = [block for block in flow.predecessors[loop.header] if block not in loop.blocks]
        if len(before) == 1 and (least := least_end(editor, flow, loop, branch)):
            comparison, number = least
            end = opaque.positive(editor, editor.operands(comparison)[number], flow.ends[before[0]])
            editor.api.SetOperand(comparison, number, end)
            given += 1
    return given


def _count(editor: Editor, function: Value) -> int:
    """Hide the conditions of which Enzyme believes too much: it counts these loops as they run."""
    flow = ControlFlow(editor.module, function)
    branches = list(dict.fromkeys(branch for loop in flow.loops() for branch in _believed(editor, flow, loop)))
    for branch in branches:
        flow.decide(branch, opaque.same(editor, flow.condition(branch), branch))
    return len(branches)


def _believed(editor: Editor, flow: ControlFlow, loop: Loop) -> list[Value]:
    return [branch for find in (doubtful, miscounted, ordered) for branch in find(editor, flow, loop)]


def _give_end(editor: Editor, flow: ControlFlow, loop: Loop, which: int) -> None:
    """Hide the first of a loop's ends where the loop is entered; or all that it goes by, where that would not do."""
    asked = conditions(editor, flow, loop)
    before = [block for block in flow.predecessors[loop.header] if block not in loop.blocks]
    ends = [(one, number) for _, one in asked for number in fixed(editor, loop, one)]
    if ends and len(before) == 1:
        comparison, number = ends[0]
        end, place = editor.operands(comparison)[number], flow.ends[before[0]]
        editor.api.SetOperand(comparison, number, _of_its_own(editor, end, which, place))
        if not _believed(editor, flow, loop):
            return
        editor.api.SetOperand(comparison, number, end)
    for branch in dict.fromkeys(branch for branch, _ in asked):
        flow.decide(branch, opaque.same(editor, flow.condition(branch), branch))


def _of_its_own(editor: Editor, end: Value, which: int, place: Value) -> Value:
    """An end, of which nobody knows before opt2 that it is another's, too; a pointer stays within its memory."""
    if editor.integer_bits(editor.api.TypeOf(end)):
        return opaque.apart(editor, end, editor.module.int64(which), place)
    nothing = opaque.apart(editor, editor.module.int64(0), editor.module.int64(which), place)
    with editor.module.before(place) as builder:
        return editor.element(builder, end, nothing, 1)


class _Merge:
    """Two loops being merged: all edges back to either header go through one new block to the inner one."""

    def __init__(self, editor: Editor, flow: ControlFlow, outer: Loop, inner: Loop) -> None:
        self.editor = editor
        self.api = editor.api
        self.flow = flow
        self.outer = outer
        self.inner = inner
        self.outer_phis, self.inner_phis = (list(self._phis(loop.header)) for loop in (outer, inner))
        self.edges = [
            (loop, block) for loop in (outer, inner) for block in flow.predecessors[loop.header] if block in loop.latches
        ]
        """The edges back: to which loop's header, and from where."""
        self.entries = [block for block in flow.predecessors[outer.header] if block not in outer.latches]

    def make(self) -> None:
        """Write the block and the phis, and take the old ones out."""
        with self.editor.block(self.api.GetBasicBlockParent(self.inner.header)) as builder:
            latch, end = int(self.api.GetInsertBlock(builder)), int(self.api.BuildBr(builder, self.inner.header))
        entering = {phi: self._entering(phi) for phi in self.outer_phis}
        first = next(self.editor.module.instructions_of(self.inner.header))
        types = {phi: self.api.TypeOf(phi) for phi in self.outer_phis + self.inner_phis}
        staying, again = ({phi: self.editor.phi(place, ty) for phi, ty in types.items()} for place in (first, end))
        for phi, made in staying.items():
            begins = entering.get(phi) or self._translated(phi, entering)
            self.editor.add_values(made, [begins, again[phi]], [self.outer.header, latch])
        for phi, made in again.items():
            values = [self._going_back(phi, loop, block, staying) for loop, block in self.edges]
            self.editor.add_values(made, values, [block for _, block in self.edges])
        for loop, block in self.edges:
            self.flow.lead(self.flow.ends[block], loop.header, latch)
        for phi, made in staying.items():
            self.editor.replace(phi, made)

    def _phis(self, block: Value) -> Iterator[Value]:
        return (i for i in self.editor.module.instructions_of(block) if self.api.IsAPHINode(i))

    def _entering(self, phi: Value) -> Value:
        """What a phi of the outer loop is when that begins."""
        values = [self.editor.incoming_from(phi, block) for block in self.entries]
        if len(values) == 1:
            return values[0]
        return self.editor.phi(phi, self.api.TypeOf(phi), list(zip(values, self.entries, strict=True)))

    def _translated(self, phi: Value, entering: dict[Value, Value]) -> Value:
        """What a phi of the inner loop is when the outer one begins."""
        value = self.editor.incoming_from(phi, self.outer.header)
        return entering.get(value, value)

    def _going_back(self, phi: Value, loop: Loop, block: Value, staying: dict[Value, Value]) -> Value:
        """What a phi becomes by an edge back from a block, be it by way of the outer loop's header."""
        if phi in self.outer_phis:
            return self.editor.incoming_from(phi, block) if loop is self.outer else staying[phi]
        if loop is self.inner:
            return self.editor.incoming_from(phi, block)
        value = self.editor.incoming_from(phi, self.outer.header)
        return self.editor.incoming_from(value, block) if value in self.outer_phis else value
