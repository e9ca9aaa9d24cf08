"""A module edited by hand, in place of the one that a stage would read (`from=STAGE with=FILE`).

What comes of it lies in a folder of its own, under keys that no other build asks for, and the artifact says in its section
`.comment` what it is.
"""

from __future__ import annotations

import hashlib
from ctypes import c_char_p, c_uint, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline import process
from pipeline.digests import file_digest
from pipeline.errors import UserError
from pipeline.llvm import Module
from pipeline.stages import MODULE, NAMES, Inputs
from pipeline.toolchain import Tools

_IDENT = b"llvm.ident"
_METADATA: dict[str, tuple[Any, list[Any]]] = {
    "MDStringInContext": (c_void_p, [c_void_p, c_char_p, c_uint]),
    "MDNodeInContext": (c_void_p, [c_void_p, c_void_p, c_uint]),
    "AddNamedMetadataOperand": (None, [c_void_p, c_char_p, c_void_p]),
}


@dataclass(frozen=True)
class Edit:
    """The file, bitcode or text, and the stage that is to read it."""

    stage: str
    file: Path
    tools: Tools

    def __str__(self) -> str:
        return f"edited: {self.stage} was given {self.file.name}"

    def concerns(self, name: str) -> bool:
        """Whether what a stage makes is made of the edited module."""
        return NAMES.index(name) >= NAMES.index(self.stage)

    def key(self, key: str) -> str:
        """The key of what a stage makes of the edited module, in place of the one that an ordinary build would look for."""
        return hashlib.sha256(f"edited {file_digest(self.file)} {key}".encode()).hexdigest()

    def given_to(self, name: str, inputs: dict[str, Path], scratch: Path, log: Path) -> Inputs:
        """What a stage is to read: for the one of the edit its input with the edited module in it.

        Raises: UserError where LLVM cannot read that, or finds it broken.
        """
        if name != self.stage:
            return inputs
        import shutil

        folder = scratch / "edited"
        shutil.copytree(inputs["module"], folder, ignore=shutil.ignore_patterns(MODULE))
        try:
            process.run_tool([self.tools.opt, "-passes=verify", "-o", folder / MODULE, self.file], log=log)
        except UserError as error:
            raise UserError(f"error: {self.file} is no module for {name}\n{error.message}") from error
        with Module(self.tools.libllvm, folder / MODULE) as module:
            _sign(module, f"crategrad: {self}")
            module.write(folder / MODULE)
        return {**inputs, "module": folder}


def _sign(module: Module, words: str) -> None:
    """Have it said in what is made of the module: LLVM writes what made it into objects, and linkers pass that on."""
    module.api.load(_METADATA)
    text = words.encode()
    string = c_void_p(module.api.MDStringInContext(module.context, text, len(text)))
    node = module.api.MDNodeInContext(module.context, (c_void_p * 1)(string), 1)
    module.api.AddNamedMetadataOperand(module.handle, _IDENT, node)
