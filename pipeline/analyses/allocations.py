"""What a function allocates, and whether that memory is one of several at a place."""

from __future__ import annotations

import re

from pipeline.analyses.call_tree import calls
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_ALLOCATES = re.compile(r"malloc|calloc|\w*__rust_alloc(?:_zeroed)?")
"""By the C library, or by Rust's own, whose name is mangled before abi_fixup."""


def kept(inspector: Inspector, function: Value) -> list[Value]:
    """The allocations in a function whose memory is one of several at a place: chosen from, or its address stored."""
    return [call for call in calls(inspector, function) if is_allocation(inspector, call) and _is_kept(inspector, call)]


def is_allocation(inspector: Inspector, instruction: Value) -> bool:
    """True for a call that allocates memory."""
    callee = inspector.module.callee(instruction) if inspector.module.is_call(instruction) else 0
    is_function = bool(callee) and inspector.module.is_function(callee)
    return is_function and bool(_ALLOCATES.fullmatch(inspector.module.name(callee)))


def _is_kept(inspector: Inspector, call: Value) -> bool:
    return any(inspector.is_choice(user) or _stores(inspector, user, call) for user in inspector.module.users(call))


def _stores(inspector: Inspector, user: Value, value: Value) -> bool:
    return bool(inspector.api.IsAStoreInst(user)) and inspector.operands(user)[0] == value
