"""Floats that are stored to memory in the place of which there may be other memory, as of a `Vec` that grows, or is replaced.

To what nothing but inactive floats are stored, forward mode makes no shadow, though it is said to be active: chosen from, the
memory would be its own shadow, and the floats their own tangents.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.allocations import kept, places
from pipeline.analyses.hidden import ACTIVE
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def may_be_own_tangents(inspector: Inspector, function: Value) -> list[Value]:
    """The stores of such floats in a function, but for zeros, and what is said to be active."""
    stores = {store for memory in kept(inspector, function) for store in _stores(inspector, memory)}
    return sorted(store for store in stores if _may_be_own_tangent(inspector, inspector.operands(store)[0]))


def _may_be_own_tangent(inspector: Inspector, value: Value) -> bool:
    return inspector.is_float(value) and not inspector.is_null(value) and not inspector.is_call_of(value, ACTIVE)


def _stores(inspector: Inspector, memory: Value) -> Iterator[Value]:
    """The stores to places in the memory."""
    for place in places(inspector, memory):
        for user in inspector.module.users(place):
            if inspector.is_plain_store(user) and inspector.operands(user)[1] == place:
                yield user
