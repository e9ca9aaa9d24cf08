"""Copies are of the type that debug info says, and those of mixed elements are made word by word.

Where it finds nobody else who reads or writes that memory, Enzyme cannot tell what a `memcpy` copies, and of one whose size
the program says it takes all for what lies at the beginning (`visitMemTransferCommon` in its AdjointGenerator.h).  The
function in which it was written can: `copy_nonoverlapping::<(f64, usize)>` copies nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import FLOAT_BITS, INTEGER_NAMES, elements_moved, moves_bits, numbers, types_around
from pipeline.analyses.hidden import COPIER
from pipeline.analyses.layout import Word, words_copied
from pipeline.analyses.moves import elements, is_copy, part
from pipeline.analyses.of_floats import are_of_floats, float_copied
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_POINTERS = (0, 1)
MOST_WORDS = 64
"""Elements of more words stay as they are."""
_OTHER = 33  # LLVMIntNE


def say_what_is_copied(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Mend the copies in all that the shims reach; a line for each function."""
    done = []
    for function in list(call_tree(editor, shims)):
        copies = [call for call in calls(editor, function) if is_copy(editor, call)]
        mended = [copy for copy in copies if _mend(editor, copy)]
        if mended:
            done.append(f"copies: {len(mended)} in {editor.module.name(function)}")
    return done


def say_elements(editor: Editor, call: Value, positions: Sequence[int]) -> bool:
    """Tell Enzyme of arguments of a call to what elements they point, where those are all of one kind; False elsewhere.

    It is told of the first word: whatever it is a part of may hold other things, as a node of a `BTreeMap` does.
    """
    layout = elements(editor, call)
    kinds = {_enzymes(editor, word.kind) for word in layout}
    for position in positions if len(kinds) == 1 else ():
        editor.say_points_to(call, position, min(kinds), layout[0].size)
    return len(kinds) == 1


def _mend(editor: Editor, copy: Value) -> bool:
    """Tell Enzyme what a copy is of, or make it word by word; False where neither can be done."""
    if say_elements(editor, copy, _POINTERS):
        return True
    layout = elements(editor, copy, words_copied)
    if 0 < len(layout) <= MOST_WORDS:
        by_words(editor, copy, layout, editor.module.type_bits(elements_moved(editor.module, copy)) // 8)
        return True
    left = part(editor, copy, words_copied)
    if left is not None and len(left) <= MOST_WORDS and not _is_plain(left):
        by_words(editor, copy, left, editor.number(editor.module.arguments(copy)[2]) or 0)
        return True
    kind = _kind_around(editor, copy) or _kind_there(editor, copy)
    for position in _POINTERS if kind else ():
        editor.say_points_to(copy, position, kind)
    return bool(kind)


def _is_plain(layout: Sequence[Word]) -> bool:
    """Whether it begins with a word and has none of another kind: Enzyme knows what is copied."""
    return len({word.kind for word in layout}) == 1 and layout[0].begin == 0


def _kind_around(editor: Editor, copy: Value) -> str:
    """What Enzyme calls all numbers that the function around a copy of unknown size is about, if they are of one kind."""
    if editor.api.IsAConstantInt(editor.module.arguments(copy)[2]):
        return ""
    types = next(types_around(editor.module, copy), [])
    found = frozenset[str]().union(*(numbers(editor.module, ty) for ty in types))
    if len(found) == 1 and found <= FLOAT_BITS.keys():
        return _enzymes(editor, min(found))
    return "Integer" if found and found <= INTEGER_NAMES and not are_of_floats(editor, copy) else ""


def _kind_there(editor: Editor, copy: Value) -> str:
    """What Enzyme calls the floats that the bytes, or words, are of which a copy is."""
    return _enzymes(editor, float_copied(editor, copy)) if moves_bits(editor.module, copy) else ""


def _enzymes(editor: Editor, kind: str) -> str:
    """What Enzyme calls a kind of words."""
    return editor.enzyme_type(editor.float_type(FLOAT_BITS[kind])) if kind in FLOAT_BITS else kind


def by_words(editor: Editor, copy: Value, layout: Sequence[Word], size: int) -> None:
    """Call a function in the place of a copy that copies such elements, so many bytes each."""
    with editor.module.before(copy) as builder:
        if layout:
            copier = _copier(editor, layout, size)
            editor.call(builder, editor.function_type(copier), copier, editor.module.arguments(copy)[:3])
    editor.api.InstructionEraseFromParent(copy)


def _copier(editor: Editor, layout: Sequence[Word], size: int) -> Value:
    """The function that copies elements of such words from its second argument to its first, as many bytes as its third."""
    name = COPIER + "_".join([*(f"{word.begin}{word.kind}{word.size}" for word in layout), str(size)])

    def copy_one(builder: Value, given: Value, to: Value) -> None:
        for word in layout:
            copy_word(editor, builder, word, given, to)

    found = editor.module.named([name])
    return found[0] if found else element_copier(editor, name, size, copy_one)


def element_copier(editor: Editor, name: str, size: int, copy_one: Callable[[Value, Value, Value], None]) -> Value:
    """The function of that name that copies elements of so many bytes, each as `copy_one` does, given a builder and from where
    to where.
    """
    api, context = editor.api, editor.module.context
    function = editor.internal_function(name, editor.void_type(), [editor.pointer_type()] * 2 + [editor.integer(64)])
    for attribute in ("nounwind", "willreturn", "nofree"):
        editor.add_attribute(function, attribute)
    to, given, length = editor.parameters(function)
    with editor.block(function) as builder:
        loop, end = (api.AppendBasicBlockInContext(context, function, b"") for _ in range(2))
        begin = api.GetInsertBlock(builder)
        count = api.BuildUDiv(builder, length, editor.module.int64(size), b"")
        api.BuildCondBr(builder, api.BuildIsNull(builder, count, b""), end, loop)
        api.PositionBuilderAtEnd(builder, loop)
        index = api.BuildPhi(builder, editor.integer(64), b"")
        copy_one(builder, *(editor.element(builder, pointer, index, size) for pointer in (given, to)))
        following = api.BuildAdd(builder, index, editor.module.int64(1), b"")
        editor.add_values(index, [editor.module.int64(0), following], [begin, api.GetInsertBlock(builder)])
        api.BuildCondBr(builder, api.BuildICmp(builder, _OTHER, following, count, b""), loop, end)
        api.PositionBuilderAtEnd(builder, end)
        api.BuildRetVoid(builder)
    return function


def copy_word(editor: Editor, builder: Value, word: Word, given: Value, to: Value) -> Value:
    """Copy a word from its place in one element to that in another; what it is."""
    api = editor.api
    value = int(api.BuildLoad2(builder, editor.type_of_word(word), editor.address(builder, given, word.begin), b""))
    editor.say_type(value, _enzymes(editor, word.kind))
    stored = api.BuildStore(builder, value, editor.address(builder, to, word.begin))
    for access in (value, stored):
        api.SetAlignment(access, 1)
    return value
