"""When a type is a scalar, a pair of scalars, or memory, by the type's debug info.

The rules are rustc's (compiler/rustc_abi/src/layout.rs), for targets with 64-bit pointers.

Debug info does not say everything: `repr(C)` around one scalar makes memory of it, and whether an enum of two is 0 and 1
decides between `i1` and `i8`.  So a type has a list of shapes, the likely one first, and the header that is there decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from pipeline.analyses import debug_info as di
from pipeline.llvm import Module, Value

_POINTER = 64
_FLOATS = {"f16": "half", "f32": "float", "f64": "double", "f128": "fp128"}


@dataclass(frozen=True)
class Scalar:
    """A primitive in a value: its field, LLVM type, size and place in bits, and what it points to (0: nothing)."""

    path: str
    llvm: str
    bits: int
    offset: int = 0
    pointee: Value = 0


Shape = tuple[Scalar, ...] | None
"""No, one or two scalars, in the order of memory; None: memory."""


class Shapes:
    """The shapes of a module's types."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def of(self, ty: Value, path: str) -> list[Shape]:
        """What a type can be; more than one where debug info does not tell."""
        bits = self.module.type_bits(ty) if ty else 0
        if not bits:
            return [()]
        match self.module.metadata_tag(ty):
            case di.BASE | di.POINTER | di.ENUMERATION:
                return [(scalar,) for scalar in self._scalars(ty, path, bits)]
            case di.STRUCTURE:
                part = di.variant_part(self.module, ty)
                return self._enum(ty, part, path) if part else self._struct(ty, ty, path)
            case di.UNION:
                return self._union(ty, path)
            case _:
                return [None]

    def _scalars(self, ty: Value, path: str, bits: int) -> list[Scalar]:
        match self.module.metadata_tag(ty):
            case di.BASE:
                return [Scalar(path, _primitive(di.name(self.module, ty), bits), bits)]
            case di.POINTER:
                return [Scalar(path, "ptr", bits, pointee=di.base_type(self.module, ty))]
            case _:
                return _small_integers(path, bits, len(di.elements(self.module, ty)))

    def _struct(self, ty: Value, whole: Value, path: str) -> list[Shape]:
        """A struct, a tuple, or the variant of an enum: `whole` has the size that is to be filled."""
        fields = self.fields(ty)
        ways = [self.of(di.base_type(self.module, field), di.field_path(self.module, ty, field, path)) for field in fields]
        if len(fields) == 1:
            field = fields[0]
            inner = di.base_type(self.module, field)
            fills = self.module.type_bits(inner) == self.module.type_bits(whole) and self._align(inner) == self._align(whole)
            if self.module.type_offset(field) or not fills:
                return [None]
            of_repr_c: list[Shape] = [None] if any(shape and len(shape) == 1 for shape in ways[0]) else []
            return _once(ways[0] + of_repr_c)
        if len(fields) == 2:
            places = [self.module.type_offset(field) for field in fields]
            return _once([self._pair(whole, _moved(a, places[0]), _moved(b, places[1])) for a, b in product(*ways)])
        return [None]

    def _pair(self, whole: Value, a: Shape, b: Shape) -> Shape:
        """Two scalars, if they lie where a pair of them lies by itself."""
        if a is None or b is None or len(a) != 1 or len(b) != 1:
            return None
        first, second = sorted((*a, *b), key=lambda scalar: scalar.offset)
        align = max(first.bits, second.bits)
        lies = first.offset == 0 and second.offset == _round_up(first.bits, second.bits)
        filled = self.module.type_bits(whole) == _round_up(second.offset + second.bits, align) and self._align(whole) == align
        return (first, second) if lies and filled else None

    def _union(self, ty: Value, path: str) -> list[Shape]:
        """The scalars that all fields have in common, if no bit is beyond them; `repr(C)` makes memory of it."""
        ways = [self.of(di.base_type(self.module, f), di.field_path(self.module, ty, f, path)) for f in self.fields(ty)]
        agreed = [_uninitialised(shapes[0]) for shapes in product(*ways) if len({_primitives(s) for s in shapes}) == 1]
        return _once([*(shape if shape and self._is_filled(ty, shape) else None for shape in agreed), None])

    def _is_filled(self, ty: Value, shape: tuple[Scalar, ...]) -> bool:
        return self._align(ty) == max(scalar.bits for scalar in shape)

    # ---- Enums with fields

    def _enum(self, ty: Value, part: Value, path: str) -> list[Shape]:
        variants = di.variants(self.module, part)
        tag = di.discriminator(self.module, part)
        if not tag:
            filled = [variant for variant in variants if self.fields(variant.type)]
            return self._struct(filled[0].type, ty, f"{path}.{filled[0].name}") if filled else [()]
        if any(not variant.is_tagged for variant in variants):
            return self._niche(ty, variants, path)
        bits, offset = self.module.type_bits(di.base_type(self.module, tag)), self.module.type_offset(tag)
        if bits == self.module.type_bits(ty):
            return [(scalar,) for scalar in _small_integers(f"{path}.tag", bits, len(variants))]
        payloads = self._payloads(variants, path)
        pairs: list[Shape] = [
            self._pair(ty, (replace(scalar, offset=offset),), (payload,)) if payload else None
            for payload in payloads
            for scalar in _small_integers(f"{path}.tag", bits, len(variants))
        ]
        return _once(pairs or [None])

    def _niche(self, ty: Value, variants: Sequence[di.Variant], path: str) -> list[Shape]:
        """The value of one variant that it cannot have stands for the others, which must be empty."""
        filled = [variant for variant in variants if self.fields(variant.type)]
        if len(filled) != 1:
            return [None]
        return _once([_uninitialised(shape) for shape in self._struct(filled[0].type, ty, f"{path}.{filled[0].name}")])

    def _payloads(self, variants: Sequence[di.Variant], path: str) -> list[Scalar | None]:
        """The scalar that is the one field of each variant that has any: of one primitive, in one place."""
        fields = [(variant, field) for variant in variants for field in self.fields(variant.type)]
        if not fields or len({variant.name for variant, _ in fields}) < len(fields):
            return [None]
        ways = [
            [
                _moved(shape, self.module.type_offset(field))
                for shape in self.of(
                    di.base_type(self.module, field),
                    di.field_path(self.module, variant.type, field, f"{path}.{variant.name}"),
                )
            ]
            for variant, field in fields
        ]
        return list(dict.fromkeys(_common(shapes, path) for shapes in product(*ways)))

    def fields(self, ty: Value) -> list[Value]:
        """The members that are not zero-sized, in the order of memory."""
        members = [m for m in di.members(self.module, ty) if self.module.type_bits(di.base_type(self.module, m))]
        return sorted(members, key=self.module.type_offset)

    def _align(self, ty: Value) -> int:
        return self.module.type_align(ty) or self.module.type_bits(ty)


def _primitive(name: str, bits: int) -> str:
    return "i1" if name == "bool" else _FLOATS.get(name, f"i{bits}")


def _small_integers(path: str, bits: int, values: int) -> list[Scalar]:
    """An integer of so many values: an unsigned byte that is 0 or 1 is `i1`."""
    return [Scalar(path, llvm, bits) for llvm in (["i1", "i8"] if bits == 8 and values == 2 else [f"i{bits}"])]


def _primitives(shape: Shape) -> tuple[tuple[str, int], ...] | None:
    return None if shape is None else tuple((scalar.llvm, scalar.offset) for scalar in shape)


def _uninitialised(shape: Shape) -> Shape:
    """What may be uninitialised, or have one value more, is no `bool` any more."""
    return shape and tuple(replace(scalar, llvm="i8") if scalar.llvm == "i1" else scalar for scalar in shape)


def _moved(shape: Shape, by: int) -> Shape:
    return shape and tuple(replace(scalar, offset=scalar.offset + by) for scalar in shape)


def _common(shapes: Sequence[Shape], path: str) -> Scalar | None:
    """One scalar for the fields of all variants: integers of a size agree, and a pointer with an integer of its size."""
    scalars = [scalar for shape in map(_uninitialised, shapes) for scalar in shape or ()]
    if any(shape is None or len(shape) != 1 for shape in shapes) or len({(s.bits, s.offset) for s in scalars}) != 1:
        return None
    kinds = {scalar.llvm for scalar in scalars}
    if len(kinds) > 1 and not kinds <= {"ptr", f"i{_POINTER}"}:
        return None
    first = next((scalar for scalar in scalars if scalar.llvm == "ptr"), scalars[0])
    return first if len(scalars) == 1 else replace(first, path=f"{path}.payload")


def _round_up(number: int, to: int) -> int:
    return -(-number // to) * to


def _once(shapes: Sequence[Shape]) -> list[Shape]:
    return list(dict.fromkeys(shapes))
