"""What a function is given: which numbers its parameters lead to, by debug info, and what its callers hand in."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.debug_info import base_type, is_pointer, numbers, numbers_reached, parameter_types
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def numbers_there(inspector: Inspector, function: Value, root: Value) -> frozenset[str]:
    """The types of all numbers that a parameter points to, or a pointer that is read there; none where it is neither."""
    module = inspector.module
    types = module.once_in(function, "types given", lambda: _types(inspector, function))
    if root in types:
        ty = types[root]
        return numbers(module, base_type(module, ty)) if is_pointer(module, ty) else frozenset()
    if not inspector.is_plain_load(root):
        return frozenset()
    parameters = inspector.bases(inspector.operands(root)[0])
    return frozenset().union(*(numbers_reached(module, types[one]) for one in parameters if one in types))


def _types(inspector: Inspector, function: Value) -> dict[Value, Value]:
    """The types of a function's parameters; empty where rustc makes more or less of them."""
    parameters = inspector.parameters(function)[inspector.returns_by_pointer(function) :]
    types = [ty for ty in parameter_types(inspector.module, function) if ty and inspector.module.type_bits(ty)]
    return dict(zip(parameters, types, strict=True)) if len(parameters) == len(types) else {}


def handed_in(inspector: Inspector, function: Value, parameter: Value) -> Iterator[tuple[Value, Value]]:
    """What callers have for a parameter, each with the function that calls."""
    module, position = inspector.module, inspector.parameters(function).index(parameter)
    for user in module.users(function):
        if module.is_call(user) and module.callee(user) == function:
            yield module.parent(user), module.arguments(user)[position]
