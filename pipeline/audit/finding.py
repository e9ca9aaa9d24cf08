"""What the audit says, and of which place."""

from __future__ import annotations

from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def finding(inspector: Inspector, instruction: Value, message: str) -> Diagnostic:
    """A refusal of an instruction, at its place in the user's own source."""
    return Diagnostic(message, inspector.module.users_place(instruction))
