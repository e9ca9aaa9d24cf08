"""What a function is given: which numbers its parameters lead to, by debug info, what its callers hand in, and calls return."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_void_p

from pipeline.analyses.debug_info import base_type, is_pointer, numbers, numbers_reached, parameter_types
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_SIGNATURES = {f"IsA{name}ValueInst": (c_void_p, [c_void_p]) for name in ("Extract", "Insert")}


def numbers_there(inspector: Inspector, root: Value) -> frozenset[str]:
    """The types of all numbers that a parameter points to, or a pointer that is read there; none where it is neither."""
    module, function = inspector.module, inspector.function_of(root)
    types = module.once_in(function, "types given", lambda: _types(inspector, function)) if function else {}
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


def handed_in(inspector: Inspector, parameter: Value) -> Iterator[Value]:
    """What callers have for a parameter."""
    module, function = inspector.module, inspector.function_of(parameter)
    position = inspector.parameters(function).index(parameter)
    for user in module.users(function):
        if module.is_call(user) and module.callee(user) == function:
            yield module.arguments(user)[position]


def calling(inspector: Inspector, value: Value) -> Value:
    """The call by which a value, or the pair of which it is a part, is made; 0 where it is made otherwise."""
    inspector.api.load(_SIGNATURES)
    while inspector.api.IsAExtractValueInst(value):
        value = inspector.operands(value)[0]
    return value if inspector.module.is_call(value) else 0


def is_here(inspector: Inspector, call: Value) -> bool:
    """Whether the function that is called is known, and has a body or is LLVM's own."""
    module, callee = inspector.module, inspector.module.callee(call)
    return module.is_function(callee) and (module.is_defined(callee) or inspector.is_intrinsic(call))


def returned(inspector: Inspector, call: Value) -> Iterator[Value]:
    """The pointers that a call may return, be it in a pair."""
    module, callee = inspector.module, inspector.module.callee(call)
    if not module.is_function(callee) or not module.is_defined(callee):
        return
    waiting = [inspector.operands(i)[0] for i in module.instructions(callee) if inspector.api.IsAReturnInst(i)]
    while waiting:
        value = waiting.pop()
        if inspector.api.IsAInsertValueInst(value):
            waiting += inspector.operands(value)
        elif inspector.api.TypeOf(value) == inspector.pointer_type() or calling(inspector, value):
            yield value
