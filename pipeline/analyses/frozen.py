"""Frozen pointers, by which Enzyme forgets a shadow in reverse mode.

LLVM freezes a pointer that it compares earlier than the program does, and of which nobody says that it is defined.  Enzyme
looks at the users of what is loaded, and at theirs, for one that wants its shadow; of a `freeze` it says no, whatever uses
that (by its rule of `Freeze` in InstructionDerivatives.td).  Where the place was written to since, the adjoint goes to what
is there now; where the block that loads the pointer uses it, too, it breaks down: "Erased value with a use".
"""

from __future__ import annotations

from pipeline.analyses.hidden import ACTIVE
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def forgotten(inspector: Inspector, function: Value) -> list[Value]:
    """The freezes of pointers that have no shadow of their own, as parameters do, and are not shown to be active."""
    instructions = inspector.module.returning_instructions(function)
    return [one for one in instructions if inspector.freezes_pointer(one) and not _is_shown(inspector, one)]


def _is_shown(inspector: Inspector, freeze: Value) -> bool:
    (pointer,) = inspector.operands(freeze)
    users = inspector.module.users(pointer) if inspector.api.IsAInstruction(pointer) else []
    return not users or any(inspector.is_call_of(user, ACTIVE) for user in users)
