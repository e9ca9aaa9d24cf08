"""What stages after crate_bitcode want in any case, got ready while cargo works: until it is done this process only waits."""

from __future__ import annotations

import importlib
from contextlib import suppress
from dataclasses import dataclass

from pipeline import llvm
from pipeline.errors import UserError
from pipeline.toolchain import Tool

_IMPORTED = ("tarfile", "concurrent.futures.thread", "pipeline.strategies.slice", "pipeline.repairs", "pipeline.audit")
"""What takes longest."""


@dataclass(frozen=True)
class Ready:
    """What is called to load it, and them."""

    libllvm: Tool

    def __call__(self) -> None:
        """Get ready."""
        with suppress(UserError):  # whoever needs the library says that it is missing
            llvm.load(self.libllvm)
        for name in _IMPORTED:
            importlib.import_module(name)
