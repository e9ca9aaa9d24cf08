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
    types = types_given(inspector, function) if function else {}
    if root in types:
        ty = types[root]
        return numbers(module, base_type(module, ty)) if is_pointer(module, ty) else frozenset()
    if not inspector.is_plain_load(root):
        return frozenset()
    parameters = inspector.bases(inspector.operands(root)[0])
    return frozenset().union(*(numbers_reached(module, types[one]) for one in parameters if one in types))


def types_given(inspector: Inspector, function: Value) -> dict[Value, Value]:
    """The types of a function's parameters; empty where rustc makes more or less of them."""
    return dict(inspector.module.once_in(function, "types given", lambda: _types(inspector, function)))


def _types(inspector: Inspector, function: Value) -> dict[Value, Value]:
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


def parameters_given(inspector: Inspector, user: Value, pointer: Value) -> list[Value]:
    """The parameters that are the pointer in the function that a call calls; none, where that has no derivative."""
    callee = inspector.module.callee(user) if inspector.module.is_call(user) else 0
    if not callee or not inspector.module.is_defined(callee) or inspector.is_inactive(callee):
        return []
    arguments = inspector.module.arguments(user)
    return [parameter for parameter, given in zip(inspector.parameters(callee), arguments, strict=False) if given == pointer]


def addressed(inspector: Inspector, pointer: Value) -> list[Value] | None:
    """The pointers whose address that number may be of which a pointer is made; None where it may be any number.

    A fixed number is nobody's address.
    """
    leaves = _leaves(inspector, inspector.operands(pointer)[0])
    return None if leaves is None else [inspector.operands(leaf)[0] for leaf in leaves if is_address(inspector, leaf)]


def fixed_numbers(inspector: Inspector, parameter: Value) -> list[int]:
    """The numbers of which one is handed in for a parameter, from the least; none where it may be anything else."""
    leaves = _leaves(inspector, parameter) or []
    numbers = {inspector.number(leaf) for leaf in leaves}
    return [] if None in numbers else sorted(number for number in numbers if number is not None)


def _leaves(inspector: Inspector, number: Value) -> list[Value] | None:
    """The addresses and fixed numbers of which one is chosen for a number, or handed in; None where it may be another."""
    found, known, waiting = list[Value](), set[Value](), [number]
    while waiting:
        number = waiting.pop()
        if number in known:
            continue
        known.add(number)
        if inspector.is_simple_constant(number) or is_address(inspector, number):
            found.append(number)
        elif inspector.is_choice(number):
            waiting += inspector.chosen(number)
        elif inspector.api.IsAArgument(number) and _is_called_alone(inspector, inspector.function_of(number)):
            waiting += handed_in(inspector, number)
        else:
            return None
    return found


def is_address(inspector: Inspector, number: Value) -> bool:
    """Whether an integer is made of an ordinary pointer."""
    made_of = inspector.operands(number)[0] if inspector.api.IsAPtrToIntInst(number) else 0
    return bool(made_of) and inspector.api.TypeOf(made_of) == inspector.pointer_type()


def _is_called_alone(inspector: Inspector, function: Value) -> bool:
    """Whether a function is one of this module, and nothing is done with it but that it is called."""
    module = inspector.module
    return inspector.is_internal(function) and all(
        module.is_call(user) and module.callee(user) == function for user in module.users(function)
    )


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
