"""A text that is written to by what Enzyme does not see (`apart`) is its own shadow, and known to be a text.

Where it has grown, its shadow would go on pointing to nothing, or to less: Enzyme copies bytes from there as it copies the
text's.  So the address is read once more, behind a function of which comes no derivative, and is a constant to Enzyme.

And the capacity has no highest bit: rustc says so where it loads one, and not where it moves all of a `String`.  By that bit
`Result<f64, String>` is told from a text, and it has its float where a text has its address: LLVM, which does not know it of
what `format!` has made, would have the bits of an address come out as a float.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import (
    STRUCTURE,
    base_type,
    is_pointer,
    members,
    name,
    path,
    placed,
    reached,
    types_in,
)
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.apart import APART
from pipeline.repairs.inline import BY_VARIANTS

_WRITE, _WRITE_FMT = ["core", "fmt", "write"], "write_fmt"
_OF_TEXTS, _TEXT = ["alloc", "string"], ["alloc", "string", "String"]
_CAPACITY = "UsizeNoHighBit"
_ADDRESS = 64
"""Where it is in a text, in bits, as rustc places it; debug info says so only where a function is about texts."""
_POINTER = 8
_NOT_NEGATIVE = 39
"""LLVMIntSGE."""


def say_capacity(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it wherever the shims have something written to a text; a line for each function."""
    written = _written(editor, shims)
    ty = _text_in(editor, written)
    for function in written if ty else ():
        for call, text in written[function]:
            for begin in _capacities(editor, ty):
                _say_capacity(editor, call, text, begin // 8)
        editor.run_passes(f"early-cse,{BY_VARIANTS}", function)
    return [f"texts: {len(found)} in {editor.module.name(function)}" for function, found in written.items()]


def be_their_own_shadows(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have the address read again wherever the shims have something written to a text; nothing is logged, as it is above."""
    written = _written(editor, shims)
    ty = _text_in(editor, written)
    addresses = [begin for begin, word in placed(editor.module, ty) if is_pointer(editor.module, word)] if ty else [_ADDRESS]
    for call, text in (one for found in written.values() for one in found):
        _read_again(editor, call, text, addresses[0] // 8)
    return []


def _written(editor: Editor, shims: Sequence[Value]) -> dict[Value, list[tuple[Value, Value]]]:
    """The calls that write to texts, each with the text, by the function that they are in."""
    tree = call_tree(editor, shims)
    found = {one: [(call, text) for call in calls(editor, one) for text in _texts(editor, call)] for one in tree}
    return {function: written for function, written in found.items() if written}


def _texts(editor: Editor, call: Value) -> list[Value]:
    """The texts that a call writes to: what it takes first, or what a `Formatter` that it takes leads to."""
    module, callee = editor.module, editor.module.callee(call)
    if not module.is_function(callee):
        return []
    if (named := module.name(callee)).startswith(APART):
        (callee,) = module.named([named.removeprefix(APART)])
    where, arguments = path(module, module.subprogram(callee)), module.arguments(call)
    if where == _WRITE:
        return arguments[:1] if _is_of_texts(editor, arguments[1]) else []
    if where[:2] == _OF_TEXTS and where[-1] == _WRITE_FMT:
        return arguments[:1]
    formatters = filter(editor.api.IsAAllocaInst, arguments) if editor.is_inactive(callee) else ()
    return [text for formatter in formatters for text in _written_by(editor, formatter)]


def _written_by(editor: Editor, formatter: Value) -> list[Value]:
    """The text to which a `Formatter` on the stack writes: it has the address, and then the table of the methods."""
    stores = [one for one in editor.accesses(formatter) if editor.is_plain_store(one)]
    places = {store: editor.slot(store)[:2] for store in stores}
    tables = [places[store] for store in stores if _is_of_texts(editor, editor.operands(store)[0])]
    beside = [(base, begin - _POINTER) for base, begin in tables if base == formatter]
    texts = [editor.operands(store)[0] for store in stores if places[store] in beside]
    return texts if len(tables) == len(texts) == 1 and editor.api.IsAAllocaInst(texts[0]) else []


def _is_of_texts(editor: Editor, table: Value) -> bool:
    """Whether a table of methods is that of `String`."""
    methods = filter(editor.module.is_function, editor.inside(table) if editor.api.IsAConstant(table) else [])
    return any(path(editor.module, editor.module.subprogram(one))[:2] == _OF_TEXTS for one in methods)


def _text_in(editor: Editor, functions: Iterable[Value]) -> Value:
    """The type of texts, if anything that the functions are about leads to it; else 0."""
    types = (ty for function in functions for ty in types_in(editor.module, function))
    inside = (one for ty in types for one in reached(editor.module, ty))
    return next((one for one in inside if path(editor.module, one) == _TEXT), 0)


def _capacities(editor: Editor, ty: Value, begin: int = 0) -> Iterator[int]:
    """Where, in bits, a struct has its capacity."""
    for member in members(editor.module, ty):
        inner, at = base_type(editor.module, member), begin + editor.module.type_offset(member)
        if name(editor.module, inner) == _CAPACITY:
            yield at
        elif editor.module.metadata_tag(inner) == STRUCTURE:
            yield from _capacities(editor, inner, at)


def _say_capacity(editor: Editor, call: Value, text: Value, offset: int) -> None:
    """Say of what is loaded right after the call that it is not negative: LLVM takes what it loads later for the same."""
    assume = editor.c_function("llvm.assume", editor.void_type(), [editor.integer(1)])
    with editor.module.after(call) as builder:
        place = editor.address(builder, text, offset)
        capacity = editor.load(builder, editor.integer(64), place)
        is_so = editor.api.BuildICmp(builder, _NOT_NEGATIVE, capacity, editor.module.int64(0), b"")
        editor.call(builder, editor.function_type(assume), assume, [is_so])


def _read_again(editor: Editor, call: Value, text: Value, offset: int) -> None:
    """Store the address that stands in the text once more, as what Enzyme does not know the shadow of."""
    with editor.module.after(call) as builder:
        place = editor.address(builder, text, offset)
        address = editor.load(builder, editor.pointer_type(), place)
        editor.store(builder, address, place)
    opaque.outline(editor, address)
