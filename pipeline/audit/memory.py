"""Memory whose content Enzyme would take for another than it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.allocations import is_filled, kept, made_again
from pipeline.analyses.beginnings import may_be_own_tangents
from pipeline.analyses.call_tree import call_tree, calls, recursive
from pipeline.analyses.constant_numbers import handed_on
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.debug_info import (
    FLOAT_BITS,
    VARIANT_PART,
    floats_around,
    floats_pointed_to,
    moves_bits,
    numbers,
    reached,
    reallocates_bytes,
    signature_types,
    types_made_for,
)
from pipeline.analyses.frozen import forgotten
from pipeline.analyses.given import types_given
from pipeline.analyses.hidden import ACTIVE, STORED_NUMBER, is_of
from pipeline.analyses.layout import kinds
from pipeline.analyses.of_floats import are_mixed, are_of_floats
from pipeline.analyses.overlaid import overlaid
from pipeline.analyses.replaced import replaced
from pipeline.analyses.reused import Reused
from pipeline.analyses.scopes import overclaims
from pipeline.analyses.unguarded import copied, has_float, unguarded
from pipeline.analyses.variables import Variables
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_UNDEFINED = "memory that is allocated zeroed would be taken for undefined, and what is copied from it left out"
_CONSTANT = (
    "memory that is one of several at a place would be taken for constant if it is only written, and its content for an adjoint"
)
_MIXED = "a copy of elements that hold floats beside other things, as many as the program says, would be taken for one of them"
_UNTOLD = "what is copied here is now of one type and now of another, and what is known of some of it would be taken for all"
_TAKEN_FOR_NUMBER = "a reference is stored here where a number is, too, and what it leads to would have no derivative"
_HEADED = "what is copied here may begin amid an element that has a float, and would be taken for what lies at its beginning"
_EXCHANGED = "an exchange of pointers (an atomic) cannot be differentiated"
_UNGUARDED = "what is copied here may be of a `Const` argument: its values would be tangents, or adjoints be added to it"
_RECURSIVE = "an integer that a recursive function returns by pointer would be stored to a shadow that may not be there"
_OVERCLAIMED = "what is read here may be what another reference reads, and of their adjoints one would be lost"
_OWN_TANGENTS = "what is stored here may be without a derivative, and forward mode would take it for its own tangent"
_OF_A_CONSTANT = "what is read here may be a constant's number, and forward mode would take it for its own tangent"
_OVERLAID = "the bits of an integer that is stored here would be added to the adjoint of a float that was in its place before"
_FREED_TWICE = "memory that is freed where other memory may be would be freed twice"
_REPLACED = "memory that is reached by an argument is replaced here, and the adjoint of what was there would be lost"
_NOT_IN_TANGENT = (
    "what says which variant an enum is may be stored here, and not in its tangent, as reverse mode comes here, too"
)
_FORGOTTEN = "of this pointer the adjoint would be added to what is later in its place"

_ZEROED = {"calloc", "__rust_alloc_zeroed"}
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def taken_for_undefined(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What is allocated zeroed: Enzyme sees an allocation and no store."""
    for call in calls(inspector, function):
        if inspector.module.name(inspector.module.callee(call)) in _ZEROED:
            yield finding(inspector, call, _UNDEFINED)


def taken_for_constant(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Allocations that are chosen from, or whose address is stored, and of which Enzyme is not told that they are active."""
    for call in kept(inspector, function):
        is_used = is_filled(inspector, call) or any(inspector.is_call_of(one, ACTIVE) for one in inspector.module.users(call))
        if not (is_used and inspector.call_has_text_attribute(call, "enzyme_active")):
            yield finding(inspector, call, _CONSTANT)


def own_tangents(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Floats that forward mode may take for their own tangents."""
    for store in may_be_own_tangents(inspector, function):
        yield finding(inspector, store, _OWN_TANGENTS)


def numbers_of_constants(inspector: Inspector, functions: Sequence[Value]) -> Iterator[Diagnostic]:
    """Numbers of constants of which Enzyme does not know that they are floats, where they are more than computed with."""
    for load in handed_on(inspector, functions):
        yield finding(inspector, load, _OF_A_CONSTANT)


def freed_twice(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Allocations that Enzyme makes again, and whose `free` may be that of others, which it does not."""
    for call in made_again(inspector, function):
        yield finding(inspector, call, _FREED_TWICE)


def given_up(inspector: Inspector, shim: Value) -> Iterator[Diagnostic]:
    """Stores by which an argument leads to other memory than before: its shadow would lead to another shadow."""
    for store in replaced(inspector, shim):
        yield finding(inspector, store, _REPLACED)


def not_in_tangent(inspector: Inspector, shim: Value) -> Iterator[Diagnostic]:
    """Numbers that are stored once, where the tangent of an enum may be left to the caller."""
    types = [node for ty in types_given(inspector, shim).values() for node in reached(inspector.module, ty)]
    if any(inspector.module.metadata_tag(ty) == VARIANT_PART for ty in types):
        for function in call_tree(inspector, [shim]):
            stores = (call for call in calls(inspector, function) if is_of(inspector, STORED_NUMBER, call))
            yield from (finding(inspector, store, _NOT_IN_TANGENT) for store in stores)


def integers_over_floats(inspector: Inspector, functions: Sequence[Value]) -> Iterator[Diagnostic]:
    """Integers that are stored to the shadow, too, where it may have the adjoint of a float."""
    for _, stores in overlaid(inspector, functions):
        yield from (finding(inspector, store, _OVERLAID) for store in stores)


def shadow_forgotten(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Pointers whose shadow Enzyme does not keep, as it does not see that it is wanted."""
    for freeze in forgotten(inspector, function):
        yield finding(inspector, freeze, _FORGOTTEN)


def copied_as_one_type(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Copies of unknown size of mixed elements: Enzyme takes all for what lies at the beginning (`visitMemTransferCommon`)."""
    for call in calls(inspector, function):
        is_of_unknown_size = inspector.is_call_of(call, _COPIES) and not inspector.api.IsAConstantInt(
            inspector.module.arguments(call)[2]
        )
        if is_of_unknown_size and (_is_mixed(inspector, call) or _is_of_mixed_bytes(inspector, call)):
            yield finding(inspector, call, _MIXED)


def copied_with_padding(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Copies of what may begin amid an element, before a float: Enzyme takes what it knows nothing of for what it knows."""
    for call in calls(inspector, function):
        if not inspector.is_call_of(call, _COPIES) or inspector.argument_has_text_attribute(call, 0, "enzyme_type"):
            continue
        size, aligned = inspector.number(inspector.module.arguments(call)[2]), max(inspector.alignment(call, p) for p in (0, 1))
        widths = (FLOAT_BITS[name] // 8 for name in floats_around(inspector.module, call))
        if size is not None and any(aligned < width < size for width in widths):
            yield finding(inspector, call, _HEADED)


def copied_untold(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Copies of what may be floats, of which Enzyme is not told what they are of."""
    for call in (call for call in calls(inspector, function) if inspector.is_call_of(call, _COPIES)):
        if not _is_told(inspector, call) and are_of_floats(inspector, call):
            yield finding(inspector, call, _UNTOLD)


def _is_told(inspector: Inspector, copy: Value) -> bool:
    return any(inspector.argument_has_text_attribute(copy, position, "enzyme_type") for position in (0, 1))


def taken_for_numbers(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Pointers that are stored where numbers are, too, and may be taken for such."""
    for store in Reused(inspector, ControlFlow(inspector.module, function)).pointers():
        yield finding(inspector, store, _TAKEN_FOR_NUMBER)


def copied_unguarded(inspector: Inspector, primals: Sequence[Value]) -> Iterator[Diagnostic]:
    """Copies from memory that may be `Const`, unless it is known that there is no float in what is copied."""
    for function, copies in unguarded(inspector, primals).items():
        variables = Variables(inspector, function)
        for copy in copies:
            words, _ = copied(inspector, copy, variables)
            if not words or has_float(words):
                yield finding(inspector, copy, _UNGUARDED)


def told_apart(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What is said to lie elsewhere than what another reference reads: of the shadows that is not so."""
    for reader, _ in overclaims(inspector, function):
        yield finding(inspector, reader, _OVERCLAIMED)


def exchanged(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Atomic exchanges of pointers: Enzyme knows none, and breaks down."""
    for instruction in inspector.module.returning_instructions(function):
        if inspector.exchanges(instruction) and inspector.atomic_type(instruction) == inspector.pointer_type():
            yield finding(inspector, instruction, _EXCHANGED)


def _is_mixed(inspector: Inspector, copy: Value) -> bool:
    """Whether the first generic function around that is about numbers is about floats and other things in one."""
    module = inspector.module
    about = ([kinds(module, ty) or numbers(module, ty) for ty in types] for types in types_made_for(module, copy))
    found = next((frozenset().union(*each) for each in about if any(each)), frozenset[str]())
    return bool(found & FLOAT_BITS.keys()) and len(found) > 1


def _is_of_mixed_bytes(inspector: Inspector, copy: Value) -> bool:
    """Whether bytes, or words, are copied of what holds floats beside other things for those who hand them in.

    Or may: of what somebody reallocates Enzyme is told where all that is read and written there is one kind of float.
    """
    if not moves_bits(inspector.module, copy) or not are_of_floats(inspector, copy):
        return False
    return are_mixed(inspector, copy) or (reallocates_bytes(inspector.module, copy) and not _is_told(inspector, copy))


def stored_by_recursion(inspector: Inspector, tree: Sequence[Value]) -> Iterator[Diagnostic]:
    """What is no float and a recursive function stores to its result's place: reverse mode stores it to a shadow, too.

    Where only floats are wanted of the recursive call, it has none.
    """
    repeated = recursive(call_tree(inspector, tree))
    for function in (f for f in tree if f in repeated and _returns_numbers_by_pointer(inspector, f)):
        place = inspector.parameters(function)[0]
        for instruction in filter(inspector.is_plain_store, inspector.module.returning_instructions(function)):
            if inspector.slot(instruction)[0] == place and _is_no_float(inspector, instruction):
                yield finding(inspector, instruction, _RECURSIVE)


def _is_no_float(inspector: Inspector, store: Value) -> bool:
    """Whether an integer is stored, or the address of a constant."""
    ty = inspector.accessed_type(store)
    is_constant = ty == inspector.pointer_type() and inspector.is_constant(inspector.operands(store)[0])
    return bool(inspector.integer_bits(ty)) or is_constant


def _returns_numbers_by_pointer(inspector: Inspector, function: Value) -> bool:
    """Whether the first parameter is the place of a result with no pointer to floats, or may be: without debug info."""
    ty = inspector.function_type(function)
    if inspector.return_type(ty) != inspector.void_type() or not inspector.parameter_types(ty):
        return False
    signature = signature_types(inspector.module, function)
    return not signature or (bool(signature[0]) and not floats_pointed_to(inspector.module, signature[0]))
