"""Calls whose derivative would be lost: through a pointer, of what is variadic, and where a header hides floats."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses import origins
from pipeline.analyses.call_tree import calls, indirect_calls
from pipeline.analyses.debug_info import holds_float, is_aggregate, path, paths_around, signature_types
from pipeline.analyses.foreign import OWN, has_c_name
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_POINTER = "what is called here through a pointer would count as constant: {} functions of the program have that type"
_OUTSIDE = "what is called here through a pointer comes from outside of the program: by `{}`, of which there is no bitcode"
_PACKED = "a function that has floats in the integers of its header would lose their derivatives: `{}`"
_MIXED = "a function that returns floats beside integers or pointers would lose their derivatives: `{}`"
_TEXT = "text is written here to what may hold floats, or by a `Display` that writes some: their derivatives would be lost"
_ASSEMBLY = "inline assembly cannot be differentiated"
_VARIADIC = "a variadic function cannot be differentiated: `{}`"
_ANOTHER_HEADER = "a function is called by another header than it has, as it may be of C's structs by value: `{}`"
_SYSTEM = "what std asks of the operating system here has no derivative: `{}`"
_CALLS_BACK = "a foreign function that is given a function to call cannot be differentiated: `{}`"
_NAMED_IN_C = "a function that is called from outside of Rust would be taken for what Enzyme knows by its name: `{}`"
_GAMMA = "the derivative of C's gamma function wants digamma, which no C library has: `{}`"
_WRITES_BESIDE = "what a foreign function writes where it is told to would be lost: `{}`"

_WRITE = ["core", "fmt", "write"]
"""What `format!`, `write!` and the like come to."""
_BESIDE = {"modf", "modff", "modfl"}
_GAMMAS = {"tgamma", "lgamma", "lgammaf"}
"""Those whose derivative Enzyme believes to know."""
_IN_REGISTERS = 128
"""Bits of the largest aggregate that rustc returns as an integer."""


def of_calls(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What is called in a function and has no derivative, or loses it."""
    for call in indirect_calls(inspector, function):
        yield finding(inspector, call, _why_unknown(inspector, call))
    for call in (call for call in calls(inspector, function) if not inspector.is_call_said_inactive(call)):
        callee = inspector.module.callee(call)
        if inspector.module.is_inline_assembly(callee):
            yield finding(inspector, call, _ASSEMBLY)
        elif message := _complaint(inspector, call) if inspector.module.is_defined(callee) else _of_foreign(inspector, call):
            yield finding(inspector, call, message.format(inspector.module.name(callee).removeprefix(OWN)))


def _why_unknown(inspector: Inspector, call: Value) -> str:
    if strangers := origins.from_outside(inspector, inspector.module.callee(call)):
        return _OUTSIDE.format("`, `".join(strangers))
    ty = inspector.called_type(call)
    count = sum(inspector.function_type(function) == ty for function in inspector.module.functions())
    return _POINTER.format(count or "no")


def _complaint(inspector: Inspector, call: Value) -> str:
    """What is wrong with a call of a function of the program; empty where nothing is."""
    callee = inspector.module.callee(call)
    if inspector.is_inactive(callee):
        return ""
    if path(inspector.module, inspector.module.subprogram(callee)) == _WRITE:
        return _TEXT
    return _NAMED_IN_C if has_c_name(inspector, callee) else _of_header(inspector, callee, inspector.called_type(call))


def _of_header(inspector: Inspector, callee: Value, called: Value) -> str:
    header = inspector.function_type(callee)
    if inspector.api.IsFunctionVarArg(header):
        return _VARIADIC
    if called != header:
        return _ANOTHER_HEADER
    returned = inspector.leaves(inspector.return_type(header))
    if any(map(inspector.float_name, returned)) and not all(map(inspector.float_name, returned)):
        return _MIXED
    return _PACKED if _has_packed_result(inspector, callee) or _has_packed_parameter(inspector, callee) else ""


def _of_foreign(inspector: Inspector, call: Value) -> str:
    """What is wrong with a call of what has no body; of modf and the like Enzyme forgets what they write."""
    module, callee = inspector.module, inspector.module.callee(call)
    if not module.is_function(callee) or inspector.is_enzymes(callee):
        return ""
    if any(module.is_function(base) for argument in module.arguments(call) for base in inspector.bases(argument)):
        return _CALLS_BACK
    if inspector.api.IsFunctionVarArg(inspector.function_type(callee)):
        return _SYSTEM if next(paths_around(module, call), [""])[0] == "std" else _VARIADIC
    if module.name(callee) in _GAMMAS:
        return _GAMMA
    return _WRITES_BESIDE if module.name(callee) in _BESIDE else ""


def _has_packed_result(inspector: Inspector, function: Value) -> bool:
    """Whether debug info speaks of a float that is returned, and LLVM of integers alone."""
    result = (signature_types(inspector.module, function) or [0])[0]
    returned = inspector.leaves(inspector.return_type(inspector.function_type(function)))
    is_integer = all(inspector.integer_bits(member) for member in returned)
    return bool(result) and is_integer and _is_small(inspector, result, _IN_REGISTERS)


def _has_packed_parameter(inspector: Inspector, function: Value) -> bool:
    """Whether there is an integer of the very size of an aggregate with a float in it."""
    types = [ty for ty in signature_types(inspector.module, function)[1:] if ty]
    sizes = {inspector.module.type_bits(ty) for ty in types if _is_small(inspector, ty, _IN_REGISTERS // 2)}
    parameters = inspector.parameter_types(inspector.function_type(function))
    return any(inspector.integer_bits(ty) in sizes for ty in parameters)


def _is_small(inspector: Inspector, ty: Value, bits: int) -> bool:
    module = inspector.module
    return is_aggregate(module, ty) and module.type_bits(ty) <= bits and holds_float(module, ty)
