"""Functions whose header packs floats into integers, or beside these or pointers, are inlined into their callers.

rustc passes an aggregate of up to eight bytes as one integer, and returns `Option<f32>` as `{ i32, float }`, `(f64, &f64)` as
`{ double, ptr }`: Enzyme takes the first for an integer without a derivative, and loses the floats of the others.  Inlined,
there is no header.  And what is returned by pointer may be a pointer in one variant and a number in another, as in the entry of
a hash map: Enzyme refuses such a place.  Inlined, each way has its own.  So has the address of a thread-local, as of the keys
of a `HashMap`.  And what makes a text where its caller wants it, as `format!` does, writes to memory of which it is known only
there that nobody else has it.

The differentiated function itself is inlined into its shims, which LLVM does where there is one alone: else Enzyme divides it
into a way there and a way back, and keeps all that it reads through an argument, as its caller might write there in between.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from pipeline.analyses.call_tree import CallTree, call_tree, calls, recursive
from pipeline.analyses.debug_info import POINTER, holds_float, is_aggregate, path, placed, signature_types
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

CLEAN = "sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg"
"""What makes registers of memory, and floats of the casts that a repair leaves."""

BY_VARIANTS = f"sroa,jump-threading,{CLEAN}"
"""What leads each variant by a way of its own, from where it is made to where it is looked at."""

_TEXT = ["alloc", "fmt"]

_PACKED = 64
"""Bits of the largest aggregate that is one integer."""


def headers_with_packed_floats(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline them wherever the shims reach them, but those that last."""
    return _inline(editor, shims, packs_floats, CLEAN)


def results_of_text(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline what of std's makes a text and returns it by pointer: whether that is on a stack is seen then."""
    return _inline(editor, shims, _returns_text, CLEAN)


def what_shims_call(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline what the shims themselves call, but for what lasts, and what is `#[inline(never)]`."""
    tree = call_tree(editor, shims)
    apart = {function for function in tree if editor.has_attribute(function, "noinline")}
    wanted = set(tree) - lasting(editor, tree) - apart - set(shims)
    names = inline_calls(editor, shims, wanted)
    for shim in shims if names else ():
        editor.run_passes(CLEAN, shim)
    return [f"inline: {name}" for name in names]


def results_with_pointers_for_numbers(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline what returns by pointer an enum of which a word is a pointer in one variant and a number in another."""
    return _inline(editor, shims, _returns_pointers_for_numbers, BY_VARIANTS)


def addresses_of_thread_locals(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Inline what returns the address of a thread-local: what becomes of it is seen then."""
    return _inline(editor, shims, _returns_thread_local, CLEAN)


def _inline(editor: Editor, shims: Sequence[Value], is_wanted: Callable[[Inspector, Value], bool], clean: str) -> list[str]:
    tree = call_tree(editor, shims)
    stay = lasting(editor, tree) | set(shims)
    wanted = [function for function in tree if function not in stay and is_wanted(editor, function)]
    names = inline_calls(editor, tree, wanted)
    for function in call_tree(editor, shims) if names else ():
        editor.run_passes(clean, function)
    return [f"inline: {name}" for name in names]


def inline_calls(editor: Editor, callers: Iterable[Value], wanted: Container[Value]) -> list[str]:
    """Inline what is wanted wherever one of the callers calls it; the names of that.

    Not what is compiled for another processor (`#[target_feature]`): its caller runs on those that cannot do this, too.
    """
    called = ((caller, call, editor.module.callee(call)) for caller in callers for call in calls(editor, caller))
    found = [call for caller, call, callee in called if callee in wanted and _runs_where(editor, callee, caller)]
    names = dict.fromkeys(editor.module.name(editor.module.callee(call)) for call in found)
    for call in found:
        editor.inline_call(call)
    if found:
        editor.run_passes("always-inline")
    return list(names)


def _runs_where(inspector: Inspector, callee: Value, caller: Value) -> bool:
    """Whether a processor that runs one function runs another, by what they are compiled for; what we have made runs on any."""
    (cpu, features), (of_caller, its_features) = inspector.processor(callee), inspector.processor(caller)
    return not (cpu or features) or (cpu == of_caller and features in (0, None, its_features))


def lasting(inspector: Inspector, tree: CallTree) -> set[Value]:
    """The functions that cannot be inlined away: those that call themselves, and those that hide types from each other."""
    return recursive(tree) | {function for function in tree if inspector.has_text_attribute(function, "enzyme_ta_norecur")}


def packs_floats(inspector: Inspector, function: Value) -> bool:
    """Whether an integer of the header carries a float, or it or a pointer stands beside one in what is returned."""
    sizes = packed_parameter_sizes(inspector, function)
    parameters = inspector.parameter_types(inspector.function_type(function))
    return returns_packed_floats(inspector, function) or any(inspector.integer_bits(ty) in sizes for ty in parameters)


def returns_packed_floats(inspector: Inspector, function: Value) -> bool:
    """Whether what is returned has a float in it, by debug info where there is some, and an integer in LLVM; or a pointer."""
    returned = inspector.leaves(inspector.return_type(inspector.function_type(function)))
    if any(map(inspector.float_name, returned)) and inspector.pointer_type() in returned:
        return True
    signature = signature_types(inspector.module, function)
    if not signature:
        return any(map(inspector.float_name, returned)) and any(map(inspector.integer_bits, returned))
    result = signature[0]
    if not result or not is_aggregate(inspector.module, result) or not holds_float(inspector.module, result):
        return False
    return any(map(inspector.integer_bits, returned))


def _returns_pointers_for_numbers(inspector: Inspector, function: Value) -> bool:
    module = inspector.module
    result = next(iter(signature_types(module, function)), 0)
    if not result or not inspector.returns_by_pointer(function) or inspector.is_inactive(function):
        return False
    words = {(begin, module.metadata_tag(leaf) == POINTER) for begin, leaf in placed(module, result)}
    return any((begin, not is_pointer) in words for begin, is_pointer in words)


def _returns_text(inspector: Inspector, function: Value) -> bool:
    is_about_text = path(inspector.module, inspector.module.subprogram(function))[:2] == _TEXT
    return is_about_text and inspector.returns_by_pointer(function)


def _returns_thread_local(inspector: Inspector, function: Value) -> bool:
    returns_pointer = inspector.return_type(inspector.function_type(function)) == inspector.pointer_type()
    return returns_pointer and any(map(inspector.is_thread_local_address, calls(inspector, function)))


def packed_parameter_sizes(inspector: Inspector, function: Value) -> set[int]:
    """The sizes in bits of the parameters that rustc may pass as one integer though there is a float in them."""
    module = inspector.module
    types = [ty for ty in signature_types(module, function)[1:] if ty and is_aggregate(module, ty)]
    return {module.type_bits(ty) for ty in types if module.type_bits(ty) <= _PACKED and holds_float(module, ty)}
