"""A function that calls itself and returns by pointer stores its integers where Enzyme does not see it.

Enzyme stores integers to the shadow of the result too, in the sweep in which a recursive call was given no shadow where
only floats are wanted of it: the program dies.  Integers have no derivative, and with no pointer among them nobody reads
them from the shadow.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree
from pipeline.debug_info import holds_pointer, is_aggregate, signature_types
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.by_pointer import ENDING
from pipeline.repairs.inline import recursive


def integers(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hide the stores of such functions; a line for each function."""
    done = []
    for function in recursive(call_tree(editor, shims)):
        stores = [s for s in editor.module.instructions(function) if _is_to_result(editor, s, function)]
        for store in stores:
            opaque.store(editor, store)
        if stores:
            done.append(f"recursive_results: {editor.module.name(function)}")
    return done


def _is_to_result(editor: Editor, instruction: Value, function: Value) -> bool:
    if not editor.is_plain_store(instruction) or not _returns_numbers_by_pointer(editor, function):
        return False
    is_integer = bool(editor.integer_bits(editor.accessed_type(instruction)))
    return is_integer and editor.slot(instruction)[0] == editor.parameters(function)[0]


def _returns_numbers_by_pointer(editor: Editor, function: Value) -> bool:
    if editor.return_type(editor.function_type(function)) != editor.void_type() or not editor.parameters(function):
        return False
    if editor.module.name(function).endswith(ENDING):
        return True
    result = (signature_types(editor.module, function) or [0])[0]
    return bool(result) and is_aggregate(editor.module, result) and not holds_pointer(editor.module, result)
