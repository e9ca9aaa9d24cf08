"""What LLVM knows of references that are only read, and what is not so of their shadows.

Two `&` may lead to one place: that they do not (`noalias`) is said of them all the same, as nobody writes there.  Enzyme says
it of the shadows, too (`addToInvertedPtrDiffe` in its GradientUtils.cpp), and there it adds adjoints: LLVM then takes the one
before the other was added.

And what a loop declares it says of each run of its own, as a closure's references do that is called in one: what is `&a[i]` in
one run, and `&mut a[i]` in another, Enzyme takes for two places, and so does LLVM where Enzyme leaves the declaration out.

Of what copies memory it says nothing (`SubTransferHelper`): that may go on meeting none of what is only read.  But for a copy
of known size, of which LLVM may make a load.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

NOALIAS = b"noalias"
SCOPE = b"alias.scope"
_DECLARATION = "llvm.experimental.noalias.scope.decl"
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def declared_in_loops(inspector: Inspector, flow: ControlFlow) -> Iterator[tuple[Value, bytes, list[Value]]]:
    """What has a scope that a loop declares; as what, and with the scopes that it may have all the same."""
    blocks = {block for loop in flow.loops() for block in loop.blocks}
    instructions = [one for block in flow.ends if block in blocks for one in inspector.module.instructions_of(block)]
    declarations = [one for one in instructions if inspector.is_call_of(one, _DECLARATION)]
    declared = {scope for one in declarations for scope in inspector.module.metadata_operands(inspector.operands(one)[0])}
    for instruction, kind in product(instructions, (NOALIAS, SCOPE)) if declared else ():
        scopes = _of(inspector, instruction, kind)
        if not declared.isdisjoint(scopes):
            yield instruction, kind, [scope for scope in scopes if scope not in declared]


def overclaims(inspector: Inspector, function: Value) -> Iterator[tuple[Value, list[Value]]]:
    """What reads, and is said to meet nothing of a scope of which nothing is written; with the scopes that may be said."""
    instructions = inspector.module.returning_instructions(function)
    scopes = {one: set(_of(inspector, one, SCOPE)) for one in instructions}
    written = set[Value]().union(*(its for one, its in scopes.items() if inspector.api.IsAStoreInst(one)))
    only_read = set[Value]().union(*scopes.values()) - written
    for reader in (one for one in instructions if _may_be_read_by(inspector, one)):
        said = _of(inspector, reader, NOALIAS)
        if not only_read.isdisjoint(said):
            yield reader, [scope for scope in said if scope not in only_read]


def _may_be_read_by(inspector: Inspector, instruction: Value) -> bool:
    if inspector.is_call_of(instruction, _COPIES):
        return bool(inspector.api.IsAConstantInt(inspector.module.arguments(instruction)[2]))
    return not inspector.api.IsAStoreInst(instruction)


def _of(inspector: Inspector, instruction: Value, kind: bytes) -> list[Value]:
    node = inspector.api.GetMetadata(instruction, inspector.metadata_kind(kind))
    return inspector.module.metadata_operands(node) if node else []
