"""Rust types by the debug info of a module: what a function's parameters point to, down to the numbers.

The layout of the nodes is LLVM's (llvm/IR/DebugInfoMetadata.h), the tags are DWARF 5's (7.5.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.llvm import Module, Value

_ARRAY, _ENUMERATION, _MEMBER, _POINTER, _STRUCTURE, _BASE = 0x01, 0x04, 0x0D, 0x0F, 0x13, 0x24
_VARIANT_PART, _UNION = 0x33, 0x17

# The operands of DISubprogram; of DISubroutineType; of DIDerivedType and DICompositeType alike (in LLVM 22).
_NAME, _SIGNATURE = 2, 4
_TYPES = 5
_BASE_TYPE, _ELEMENTS = 5, 6

_FLOATS = {"f16", "f32", "f64", "f128"}
_TRANSPARENT = "MaybeUninit<"
"""The union of the standard library that holds one value, or nothing yet."""


@dataclass(frozen=True)
class Leaf:
    """What a type is made of in the end: under which path of fields, of which type, and what that is.

    `kind` is `float`, `number` (or `bool` or `char`), `pointer`, `enum`, `union` or `unknown`.
    """

    path: str
    type: str
    kind: str


def parameter_types(module: Module, function: Value) -> list[Value]:
    """The types of a function's parameters, a closure's own environment among them; empty where nothing is known."""
    subprogram = module.subprogram(function)
    if not subprogram:
        return []
    signature = module.metadata_operands(subprogram)[_SIGNATURE]
    types = module.metadata_operands(signature)[_TYPES] if signature else 0
    return module.metadata_operands(types)[1:] if types else []


def pointee_leaves(module: Module, pointer: Value, path: str) -> Iterator[Leaf]:
    """What a parameter points to, taken apart; `path` is what the user calls it."""
    if not pointer or module.metadata_tag(pointer) != _POINTER:
        yield Leaf(path, "", "unknown")
    else:
        yield from _leaves(module, module.metadata_operands(pointer)[_BASE_TYPE], path)


def _leaves(module: Module, node: Value, path: str) -> Iterator[Leaf]:
    if not node:
        yield Leaf(path, "", "unknown")
        return
    operands = module.metadata_operands(node)
    name = module.metadata_string(operands[_NAME])
    match module.metadata_tag(node):
        case tag if tag == _BASE:
            if name != "()":
                yield Leaf(path, name, "float" if name in _FLOATS else "number")
        case tag if tag == _ARRAY:
            yield from _leaves(module, operands[_BASE_TYPE], f"{path}[_]")
        case tag if tag == _STRUCTURE or (tag == _UNION and name.startswith(_TRANSPARENT)):
            yield from _fields(module, operands[_ELEMENTS], path, Leaf(path, name, "enum"))
        case tag:
            kind = {_POINTER: "pointer", _ENUMERATION: "enum", _UNION: "union"}.get(tag, "unknown")
            yield Leaf(path, name, kind)


def _fields(module: Module, elements: Value, path: str, enum: Leaf) -> Iterator[Leaf]:
    for element in module.metadata_operands(elements) if elements else []:
        tag = module.metadata_tag(element)
        if tag == _VARIANT_PART:
            yield enum
        elif tag == _MEMBER:
            operands = module.metadata_operands(element)
            yield from _leaves(module, operands[_BASE_TYPE], _field_path(path, module.metadata_string(operands[_NAME])))


def _field_path(path: str, field: str) -> str:
    """As Rust writes it: `p.x`, `p.0`; what `MaybeUninit` and `ManuallyDrop` wrap has no name of its own."""
    return path if field == "value" else f"{path}.{field.removeprefix('__')}"
