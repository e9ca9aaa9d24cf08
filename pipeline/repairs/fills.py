"""Memory that is filled with one byte is of the types that it is read and written as, or that debug info says.

Enzyme wants to know what a `memset` writes, and does not follow an address whose offset it does not know: `buffer[i % 8]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.layout import INTEGER
from pipeline.analyses.moves import filled
from pipeline.analyses.of_floats import are_of_floats
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import copies

_MEMSET = "llvm.memset."


def say_what_is_filled(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Tell Enzyme the types of what is filled in all that the shims reach, where they are one; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        variables = Variables(editor, function)
        fills = (call for call in calls(editor, function) if editor.is_call_of(call, _MEMSET))
        said = [fill for fill in fills if _say(editor, fill) or _zero_words(editor, fill, variables)]
        if said:
            done.append(f"fills: {len(said)} in {editor.module.name(function)}")
    return done


def _say(editor: Editor, fill: Value) -> bool:
    """Tell Enzyme what is filled; False where that is not known."""
    if kind := _kind(editor, editor.module.arguments(fill)[0]):
        editor.say_points_to(fill, 0, kind)
        return True
    if copies.say_elements(editor, fill, positions=[0]):
        return True
    is_marked = bool(editor.number(editor.module.arguments(fill)[1])) and not are_of_floats(editor, fill)
    if is_marked:  # no number is written so
        editor.say_points_to(fill, 0, INTEGER)
    return is_marked


def _zero_words(editor: Editor, fill: Value, variables: Variables) -> bool:
    """Store zeros of their types to the words of a variable that is filled with zeros; False where they are not known."""
    place, byte, size, *_ = editor.module.arguments(fill)
    if not editor.is_null(byte) or not editor.api.IsAConstantInt(size):
        return False
    base, begin = editor.place(place)
    width = int(editor.api.ConstIntGetZExtValue(size))
    words = (
        variables.all_words(base, begin, begin + width) or variables.words_of_zeros(base, begin, width) or filled(editor, fill)
    )
    if not words or len(words) > copies.MOST_WORDS:
        return False
    with editor.module.before(fill) as builder:
        for word in words:
            zero = editor.api.ConstNull(editor.type_of_word(word))
            editor.store(builder, zero, editor.address(builder, place, word.begin))
    editor.api.InstructionEraseFromParent(fill)
    return True


def _kind(editor: Editor, pointer: Value) -> str:
    """What Enzyme calls all that is read or written in the same memory, if that is floats or pointers of one type."""
    while editor.api.IsAGetElementPtrInst(pointer):
        pointer = editor.operands(pointer)[0]
    kinds = {_name(editor, editor.accessed_type(access)) for access in editor.accesses(pointer)}
    return kinds.pop() if len(kinds) == 1 else ""


def _name(editor: Editor, ty: Value) -> str:
    return "Pointer" if ty == editor.pointer_type() else editor.enzyme_type(ty)
