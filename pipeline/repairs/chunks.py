"""Loops over `chunks_exact(n)`, and `chunks(n)`, are counted before they run: how many chunks there are is a quotient.

They end when too little is left for a chunk, or nothing.  How often that goes Enzyme can tell only of a constant `n`: else it
would count such a loop as it runs, and all that is kept in it would grow and be copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.loop_exits import is_in
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

# LLVMIntPredicate
_EQUAL, _UNEQUAL, _MORE, _AT_LEAST, _LESS, _AT_MOST = 32, 33, 34, 35, 36, 37
_OPPOSITE = {_EQUAL: _UNEQUAL, _MORE: _AT_MOST, _AT_LEAST: _LESS}
_OPPOSITE |= {other: one for one, other in _OPPOSITE.items()}
_TURNED = {_MORE: _LESS, _AT_LEAST: _AT_MOST}
"""What is asked with the operands in the other order."""
_LESSER = "llvm.umin."


@dataclass(frozen=True)
class _Chunked:
    """A loop that takes a chunk from what is left, and ends where no more is left than that."""

    loop: Loop
    before: Value
    """The block from which it is entered."""
    branch: Value
    """Its only end: each run asks."""
    length: Value
    """How much is left when it begins."""
    chunk: Value
    """How much a chunk takes."""
    rounds_up: bool
    """Whether the last chunk may be shorter."""


def count(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Count such loops in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        found = [one for loop in flow.loops() for one in _chunked(editor, flow, loop)]
        for one in found:
            _end_by_count(editor, flow, one)
        if found:
            editor.run_passes("adce", function)
            done.append(f"chunks: {len(found)} counted in {editor.module.name(function)}")
    return done


def _chunked(editor: Editor, flow: ControlFlow, loop: Loop) -> Iterator[_Chunked]:
    before = [block for block in flow.predecessors[loop.header] if block not in loop.blocks]
    if len(before) != 1 or len(loop.latches) != 1 or flow.exiting(loop) != loop.latches:
        return
    branch = flow.ends[loop.latches[0]]
    if branch not in flow.choices() or not editor.api.IsAICmpInst(flow.condition(branch)):
        return
    predicate, asked, left = _goes_on(editor, flow, loop, branch)
    if length := _length(editor, loop, left):
        chunk = _chunk(editor, predicate, asked, left)
        if chunk and not is_in(editor, loop, chunk) and not editor.api.IsAConstantInt(chunk):
            yield _Chunked(loop, before[0], branch, length, chunk, rounds_up=predicate == _UNEQUAL)


def _goes_on(editor: Editor, flow: ControlFlow, loop: Loop, branch: Value) -> tuple[int, Value, Value]:
    """The comparison that is true where a loop goes on, and its operands: of two that are not equal the larger one last."""
    predicate = editor.api.GetICmpPredicate(flow.condition(branch))
    first, second = editor.operands(flow.condition(branch))
    if flow.successors(branch)[0] not in loop.blocks:
        predicate = _OPPOSITE.get(predicate, predicate)
    if predicate == _UNEQUAL:
        return predicate, second, first
    return (_TURNED[predicate], second, first) if predicate in _TURNED else (predicate, first, second)


def _length(editor: Editor, loop: Loop, left: Value) -> Value:
    """What a loop begins with, if each run leaves this much, by taking what is surely there; 0 else."""
    if not editor.is_difference(left) or editor.integer_bits(editor.api.TypeOf(left)) != 64:
        return 0
    was, taken = editor.operands(left)
    if not editor.api.IsAPHINode(was) or editor.api.GetInstructionParent(was) != loop.header:
        return 0
    if editor.incoming_from(was, loop.latches[0]) != left or not (editor.api.GetNUW(left) or _at_most(editor, taken, was)):
        return 0
    return next(v for v, block in zip(editor.chosen(was), editor.incoming_blocks(was), strict=True) if block not in loop.blocks)


def _chunk(editor: Editor, predicate: int, asked: Value, left: Value) -> Value:
    """How much a run takes, or takes where so much is there, if the loop goes on for as long as it can; 0 else."""
    was, taken = editor.operands(left)
    if predicate == _UNEQUAL:
        return _at_most(editor, taken, was) if editor.number(asked) == 0 else 0
    is_asked = predicate == _AT_MOST and asked == taken
    return taken if is_asked or (predicate == _LESS and _is_one_more(editor, taken, asked)) else 0


def _is_one_more(editor: Editor, number: Value, than: Value) -> bool:
    return editor.is_sum(number) and editor.operands(number)[0] == than and editor.number(editor.operands(number)[1]) == 1


def _at_most(editor: Editor, taken: Value, was: Value) -> Value:
    """What is taken from what was there if that is not more; 0 where it may be more."""
    arguments = editor.module.arguments(taken) if editor.is_call_of(taken, _LESSER) else []
    return next((one for one in arguments if one != was), 0) if was in arguments else 0


def _end_by_count(editor: Editor, flow: ControlFlow, one: _Chunked) -> None:
    runs = _runs(editor, flow, one)
    counted = editor.phi(next(editor.module.instructions_of(one.loop.header)), editor.integer(64))
    leaves_first = flow.successors(one.branch)[0] not in one.loop.blocks
    with editor.module.before(one.branch) as builder:
        more = int(editor.api.BuildNUWAdd(builder, counted, editor.module.int64(1), b""))
        ends = int(editor.api.BuildICmp(builder, _EQUAL if leaves_first else _UNEQUAL, more, runs, b""))
    editor.add_values(counted, [editor.module.int64(0), more], [one.before, one.loop.latches[0]])
    flow.decide(one.branch, ends)


def _runs(editor: Editor, flow: ControlFlow, one: _Chunked) -> Value:
    """How many chunks there are, before the loop: at least one, or it would not be entered; of a length of 0 no number."""
    api, zero, unit = editor.api, editor.module.int64(0), editor.module.int64(1)
    with editor.module.before(flow.ends[one.before]) as builder:
        endless = api.BuildICmp(builder, _EQUAL, one.chunk, zero, b"")
        chunk = api.BuildSelect(builder, endless, unit, one.chunk, b"")
        if one.rounds_up:
            begun = api.BuildSub(builder, one.length, unit, b"")
            runs = api.BuildAdd(builder, api.BuildUDiv(builder, begun, chunk, b""), unit, b"")
            is_none = api.BuildICmp(builder, _EQUAL, one.length, zero, b"")
            runs = api.BuildSelect(builder, is_none, unit, runs, b"")
        else:
            runs = api.BuildUDiv(builder, one.length, chunk, b"")
        return int(api.BuildSelect(builder, endless, zero, runs, b""))
