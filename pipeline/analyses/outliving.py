"""Whether memory that a function allocates may outlive it: behind what it may write to, in its result, or in a static.

Where nobody tells it otherwise Enzyme frees, at the end of the reverse sweep, all that the function allocated
(`EnzymeFreeInternalAllocations` in its GradientUtils.cpp): a `Vec` that was pushed to led to freed memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import POINTER, base_type, is_pointer, name, reached, variable_type
from pipeline.analyses.given import types_given
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector

_WRITTEN = ("&mut ", "*mut ")
_CELL = "UnsafeCell<"
"""Behind it one may write through shared references, too."""


def outlives(inspector: Inspector, shim: Value) -> bool:
    """Whether what a shim reaches may store, for all that types say, a pointer where it is found when the shim has returned."""
    module = inspector.module
    *given, result = inspector.parameters(shim)
    is_kept = any(may_be_kept(inspector, shim, parameter) for parameter in given)
    types = _types(inspector, shim)
    return is_kept or result not in types or _holds_pointer(module, types[result]) or any(_statics(inspector, shim))


def may_be_kept(inspector: Inspector, shim: Value, parameter: Value) -> bool:
    """Whether pointers may be stored, for all that types say, in what a shim is given by a parameter."""
    types = _types(inspector, shim)
    return parameter not in types or any(_leads_on(inspector.module, ty) for ty in _written(inspector.module, types[parameter]))


def _types(inspector: Inspector, shim: Value) -> dict[Value, Value]:
    """By a shim's parameters the types of what they point to; empty where it is not known."""
    types, module = types_given(inspector, shim), inspector.module
    are_pointers = all(is_pointer(module, ty) for ty in types.values())
    return {parameter: base_type(module, ty) for parameter, ty in types.items()} if are_pointers else {}


def _written(module: Module, argument: Value) -> Iterator[Value]:
    """The references within an argument through which one may write, and the cells."""
    return (ty for ty in reached(module, argument) if name(module, ty).startswith((*_WRITTEN, _CELL)))


def _leads_on(module: Module, ty: Value) -> bool:
    """Whether a pointer lies in a cell, or behind a reference, be it that of a slice: both have one pointer of their own."""
    pointers = [one for one in reached(module, ty) if module.metadata_tag(one) == POINTER]
    return len(pointers) > (not name(module, ty).startswith(_CELL))


def _holds_pointer(module: Module, ty: Value) -> bool:
    return any(module.metadata_tag(one) == POINTER for one in reached(module, ty))


def _statics(inspector: Inspector, shim: Value) -> Iterator[bool]:
    """Whether each variable that is reached, and may change, has pointers; of std's own, which have no type, none is told."""
    for function in call_tree(inspector, [shim]):
        for instruction in inspector.module.returning_instructions(function):
            for variable in inspector.changing_variables_named(instruction):
                ty = variable_type(inspector.module, variable)
                yield bool(ty) and _holds_pointer(inspector.module, ty)
