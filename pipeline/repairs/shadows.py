"""Numbers that are stored where Enzyme does not see it (`opaque.store`) are stored to the shadow, too, in forward mode.

What a function leaves behind the caller reads as what its type says, the shadow, too: an enum there is of a variant, and of
the same one.  In reverse mode a number's bits would be added to an adjoint; in forward mode what is there is written over.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.hidden import STORED_NUMBER, is_of
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_BYTE = 8


def store_alike(editor: Editor, forward: Sequence[Value], reverse: Sequence[Value]) -> list[str]:
    """Fill memory with the bytes of such numbers in what only forward mode reaches; a line for each function.

    A `memset` of so many bytes as nobody knows says nothing of a type, and Enzyme fills the shadow with the same.
    """
    done = []
    others = set(call_tree(editor, reverse))
    for function in call_tree(editor, forward):
        if function not in others:
            stores = [one for one in editor.module.instructions(function) if is_of(editor, STORED_NUMBER, one)]
            for store in stores:
                _fill(editor, store)
            done += [f"shadows: {len(stores)} in {editor.module.name(function)}"] if stores else []
    return done


def _fill(editor: Editor, store: Value) -> None:
    number, pointer = editor.module.arguments(store)
    place = 0
    for byte, alike in groupby(_bytes(editor, number, store)):
        count = len(list(alike))
        length = opaque.same(editor, editor.module.int64(count), store)
        with editor.module.before(store) as builder:
            editor.api.BuildMemSet(builder, editor.address(builder, pointer, place), byte, length, 1)
        place += count
    editor.api.InstructionEraseFromParent(store)


def _bytes(editor: Editor, number: Value, place: Value) -> list[Value]:
    """The bytes of an integer, the lowest first; of a constant they are constants."""
    ty, byte = editor.api.TypeOf(number), editor.integer(_BYTE)
    found = []
    for begin in range(0, editor.integer_bits(ty), _BYTE):
        with editor.module.before(place) as builder:
            moved = editor.api.BuildLShr(builder, number, editor.api.ConstInt(ty, begin, 0), b"")
            made = int(editor.api.BuildTrunc(builder, moved, byte, b""))
        for one in (moved, made):
            if editor.api.IsAInstruction(one):
                editor.say_inactive(one)
        found.append(made)
    return found
