"""What LLVM knows of references that are only read, and what is not so of their shadows.

Two `&` may lead to one place: that they do not (`noalias`) is said of them all the same, as nobody writes there.  Enzyme says
it of the shadows, too (`addToInvertedPtrDiffe` in its GradientUtils.cpp), and there it adds adjoints: LLVM then takes the one
before the other was added.

Of what copies memory it says nothing (`SubTransferHelper`): that may go on meeting none of what is only read.  But for a copy
of known size, of which LLVM may make a load.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_NOALIAS = b"noalias"
_SCOPE = b"alias.scope"
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def overclaims(inspector: Inspector, function: Value) -> Iterator[tuple[Value, list[Value]]]:
    """What reads, and is said to meet nothing of a scope of which nothing is written; with the scopes that may be said."""
    instructions = inspector.module.returning_instructions(function)
    scopes = {one: set(_of(inspector, one, _SCOPE)) for one in instructions}
    written = set[Value]().union(*(its for one, its in scopes.items() if inspector.api.IsAStoreInst(one)))
    only_read = set[Value]().union(*scopes.values()) - written
    for reader in (one for one in instructions if _may_be_read_by(inspector, one)):
        said = _of(inspector, reader, _NOALIAS)
        if not only_read.isdisjoint(said):
            yield reader, [scope for scope in said if scope not in only_read]


def _may_be_read_by(inspector: Inspector, instruction: Value) -> bool:
    if inspector.is_call_of(instruction, _COPIES):
        return bool(inspector.api.IsAConstantInt(inspector.module.arguments(instruction)[2]))
    return not inspector.api.IsAStoreInst(instruction)


def _of(inspector: Inspector, instruction: Value, kind: bytes) -> list[Value]:
    node = inspector.api.GetMetadata(instruction, inspector.metadata_kind(kind))
    return inspector.module.metadata_operands(node) if node else []
