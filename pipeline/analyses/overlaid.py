"""Integers that are stored where a float may have been: in an enum with a float in one variant and a number in another.

What is stored as an integer Enzyme stores to the shadow, too, and takes nothing of it away in the reverse sweep
(`visitCommonStore` in its AdjointGenerator.h).  There the bits would be added to the adjoint of the float that was in its place
before: next to nothing, if the integer is small; of -1 no number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.analyses.debug_info import overlaid_widths, paths_around, types_in
from pipeline.analyses.layout import INTEGER
from pipeline.analyses.moved_words import may_be_moved
from pipeline.analyses.moves import word_accessed
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_SMALL = 2**20
"""As the higher half of an `f64`, too, what is less is next to nothing."""
_CONTAINERS = {("alloc", name) for name in ("boxed", "collections", "raw_vec", "rc", "string", "vec")} | {("core", "cell")}
"""Where std writes lengths and counts of its own; elements it writes by `core::ptr` and `core::mem`."""


def overlaid(inspector: Inspector, functions: Iterable[Value]) -> Iterator[tuple[Value, list[Value]]]:
    """The stores of such integers in each of the functions that differentiated ones call, and in these."""
    functions = list(functions)
    types = {ty for function in functions for ty in types_in(inspector.module, function)}
    most = max((bits for ty in types for bits in overlaid_widths(inspector.module, ty)), default=0)
    for function in functions if most else ():
        found = list(_stored(inspector, function, most))
        if found:
            yield function, found


def _stored(inspector: Inspector, function: Value, most: int) -> Iterator[Value]:
    """The stores of integers of at most so many bits: LLVM may store one in parts."""
    variables = Variables(inspector, function)
    for store in inspector.module.returning_instructions(function):
        if inspector.is_plain_store(store) and 0 < inspector.integer_bits(inspector.accessed_type(store)) <= most:
            sources = inspector.sources(inspector.operands(store)[0])
            if any(map(inspector.is_pointer_cast, sources)):  # what leads to memory has a shadow of its own
                continue
            if may_be_moved(inspector, sources, variables):
                continue
            matters_not = all(_matters_not(inspector, source) for source in sources)
            if not (matters_not or _is_containers(inspector, store) or word_accessed(inspector, store, variables) == INTEGER):
                yield store


def _matters_not(inspector: Inspector, value: Value) -> bool:
    number = inspector.number(value)
    return bool(inspector.api.IsAUndefValue(value)) or (number is not None and 0 <= number < _SMALL)


def _is_containers(inspector: Inspector, store: Value) -> bool:
    return tuple(next(paths_around(inspector.module, store), [])[:2]) in _CONTAINERS
