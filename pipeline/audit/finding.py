"""What the audit says, and of which place."""

from __future__ import annotations

from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def finding(inspector: Inspector, instruction: Value, message: str) -> Diagnostic:
    """A refusal of an instruction, at its place in the user's own source; of one without any, at the first of its function."""
    module = inspector.module
    others = (place for one in module.instructions(module.parent(instruction)) if (place := module.users_place(one)))
    return Diagnostic(message, module.users_place(instruction) or next(others, None))
