"""Integers that carry two values are taken apart into their halves.

rustc moves `[f32; 2]` as one `i64`: `trunc` and `lshr 32` take it apart, `shl 32` and `or` put it together.  Enzyme
follows floats, not shifts.  Here each such word becomes its two halves, from where they come to where they go, and of these
instcombine makes floats again.
"""

from __future__ import annotations

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_SHL, _LSHR, _OR = 20, 21, 24  # LLVMOpcode
_WIDTHS = (128, 64, 32)  # the last holds two `f16`


def split(editor: Editor, function: Value) -> bool:
    """Take the words of a function apart; True where there were some."""
    widths = _WIDTHS if "f16" in editor.float_types(function) else _WIDTHS[:2]
    done = [_Words(editor, function, bits).take_apart() for bits in widths]
    return any(done)


class _Words:
    """The words of one width in a function, and the halves of those that were taken apart."""

    def __init__(self, editor: Editor, function: Value, bits: int) -> None:
        self.editor = editor
        self.function = function
        self.api = editor.api
        self.bits = bits
        self.half = bits // 2
        self.ty = editor.integer(self.half)
        self.made: dict[Value, tuple[Value, Value]] = {}

    def take_apart(self) -> bool:
        """Give what wants a half, and the memory that a word of halves is stored to, those halves."""
        instructions = list(self.editor.module.instructions(self.function))
        wanting = [i for i in instructions if self._wants_a_half(i)]
        storing = [i for i in instructions if self._stores_halves(i)]
        for cut in wanting:
            self._replace_cut(cut)
        for store in storing:
            self._replace_store(store)
        return bool(wanting or storing)

    # ---- which they are

    def _wants_a_half(self, instruction: Value) -> bool:
        if not self.api.IsATruncInst(instruction) or self.editor.integer_bits(self.api.TypeOf(instruction)) > self.half:
            return False
        word = self.api.GetOperand(instruction, 0)
        return self._is_word(word) and self._is_made_or_loaded(word)

    def _stores_halves(self, instruction: Value) -> bool:
        """Whether a word is stored that was put together, be it in one of several branches."""
        if not self.editor.is_plain_store(instruction):
            return False
        known: set[Value] = set()
        waiting = [self.api.GetOperand(instruction, 0)]
        while waiting:
            word = waiting.pop()
            if word in known or not self._is_word(word):
                continue
            known.add(word)
            if self.editor.opcode(word) == _OR or self._shift(word):
                return True
            waiting += self.editor.chosen(word) if self.editor.is_choice(word) else []
        return False

    def _is_word(self, value: Value) -> bool:
        return self.editor.integer_bits(self.api.TypeOf(value)) == self.bits

    def _is_made_or_loaded(self, word: Value) -> bool:
        is_known = self.editor.is_plain_load(word) or self.editor.is_choice(word) or self.api.IsAZExtInst(word)
        return bool(is_known) or self.editor.opcode(word) == _OR or bool(self._shift(word))

    def _shift(self, word: Value) -> int:
        """By how many bits a word is shifted, if by half or more: upwards positive, downwards negative."""
        opcode = self.editor.opcode(word)
        by = self.api.GetOperand(word, 1) if opcode in {_SHL, _LSHR} else 0
        bits = int(self.api.ConstIntGetZExtValue(by)) if by and self.api.IsAConstantInt(by) else 0
        return 0 if bits < self.half else bits if opcode == _SHL else -bits

    # ---- taking apart

    def _replace_cut(self, cut: Value) -> None:
        low, _ = self._halves(self.api.GetOperand(cut, 0))
        wanted = self.api.TypeOf(cut)
        if wanted != self.ty:
            with self.editor.module.before(cut) as builder:
                low = self.api.BuildTrunc(builder, low, wanted, b"")
        self.editor.replace(cut, low)

    def _replace_store(self, store: Value) -> None:
        pointer, alignment = self.api.GetOperand(store, 1), self.api.GetAlignment(store)
        halves = self._halves(self.api.GetOperand(store, 0))
        with self.editor.module.before(store) as builder:
            for half, offset in zip(halves, (0, self.half // 8), strict=True):
                part = self.api.BuildStore(builder, half, self.editor.address(builder, pointer, offset))
                self.api.SetAlignment(part, min(alignment, self.half // 8))
        self.api.InstructionEraseFromParent(store)

    def _halves(self, word: Value) -> tuple[Value, Value]:
        """The low and the high half."""
        if word not in self.made:
            self.made[word] = self._make(word)
            if self.api.IsAPHINode(word):
                self._fill(word)
        return self.made[word]

    def _make(self, word: Value) -> tuple[Value, Value]:
        if self.editor.is_simple_constant(word):
            low, high = self.editor.constant_parts(word, self.half, self.ty)
            return low, high
        if self.api.IsAPHINode(word):
            with self.editor.module.before(word) as builder:
                return self.api.BuildPhi(builder, self.ty, b""), self.api.BuildPhi(builder, self.ty, b"")
        if self.api.IsASelectInst(word):
            return self._select(word)
        if self.editor.is_plain_load(word):
            return self._load(word)
        return self._arithmetic(word)

    def _fill(self, phi: Value) -> None:
        incoming = [self._halves(word) for word in self.editor.chosen(phi)]
        for part, made in enumerate(self.made[phi]):
            self.editor.add_incoming(made, [halves[part] for halves in incoming], phi)

    def _select(self, select: Value) -> tuple[Value, Value]:
        one, other = (self._halves(word) for word in self.editor.chosen(select))
        condition = self.api.GetOperand(select, 0)
        with self.editor.module.before(select) as builder:
            low = self.api.BuildSelect(builder, condition, one[0], other[0], b"")
            return low, self.api.BuildSelect(builder, condition, one[1], other[1], b"")

    def _load(self, load: Value) -> tuple[Value, Value]:
        pointer, alignment = self.api.GetOperand(load, 0), self.api.GetAlignment(load)
        with self.editor.module.before(load) as builder:
            low = self.api.BuildLoad2(builder, self.ty, pointer, b"")
            high = self.api.BuildLoad2(builder, self.ty, self.editor.address(builder, pointer, self.half // 8), b"")
            for part in (low, high):
                self.api.SetAlignment(part, min(alignment, self.half // 8))
            return low, high

    def _arithmetic(self, word: Value) -> tuple[Value, Value]:
        zero = self.api.ConstInt(self.ty, 0, 0)
        if self.api.IsAZExtInst(word) and self._narrow_bits(word) <= self.half:
            with self.editor.module.before(word) as builder:
                return self._resized(builder, self.api.GetOperand(word, 0)), zero
        if shift := self._shift(word):
            low, high = self._halves(self.api.GetOperand(word, 0))
            by = self.api.ConstInt(self.ty, abs(shift) - self.half, 0)
            with self.editor.module.before(word) as builder:
                if shift > 0:
                    return zero, self.api.BuildShl(builder, low, by, b"")
                return self.api.BuildLShr(builder, high, by, b""), zero
        if self.editor.opcode(word) == _OR:
            one, other = (self._halves(operand) for operand in self.editor.operands(word))
            with self.editor.module.before(word) as builder:
                low = self.api.BuildOr(builder, one[0], other[0], b"")
                return low, self.api.BuildOr(builder, one[1], other[1], b"")
        return self._cut(word)

    def _cut(self, word: Value) -> tuple[Value, Value]:
        """What comes whole from elsewhere: of a number of more than 64 bits, LLVM makes two numbers."""
        module = self.editor.module
        first = next(module.instructions(self.function))
        with module.before(first) if self.api.IsConstant(word) else module.after(word) as builder:
            low = self.api.BuildTrunc(builder, word, self.ty, b"")
            by = self.api.ConstInt(self.api.TypeOf(word), self.half, 0)
            return low, self.api.BuildTrunc(builder, self.api.BuildLShr(builder, word, by, b""), self.ty, b"")

    def _narrow_bits(self, widened: Value) -> int:
        return self.editor.integer_bits(self.api.TypeOf(self.api.GetOperand(widened, 0)))

    def _resized(self, builder: Value, value: Value) -> Value:
        same = self.api.TypeOf(value) == self.ty
        return value if same else int(self.api.BuildZExt(builder, value, self.ty, b""))
