"""Constants that may be floats, and are stored as integers, stay out of the tangents.

`Some([1.25])` is stored as one `i64`, tag and all.  Where Enzyme does not find out that there is a float in it, forward mode
stores the same integer to the shadow: the constant becomes its own tangent.  So what may be a float is stored as zero first,
to both, and then as it is where Enzyme does not see it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_PART = 32
"""Bits of the parts in which a word is looked at: a `f64` is more than next to nothing if its upper part is, as a `f32`."""

_WIDTHS = {_PART, 2 * _PART}


def keep_out(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Store such constants apart, in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        stores = [i for i in editor.module.instructions(function) if _stores_float(editor, i)]
        numbers = _Numbers(editor)
        for store in stores:
            numbers.store(store)
        if stores:
            done.append(f"constants: {len(stores)} in {editor.module.name(function)}")
    return done


def _stores_float(editor: Editor, instruction: Value) -> bool:
    """Whether one of some constants is stored, and there may be a float in one of them."""
    if not editor.is_plain_store(instruction) or editor.integer_bits(editor.accessed_type(instruction)) not in _WIDTHS:
        return False
    sources = editor.sources(editor.operands(instruction)[0])
    parts = [part for source in sources if editor.is_simple_constant(source) for part in _parts(editor, source)]
    return all(map(editor.is_simple_constant, sources)) and any(map(editor.could_be_float, parts))


def _parts(editor: Editor, constant: Value) -> list[Value]:
    """The parts of a constant, the lowest first."""
    return editor.constant_parts(constant, _PART, editor.integer(_PART))


class _Numbers:
    """The parts of stored constants that are no floats; zero for those that may be."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.api = editor.api
        self.made: dict[tuple[Value, int], Value] = {}

    def store(self, store: Value) -> None:
        """Store them, and then everything where Enzyme does not see it."""
        value, pointer = self.editor.operands(store)
        for part in range(self.editor.integer_bits(self.api.TypeOf(value)) // _PART):
            number = self._part(value, part)
            with self.editor.module.before(store) as builder:
                made = self.api.BuildStore(builder, number, self.editor.address(builder, pointer, part * _PART // 8))
                self.api.SetAlignment(made, min(self.api.GetAlignment(store), _PART // 8))
        opaque.store(self.editor, store)

    def _part(self, value: Value, part: int) -> Value:
        if (value, part) not in self.made:
            self.made[value, part] = self._make(value, part)
        return self.made[value, part]

    def _make(self, value: Value, part: int) -> Value:
        if not self.editor.is_choice(value):
            number = _parts(self.editor, value)[part]
            return self.api.ConstNull(self.api.TypeOf(number)) if self.editor.could_be_float(number) else number
        chosen = self.editor.chosen(value)
        with self.editor.module.before(value) as builder:
            if self.api.IsASelectInst(value):
                one, other = (self._part(source, part) for source in chosen)
                return int(self.api.BuildSelect(builder, self.api.GetOperand(value, 0), one, other, b""))
            made = int(self.api.BuildPhi(builder, self.editor.integer(_PART), b""))
        self.made[value, part] = made
        self.editor.add_incoming(made, [self._part(source, part) for source in chosen], value)
        return made
