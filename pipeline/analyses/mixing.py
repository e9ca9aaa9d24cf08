"""Whether pointers to different memory come together: chosen from, or stored where others are read.

Enzyme gives a pointer to inactive memory the pointer itself for a shadow: chosen from, or lying among, pointers to active
memory, it would have adjoints added to what is `Const`, and values taken for tangents.  Asked to, it compares pointers with
their shadows as the program runs (`set_runtime_activity` of Enzyme.jl).  Elsewhere it is not: LLVM keeps what is compared in
memory, and a tangent may be the argument itself, as in `df(&x, &x)`.
"""

from __future__ import annotations

from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def mixes(inspector: Inspector, shim: Value) -> bool:
    """Whether in what a shim reaches one pointer may lead to memory of the function's own, an argument's or a constant."""
    functions = call_tree(inspector, [shim])
    return any(_is_mixed(inspector, i) for one in functions for i in inspector.module.returning_instructions(one))


def _is_mixed(inspector: Inspector, instruction: Value) -> bool:
    if inspector.is_choice(instruction) and inspector.api.TypeOf(instruction) == inspector.pointer_type():
        return len([base for base in inspector.bases(instruction) if not inspector.leads_nowhere(base)]) > 1
    if not inspector.is_plain_store(instruction) or inspector.accessed_type(instruction) != inspector.pointer_type():
        return False
    stored = inspector.bases(inspector.operands(instruction)[0])
    return not all(inspector.leads_nowhere(base) or is_allocation(inspector, base) for base in stored)
