"""Who gives derivatives their memory: the frontend's functions (rust/autodiff/src/tape) in the place of the C library's.

They end the program where there is no memory, which derivatives do not ask; and with `tape: pooled` they keep what is freed.
Each block is one of `malloc`'s all the same, so that it does not matter what of a derivative's memory is a tape, and what the
user's own, that others allocate or free.  LLVM knows what these functions do by what is said of each call, as it knows of
`malloc`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.toolchain import Tool

_ALLOCATING = ("malloc", "calloc", "realloc")
_FREEING = "free"


@dataclass(frozen=True)
class Tape:
    """How the memory of derivatives is managed."""

    libllvm: Tool
    pooled: bool
    """Whether what is freed is kept for the next derivative."""

    def provide(self, part: Path, derivatives: Mapping[str, str]) -> None:
        """Have all that Enzyme made in a part of the module call the frontend's functions.

        `derivatives`: what the frontend says of each, by the derivative's name.
        """
        with Module(self.libllvm, part) as module:
            editor = Editor(module)
            for function, wanted_by in _by_derivative(editor, derivatives).items():
                for call in list(calls(editor, function)):
                    self._redirect(editor, call, " or ".join(wanted_by))
            module.write(part)

    def _redirect(self, editor: Editor, call: Value, derivative: str) -> None:
        callee = editor.module.callee(call)
        name = editor.module.name(callee)
        if name in _ALLOCATING:
            says = "pooled" if self.pooled else "checked"
            editor.call_instead(call, f"__crategrad_{says}_{name}", derivative)
        elif name == _FREEING and self.pooled:
            editor.call_instead(call, f"__crategrad_pooled_{name}")


def _by_derivative(editor: Editor, derivatives: Mapping[str, str]) -> dict[Value, Collection[str]]:
    """The functions that derivatives reach, and which derivatives reach each."""
    found: dict[Value, dict[str, None]] = {}
    for function in list(editor.module.functions()):
        name = editor.module.name(function).partition(".")[0]  # of several by one name LLVM gives all but one a number
        for reached in call_tree(editor, [function]) if name in derivatives else ():
            found.setdefault(reached, {})[derivatives[name]] = None
    return {function: list(wanted_by) for function, wanted_by in found.items()}
