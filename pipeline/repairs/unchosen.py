"""What is computed and may not be chosen is computed of one then: its slope there is a finite number.

The result is the same, as it is not chosen.  LLVM would see that, so it is not shown on what the operand depends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.unchosen import Needed, Unchosen, chosen_late, unchosen
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def compute_of_one(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Guard it in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        count = 0
        while late := chosen_late(editor, function):
            _choose_before(editor, *late)
        while groups := list(_apart(unchosen(editor, function))):
            for group in groups:
                _Guard(editor).guard(group)
            count += sum(bool(one.open) for group in groups for one in group)
        done += [f"unchosen: {count} in {editor.module.name(function)}"] if count else []
    return done


def _choose_before(editor: Editor, choice: Value, phi: Value) -> None:
    """Choose in each of the blocks that lead here."""

    def choose(builder: Value, value: Value) -> Value:
        operands = (value if one == phi else one for one in editor.operands(choice))
        return int(editor.api.BuildSelect(builder, *operands, b""))

    editor.replace(choice, editor.phi_beside(phi, choose))
    editor.api.InstructionEraseFromParent(phi)


def _apart(groups: Iterable[list[Unchosen]]) -> Iterator[list[Unchosen]]:
    """Groups none of which has what another one moves: the choices of one block are chosen from in another, too."""
    moved: set[Value] = set()
    for group in groups:
        if moved.isdisjoint(value for one in group for value in (one.value, one.place)):
            moved.update(one.value for one in group)
            yield group


class _Guard:
    """Of the choices of a block."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._conditions: dict[tuple[Needed, Value], Value] = {}
        self._guarded: dict[tuple[Value, Value], Value] = {}

    def guard(self, group: Sequence[Unchosen]) -> None:
        """Compute all of it before the first choice that wants it: after the conditions."""
        for one in group:
            with self._editor.module.before(one.place) as builder:
                copy = self._editor.copy(builder, one.value)
            for number in one.open:
                self._guard(copy, number, one)
            self._editor.api.ReplaceAllUsesWith(one.value, copy)
        for one in reversed(group):
            self._editor.api.InstructionEraseFromParent(one.value)

    def _guard(self, instruction: Value, number: int, one: Unchosen) -> None:
        editor = self._editor
        operand, condition = editor.operands(instruction)[number], self._condition(one, instruction)
        if (operand, condition) not in self._guarded:
            with editor.module.before(instruction) as builder:
                otherwise = editor.api.ConstReal(editor.api.TypeOf(operand), 1.0)
                made = int(editor.api.BuildSelect(builder, condition, operand, otherwise, b""))
            self._guarded[operand, condition] = made
        editor.api.SetOperand(instruction, number, self._guarded[operand, condition])

    def _condition(self, one: Unchosen, place: Value) -> Value:
        """Whether it is needed, which nobody knows before opt2."""
        wanted = (one.needed, one.place)
        if wanted not in self._conditions:
            api = self._editor.api
            with self._editor.module.before(place) as builder:
                ways = [
                    [condition if is_true else int(api.BuildNot(builder, condition, b"")) for condition, is_true in way]
                    for way in one.needed
                ]
                both = [reduce(lambda a, b: int(api.BuildAnd(builder, a, b, b"")), way) for way in ways]
                any_of = reduce(lambda a, b: int(api.BuildOr(builder, a, b, b"")), both)
            self._conditions[wanted] = opaque.needed(self._editor, any_of, place)
        return self._conditions[wanted]
