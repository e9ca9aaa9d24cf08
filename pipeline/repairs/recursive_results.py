"""A function that calls itself and returns by pointer stores its integers and constants where Enzyme does not see it.

Enzyme stores them to the shadow of the result too, in the sweep in which a recursive call was given no shadow where only
floats are wanted of it: the program dies.  Integers have no derivative, nor has what a pointer to a constant leads to; and
where no pointer among them leads to floats, nobody reads them from the shadow.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, recursive
from pipeline.analyses.debug_info import floats_pointed_to
from pipeline.analyses.moved_words import may_be_moved
from pipeline.analyses.variables import Variables, result_in_memory
from pipeline.headers import ENDING
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def hide(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hide the stores of such functions; a line for each function."""
    done = []
    for function in recursive(call_tree(editor, shims)):
        variables = Variables(editor, function)
        stores = [s for s in editor.module.instructions(function) if _is_to_result(editor, s, function, variables)]
        for store in stores:
            opaque.store(editor, store)
        if stores:
            done.append(f"recursive_results: {editor.module.name(function)}")
    return done


def _is_to_result(editor: Editor, instruction: Value, function: Value, variables: Variables) -> bool:
    result = result_in_memory(editor, function)
    if not editor.is_plain_store(instruction) or not (result or _has_new_header(editor, function)):
        return False
    if editor.slot(instruction)[0] != editor.parameters(function)[0]:
        return False
    ty = editor.accessed_type(instruction)
    is_inactive = bool(result) and not floats_pointed_to(editor.module, result)
    if editor.integer_bits(ty):
        is_number = not may_be_moved(editor, editor.sources(editor.operands(instruction)[0]), variables)
        return (is_inactive or _has_new_header(editor, function)) and is_number
    return is_inactive and ty == editor.pointer_type() and editor.is_constant(editor.operands(instruction)[0])


def _has_new_header(editor: Editor, function: Value) -> bool:
    return editor.module.name(function).endswith(ENDING)
