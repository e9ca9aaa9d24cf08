"""Functions that cannot be inlined away and pack floats into integers get a header that goes by pointer.

They call themselves, or are what a dispatcher calls.  What was an integer is written to memory by who has it and read by who
wants it; the other repairs make floats of these words, as of any others.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.headers import ENDING, ByPointer, give
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import CLEAN, lasting, packed_parameter_sizes, returns_packed_floats


def recursive_headers(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give a new header to each such function that the shims reach; a line for each."""
    tree = call_tree(editor, shims)
    headers = [header for function in lasting(editor, tree) if (header := _header(editor, function))]
    if not headers:
        return []
    give(editor, headers, ((call, caller) for caller in tree for call in calls(editor, caller)))
    for function in call_tree(editor, shims):
        editor.run_passes(CLEAN, function)
    return [f"by_pointer: {editor.module.name(header.function)}" for header in headers]


def _header(editor: Editor, function: Value) -> ByPointer | None:
    """The header that a function is to have, if it packs floats."""
    sizes, ty = packed_parameter_sizes(editor, function), editor.function_type(function)
    parameters = [editor.integer_bits(parameter) in sizes for parameter in editor.parameter_types(ty)]
    result = returns_packed_floats(editor, function)
    return ByPointer(editor, function, parameters, result=result) if result or any(parameters) else None


def say_what_is_read(editor: Editor, shims: Sequence[Value]) -> None:
    """Tell Enzyme of the floats in the memory that such headers go through: of a recursive call it does not find out."""
    for function in call_tree(editor, shims):
        places = set(editor.parameters(function)) if _is_by_pointer(editor, function) else set()
        for call in calls(editor, function):
            if _is_by_pointer(editor, editor.module.callee(call)):
                places |= set(editor.module.arguments(call))
        for load in editor.module.instructions(function) if places else ():
            if editor.is_plain_load(load) and editor.is_float(load) and editor.slot(load)[0] in places:
                editor.say_number(load)


def _is_by_pointer(editor: Editor, function: Value) -> bool:
    return editor.module.name(function).endswith(ENDING)
