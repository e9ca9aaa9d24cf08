"""The control bytes of hash tables are read and written behind functions into which Enzyme does not look.

They lie behind the elements, in the same memory, at an offset that nobody knows: type analysis takes them for elements, and
these for bytes.  There is a byte for each element, which says whether it is there; no float ever passes through one.  Elements
are moved word by word, each as what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import path, paths_around, types_around, types_made_for
from pipeline.analyses.layout import words_copied
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.apart import TABLE

_CONTROL = ["hashbrown", "control"]
"""The module that is about these bytes and nothing else."""
_SWAP = ["core", "ptr", "swap_chunk"]
_BYTE = 8


def keep_apart(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Put functions around what is done with control bytes in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        instructions = editor.module.returning_instructions(function)
        found = [i for i in instructions if _is_of_control_bytes(editor, i)]
        moved = {i: element for i in instructions if i not in found and (element := _element(editor, i))}
        swapped = {i: word for i in instructions if (word := _swapped(editor, i))}
        for length in (i for i in instructions if i not in found and _is_length(editor, i)):
            editor.say_number(length)
        for instruction in found:
            opaque.outline(editor, instruction)
        for load, word in swapped.items():
            _swap_as(editor, load, word)
        for copy, element in moved.items():
            _move_word_by_word(editor, copy, element)
        if count := len(found) + len(moved) + len(swapped):
            done.append(f"hash_tables: {count} in {editor.module.name(function)}")
    return done


def _element(editor: Editor, instruction: Value) -> Value:
    """The type of the element that is copied, if one of a table is, and its words are known; 0 otherwise."""
    if not editor.is_bulk_write(instruction):
        return 0
    *_, size, _ = editor.module.arguments(instruction)
    bits = 8 * int(editor.api.ConstIntGetZExtValue(size)) if editor.api.IsAConstantInt(size) else 0
    element = _element_of_table(editor, instruction)
    return element if element and editor.module.type_bits(element) == bits else 0


def _element_of_table(editor: Editor, instruction: Value) -> Value:
    """The type of the elements of the table that an instruction is about, if its words are known; else 0."""
    frames = zip(paths_around(editor.module, instruction), types_around(editor.module, instruction), strict=True)
    tables = (types for where, types in frames if where[:2] == TABLE and where[2].startswith("RawTable<"))
    element = next(tables, [0])[0]
    return element if element and words_copied(editor.module, element) else 0


def _swapped(editor: Editor, instruction: Value) -> Value:
    """LLVM's type of the word that is read, if half a swap of two elements is; 0 otherwise, and for two floats in one word."""
    where = next(paths_around(editor.module, instruction), [])
    if not editor.is_plain_load(instruction) or where[:2] != _SWAP[:2] or not where[-1].startswith(_SWAP[2]):
        return 0
    element, (base, begin, _) = _element_of_table(editor, instruction), editor.slot(instruction)
    bits = 8 * editor.size_of(editor.accessed_type(instruction))  # of a vector, too
    size = editor.module.type_bits(element) // 8 if element else 0
    if not size or editor.origin(base)[1] % size or not all(map(editor.is_plain_store, editor.module.users(instruction))):
        return 0
    begin = 8 * (begin % size)
    words = words_copied(editor.module, element)
    types = {editor.type_of_word(word) for word in words if begin <= 8 * word.begin < begin + bits}
    if all(map(editor.integer_bits, types)):
        return editor.integer(bits)
    word = types.pop()
    return word if not types and 8 * editor.size_of(word) == bits else 0


def _swap_as(editor: Editor, load: Value, ty: Value) -> None:
    """Read and write a word as what it is; Enzyme does not look at integers."""
    stores = editor.module.users(load)
    if editor.integer_bits(ty):
        for access in (*stores, load):
            opaque.outline(editor, access)
        return
    with editor.module.before(load) as builder:
        value = editor.load(builder, ty, editor.operands(load)[0])
    for store in stores:
        with editor.module.before(store) as builder:
            editor.store(builder, value, editor.operands(store)[1])
        editor.api.InstructionEraseFromParent(store)
    editor.api.InstructionEraseFromParent(load)


def _move_word_by_word(editor: Editor, copy: Value, element: Value) -> None:
    to, source, *_ = editor.module.arguments(copy)
    with editor.module.before(copy) as builder:
        words = words_copied(editor.module, element)
        loaded = [editor.load(builder, editor.type_of_word(w), editor.address(builder, source, w.begin)) for w in words]
        for word, value in zip(words, loaded, strict=True):
            editor.store(builder, value, editor.address(builder, to, word.begin))
    editor.api.InstructionEraseFromParent(copy)


def _is_length(editor: Editor, instruction: Value) -> bool:
    """Whether an integer is read that a table has beside its elements, of which this part of it knows nothing."""
    if not editor.is_plain_load(instruction) or not editor.integer_bits(editor.accessed_type(instruction)):
        return False
    return next(paths_around(editor.module, instruction), [])[:3] == [*TABLE, "RawTableInner"]


def _is_of_control_bytes(editor: Editor, instruction: Value) -> bool:
    if editor.is_plain_load(instruction) or editor.is_plain_store(instruction):
        paths = list(paths_around(editor.module, instruction))
        is_byte = editor.integer_bits(editor.accessed_type(instruction)) == _BYTE
        is_tables = bool(paths) and paths[0][:2] == TABLE and is_byte
        return is_tables or any(one[:2] == _CONTROL for one in paths)
    if not editor.is_bulk_write(instruction):
        return False
    return any(path(editor.module, ty)[:2] == _CONTROL for ty in next(types_made_for(editor.module, instruction), []))
