"""Vectors go by memory between functions that are compiled for different processors.

How a vector of more than 128 bits is passed depends on what the processor can do that a function is compiled for, and rustc
passes none by value.  Enzyme does: what the forward sweep of a function `#[target_feature(enable = "avx")]` keeps for the
reverse sweep goes from the one to the other through who calls it, compiled for any processor.
"""

from __future__ import annotations

from pipeline.headers import ByPointer, give
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_EVERYWHERE = 16
"""Bytes of the widest vector that goes the same way for every processor."""


def pass_by_pointer(editor: Editor) -> None:
    """Give the functions of a module that take or return such vectors headers by pointer, where who calls them is another's."""
    headers, found = list[ByPointer](), list[tuple[Value, Value]]()
    for function in filter(editor.module.is_defined, list(editor.module.functions())):
        users = editor.module.users(function)
        calls = [(user, editor.module.parent(user)) for user in users if editor.module.is_call(user)]
        is_named = any(editor.module.callee(call) != function for call, _ in calls) or len(calls) < len(users)
        if not is_named and any(editor.processor(caller) != editor.processor(function) for _, caller in calls):
            ty = editor.function_type(function)
            parameters = [_is_wide(editor, parameter) for parameter in editor.parameter_types(ty)]
            result = _is_wide(editor, editor.return_type(ty))
            if result or any(parameters):
                headers.append(ByPointer(editor, function, parameters, result=result))
                found += calls
    if headers:
        give(editor, headers, found)


def _is_wide(editor: Editor, ty: Value) -> bool:
    """Whether there is such a vector in a type."""
    return any(editor.size_of(vector) > _EVERYWHERE for vector in editor.vectors_in(ty))
