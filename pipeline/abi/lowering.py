"""What rustc's Rust ABI makes of an argument and of a result: the Expected column of the ledger.

The rules are rustc's (compiler/rustc_target/src/callconv/mod.rs, `adjust_for_rust_abi`), for targets with 64-bit pointers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pipeline.abi.shapes import Scalar, Shape, Shapes
from pipeline.analyses import debug_info as di
from pipeline.llvm import Module, Value

POINTER = 64
"""Bits of a pointer."""

_DEEPEST, _MOST = 2, 16
"""How many pointers are followed, and how many values are told of what is behind one: no pass promotes more."""


@dataclass(frozen=True)
class Word:
    """One LLVM value: which field of the Rust argument it is, and its LLVM type."""

    path: str
    llvm: str
    parts: tuple[Word, ...] = ()
    """What is behind a pointer, or packed into an integer."""


@dataclass(frozen=True)
class Lowered:
    """How a Rust argument or result is passed.

    `kind` is `scalar`, `scalar pair`, `integer-cast`, `indirect`, `sret` or `zero-sized`.
    """

    kind: str
    words: tuple[Word, ...]


class Lowering:
    """The model for the types of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.shapes = Shapes(module)

    def argument(self, ty: Value, name: str) -> list[Lowered]:
        """How an argument of a type is passed; the likely way first."""
        return [self._passed(shape, ty, name, "indirect") for shape in self.shapes.of(ty, name)]

    def result(self, ty: Value, name: str) -> list[Lowered]:
        """How a result of a type is returned (0: there is none); the likely way first."""
        if ty and self.module.type_bits(ty) > 2 * POINTER:
            return [Lowered("sret", (Word(name, "ptr", self._in_memory(ty, name)),))]
        return [self._passed(shape, ty, name, "sret") for shape in self.shapes.of(ty, name)]

    def _passed(self, shape: Shape, ty: Value, name: str, in_memory: str) -> Lowered:
        if shape is None and self.module.type_bits(ty) <= POINTER:
            return Lowered("integer-cast", (Word(name, f"i{self.module.type_bits(ty)}", self._in_memory(ty, name)),))
        if shape is None:
            return Lowered(in_memory, (Word(name, "ptr", self._in_memory(ty, name)),))
        words = tuple(Word(scalar.path, scalar.llvm, self._behind(scalar)) for scalar in shape)
        return Lowered(("zero-sized", "scalar", "scalar pair")[len(shape)], words)

    # ---- Values in memory

    def _behind(self, pointer: Scalar, depth: int = 0) -> tuple[Word, ...]:
        if not pointer.pointee or depth == _DEEPEST:
            return ()
        return self._in_memory(pointer.pointee, di.behind(self.module, pointer.path, pointer.pointee), depth)

    def _in_memory(self, ty: Value, path: str, depth: int = 0) -> tuple[Word, ...]:
        return tuple(islice(self._loads(ty, path, depth), _MOST))

    def _loads(self, ty: Value, path: str, depth: int) -> Iterator[Word]:
        """The scalars that memory of a type holds, in order; of an enum and a union all that it may hold."""
        part = di.variant_part(self.module, ty) if self.module.metadata_tag(ty) == di.STRUCTURE else 0
        for variant in di.variants(self.module, part) if part else []:
            yield from self._loads(variant.type, f"{path}.{variant.name}", depth)
        if self.module.metadata_tag(ty) == di.ARRAY:
            element = di.base_type(self.module, ty)
            size = self.module.type_bits(element) if element else 0
            for index in range(min(self.module.type_bits(ty) // size, _MOST) if size else 0):
                yield from self._loads(element, f"{path}[{index}]", depth)
        elif self.module.metadata_tag(ty) in {di.STRUCTURE, di.UNION}:
            for field in self.shapes.fields(ty):
                yield from self._loads(di.base_type(self.module, field), di.field_path(self.module, ty, field, path), depth)
        elif self.module.metadata_tag(ty) in {di.BASE, di.POINTER, di.ENUMERATION}:
            for scalar in self.shapes.of(ty, path)[0] or ():
                yield Word(path, scalar.llvm, self._behind(scalar, depth + 1))
