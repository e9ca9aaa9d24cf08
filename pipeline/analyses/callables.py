"""Whether what differentiated code is given from outside may be called there, by the types that debug info has.

A pointer that is called in a slice was made there, and then whatever it can be stands there too; or it came in, by an argument
or in a variable that the program changes.  A type leads to what can be called where a `fn` pointer or a table of methods is in
it, or behind its pointers, or a pointer of which the type does not say what it leads to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pipeline.analyses.debug_info import (
    ARRAY,
    BASE,
    ENUMERATION,
    MEMBER,
    POINTER,
    STD,
    STRUCTURE,
    UNION,
    VARIANT_PART,
    base_type,
    leads_to,
    name,
    parameter_types,
    path,
    reached,
    type_arguments,
    variable_type,
)
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector

_TABLE = "vtable"
"""The member of a fat pointer, as of a `&dyn Shape`, that leads to the methods."""
_RAW = ("*const ", "*mut ")
_BYTES = {"u8", "c_void"}
_BY_BYTES = ("RawVecInner<", "RawTableInner")
"""How the names of std's types begin that lead to elements by a pointer to bytes; who has one of them was made for these."""
_PHANTOM = "PhantomData<"
_STDS = re.compile(r"(?:_R(?:N[A-Za-z]|[MX](?:s[0-9A-Za-z]*_)?)*C(?:s[0-9A-Za-z]*_)?|_ZN)(?:3std|4core|5alloc)")
"""How the names of std's variables begin, by either of rustc's manglings."""


def are_given(inspector: Inspector, shim: Value) -> bool:
    """Whether what the arguments of a shim point to may lead to what can be called."""
    module = inspector.module
    types = parameter_types(module, shim)
    return len(types) < len(inspector.parameters(shim)) or any(_lead_to_code(module, ty) for ty in types)


def keeping(module: Module, variables: Iterable[Value]) -> list[Value]:
    """The variables of the program that may lead to what can be called; of std's own, which have no types, none does."""
    types = {variable: variable_type(module, variable) for variable in variables}
    return [one for one, ty in types.items() if (_lead_to_code(module, ty) if ty else not _STDS.match(module.name(one)))]


def _lead_to_code(module: Module, ty: Value) -> bool:
    return any(_is_code(module, node) for node in reached(module, ty, _lead_to))


def _is_code(module: Module, node: Value) -> bool:
    """Whether it is a type of functions, or of something that is not told."""
    tag = module.metadata_tag(node)
    if tag == POINTER:
        pointee, is_raw = base_type(module, node), name(module, node).startswith(_RAW)
        return not pointee or (is_raw and (name(module, pointee) in _BYTES or not module.type_bits(pointee)))
    is_plain = tag in {ARRAY, BASE, ENUMERATION, MEMBER, POINTER, STRUCTURE, UNION, VARIANT_PART}
    return not is_plain or (tag == MEMBER and name(module, node) == _TABLE)


def _lead_to(module: Module, node: Value) -> Iterator[Value]:
    """What a type leads to in one step, and, if it is one of std's, that for which it was made."""
    is_stds = module.metadata_tag(node) == STRUCTURE and not STD.isdisjoint(path(module, node)[:1])
    if is_stds and not name(module, node).startswith(_PHANTOM):
        yield from type_arguments(module, node)
    if not (is_stds and name(module, node).startswith(_BY_BYTES)):
        yield from leads_to(module, node)
