"""A float in one variant of an enum and a pointer in its place in another are kept apart: in trees, in expressions.

Enzyme has one type for each place behind a pointer, whatever is asked on the way there, and refuses a word of two
(`updateAnalysis` in its TypeAnalysis.cpp).  Of an address that is counted by what it does not know it keeps what is so at every
place alone: each float and each pointer is read and written at such a one, that is the same to the program.  And what is copied
as a whole is copied as the variant that it is.

That costs what Enzyme knows elsewhere: so it is a rung of the ladder, and not done to all.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import (
    ARRAY,
    STRUCTURE,
    VARIANT_PART,
    Variant,
    base_type,
    discriminator,
    elements_moved,
    identifier,
    parts,
    variants,
)
from pipeline.analyses.hidden import COPIER
from pipeline.analyses.layout import ADDRESS, INTEGER, POINTER_BITS, Word, kind_of_number, kinds_at, words_copied
from pipeline.analyses.moves import is_copy
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import EQUAL
from pipeline.repairs import copies, opaque
from pipeline.repairs.primals import PRESERVED

_NAME = f"{COPIER}variants_"


def copy_each(editor: Editor, shims: Sequence[Value]) -> None:
    """Copy values of such enums as the variants that they are, in all that the shims reach."""
    copiers: dict[Value, Value] = {}
    for function in list(call_tree(editor, shims)):
        for copy in [call for call in calls(editor, function) if is_copy(editor, call)]:
            _by_variants(editor, copy, copiers)


def forget_places(editor: Editor, shims: Sequence[Value]) -> None:
    """Have each float and each pointer be read and written where nobody knows that it is, in all that the shims reach."""
    for function in list(call_tree(editor, shims)):
        _forget_places(editor, function)


def _forget_places(editor: Editor, function: Value) -> None:
    accesses = [one for one in editor.module.returning_instructions(function) if _is_of_float_or_pointer(editor, one)]
    if not accesses:
        return
    nothing = editor.module.int64(0)
    nowhere = opaque.apart(editor, nothing, nothing, next(editor.module.instructions(function)))
    for access in accesses:
        position = int(not editor.is_plain_load(access))
        with editor.module.before(access) as builder:
            same = editor.element(builder, editor.operands(access)[position], nowhere, 1)
        editor.api.SetOperand(access, position, same)


def _is_of_float_or_pointer(editor: Editor, instruction: Value) -> bool:
    if not (editor.is_plain_load(instruction) or editor.is_plain_store(instruction)):
        return False
    ty = editor.accessed_type(instruction)
    return ty == editor.pointer_type() or bool(editor.float_name(ty))


def _by_variants(editor: Editor, copy: Value, copiers: dict[Value, Value]) -> None:
    """Call a function in the place of a copy of values that hold such an enum, as far as it is known how they lie."""
    ty = _copied(editor, copy)
    if not ty or not identifier(editor.module, ty) or words_copied(editor.module, ty):
        return
    if ty not in copiers:
        copiers[ty] = _copier(editor, ty, f"{_NAME}{identifier(editor.module, ty)}")
    if copier := copiers[ty]:
        with editor.module.before(copy) as builder:
            editor.call(builder, editor.function_type(copier), copier, editor.module.arguments(copy)[:3])
        editor.api.InstructionEraseFromParent(copy)


def _copied(editor: Editor, copy: Value) -> Value:
    """The type of what a copy is of, in so many pieces as it may be; 0 where that is not known."""
    module = editor.module
    *pointers, length = module.arguments(copy)[:3]
    if element := elements_moved(module, copy):
        size = editor.number(length)
        return element if size is None or 8 * size % module.type_bits(element) == 0 else 0
    found = {Variables(editor, module.parent(copy)).whole(*editor.place(pointer)) for pointer in pointers} - {0}
    types = {ty for ty in found if module.type_bits(ty) == 8 * (editor.number(length) or 0)}
    return types.pop() if len(types) == 1 else 0


class _UnknownError(Exception):
    """It is not known how a type lies in memory."""


def _copier(editor: Editor, ty: Value, name: str) -> Value:
    """The function of that name that copies values of a type; 0 where that cannot be done."""
    size = editor.module.type_bits(ty) // 8

    def copy_one(builder: Value, given: Value, to: Value) -> None:
        _Copy(editor, builder, given, to).value(ty, 0)

    try:
        copier = copies.element_copier(editor, name, size, copy_one)
    except _UnknownError:
        editor.api.DeleteFunction(editor.module.named([name])[0])
        return 0
    # Of what is only written Enzyme would not hand over the address in the reverse sweep, and compare it with the shadow's.
    editor.add_text_attribute(copier, PRESERVED)
    return copier


class _Copy:
    """A value being copied from one address to another, by a builder."""

    def __init__(self, editor: Editor, builder: Value, given: Value, to: Value) -> None:
        self.editor = editor
        self.builder = builder
        self.places = given, to

    def value(self, ty: Value, begin: int) -> None:
        """Copy what is of a type at a byte.  Raises: _UnknownError."""
        module = self.editor.module
        match module.metadata_tag(ty) if ty else 0:
            case tag if tag == ARRAY:
                element = base_type(module, ty)
                for offset in range(0, module.type_bits(ty), module.type_bits(element)) if module.type_bits(element) else ():
                    self.value(element, begin + offset // 8)
            case tag if tag == STRUCTURE:
                for part in parts(module, ty):
                    if module.metadata_tag(part) == VARIANT_PART:
                        self._enum(part, begin)
                    else:
                        self.value(base_type(module, part), begin + module.type_offset(part) // 8)
            case 0:
                raise _UnknownError
            case _ if module.type_bits(ty):  # not ()
                self._word(Word(begin, module.type_bits(ty) // 8, kind_of_number(module, ty)))

    def _enum(self, part: Value, begin: int) -> None:
        """Copy the tag, and the variant that is there by it."""
        editor, module, api = self.editor, self.editor.module, self.editor.api
        tag, all_of_them = discriminator(module, part), variants(module, part)
        if not tag:
            for variant in all_of_them:
                self.value(variant.type, begin)
            return
        word = self._tag(part, tag, begin)
        read = self._word(word)
        function = api.GetBasicBlockParent(api.GetInsertBlock(self.builder))
        end = self._block(function)
        others = [variant for variant in all_of_them if variant.tag is None]
        for variant in [one for one in all_of_them if one.tag is not None]:
            this, other = self._block(function), self._block(function)
            number = api.ConstInt(editor.integer(8 * word.size), variant.tag or 0, 0)
            is_this = number if word.kind == INTEGER else api.ConstIntToPtr(number, editor.pointer_type())
            api.BuildCondBr(self.builder, api.BuildICmp(self.builder, EQUAL, read, is_this, b""), this, other)
            self._variant(variant, begin, this, end)
            api.PositionBuilderAtEnd(self.builder, other)
        for variant in others:
            self.value(variant.type, begin)
        api.BuildBr(self.builder, end)
        api.PositionBuilderAtEnd(self.builder, end)

    def _variant(self, variant: Variant, begin: int, block: Value, end: Value) -> None:
        self.editor.api.PositionBuilderAtEnd(self.builder, block)
        self.value(variant.type, begin)
        self.editor.api.BuildBr(self.builder, end)

    def _block(self, function: Value) -> Value:
        return int(self.editor.api.AppendBasicBlockInContext(self.editor.module.context, function, b""))

    def _tag(self, part: Value, tag: Value, begin: int) -> Word:
        """What says which variant it is; where a pointer does so, by being null or another number, it is one."""
        module = self.editor.module
        at, size = module.type_offset(tag) // 8, module.type_bits(base_type(module, tag)) // 8
        over = set[str]().union(*(kinds_at(module, one.type, at, at + size) for one in variants(module, part)))
        if over <= {INTEGER}:
            return Word(begin + at, size, INTEGER)
        if over <= {INTEGER, ADDRESS} and 8 * size == POINTER_BITS:
            return Word(begin + at, size, ADDRESS)
        raise _UnknownError

    def _word(self, word: Word) -> Value:
        """Copy a word; what it is."""
        if not word.kind:
            raise _UnknownError
        return copies.copy_word(self.editor, self.builder, word, *self.places)
