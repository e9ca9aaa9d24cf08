"""The memory of derivatives: where there is none, the program ends as Rust does, and says which derivative wanted it.

Enzyme asks for memory, says that it is given some, and does not look.  So each allocation in what it made is followed by a
check, which opt2 inlines.

With `tape: pooled` the frontend's functions (rust/autodiff/src/tape) take the place of the C library's, and keep what is freed.
Each block is one of `malloc`'s all the same, so that it does not matter what of a derivative's memory is a tape, and what the
user's own, that others allocate or free.  LLVM knows what these functions do by what is said of each call, as it knows of
`malloc`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from pipeline import wide_vectors
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import BELOW
from pipeline.toolchain import Tool

_SIZES = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,)}
"""What allocates, and which of its arguments make the size."""

_POOLED = "__crategrad_pooled_"
POOL = tuple(f"{_POOLED}{name}" for name in (*_SIZES, "free"))
"""The frontend's functions; nobody calls them before there are derivatives."""

_ADDRESSES = 1 << 48
"""No process has so many.  What asks for so much is the tape of a loop that will not run: it is allocated before that is known,
for a number of runs below zero."""

_CHECK, _END = "crategrad_memory_is_there", "crategrad_no_memory"
_COMPLAINT = "memory allocation of %zu bytes failed in the derivative %s\n"


@dataclass(frozen=True)
class Tape:
    """What becomes of the allocations of derivatives."""

    libllvm: Tool
    pooled: bool = False
    """Whether what is freed is kept for the next derivative."""

    def provide(self, made: Path, derivatives: Mapping[str, str], part: Path) -> None:
        """Write as `part` what Enzyme made, where all of it looks whether there was memory, and uses the pool, if there is one.

        `derivatives`: what the frontend says of each, by the derivative's name.
        """
        with Module(self.libllvm, made) as module:
            editor = Editor(module)
            wide_vectors.pass_by_pointer(editor)
            for function, wanted_by in _by_derivative(editor, derivatives).items():
                for call in list(calls(editor, function)):
                    self._serve(editor, call, " or ".join(wanted_by))
            module.write(part)

    def _serve(self, editor: Editor, call: Value, derivative: str) -> None:
        name = editor.module.name(editor.module.callee(call))
        if self.pooled and f"{_POOLED}{name}" in POOL:
            call = editor.call_instead(call, f"{_POOLED}{name}")
        if name in _SIZES:
            _check(editor, call, _SIZES[name], derivative)


def _by_derivative(editor: Editor, derivatives: Mapping[str, str]) -> dict[Value, Collection[str]]:
    """The functions that derivatives reach, and which derivatives reach each."""
    found: dict[Value, dict[str, None]] = {}
    for function in list(editor.module.functions()):
        name = editor.module.name(function).partition(".")[0]  # of several by one name LLVM gives all but one a number
        for reached in call_tree(editor, [function]) if name in derivatives else ():
            found.setdefault(reached, {})[derivatives[name]] = None
    return {function: list(wanted_by) for function, wanted_by in found.items()}


def _check(editor: Editor, call: Value, of_size: Sequence[int], derivative: str) -> None:
    """End the program after this call if it gave no memory.  `of_size`: which arguments make the size."""
    api, check, arguments = editor.api, _checking(editor), editor.module.arguments(call)
    editor.forget_that_it_succeeds(call)
    for index in of_size:
        editor.forget_that_it_fits(arguments[index])
    with editor.module.after(call) as builder:
        sizes = [arguments[index] for index in of_size]
        size = reduce(lambda product, factor: int(api.BuildMul(builder, product, factor, b"")), sizes)
        told = [
            int(api.BuildIsNull(builder, call, b"")),
            size,
            int(api.BuildGlobalStringPtr(builder, derivative.encode(), b"")),
        ]
        editor.call(builder, editor.function_type(check), check, told)


def _checking(editor: Editor) -> Value:
    """The function that is told whether there is no memory, how many bytes were asked for, and by whom; it may not return."""
    if found := editor.module.named([_CHECK]):
        return found[0]
    api, told = editor.api, [editor.integer(64), editor.pointer_type()]
    end = editor.ending_function(_END, told, _COMPLAINT, by="abort")
    function = editor.internal_function(_CHECK, editor.void_type(), [editor.integer(1), *told])
    editor.add_attribute(function, "alwaysinline")
    is_none, size, derivative = editor.parameters(function)
    with editor.block(function) as builder:
        less = api.BuildAdd(builder, size, editor.module.int64(-1), b"")  # of no bytes there may be none
        is_possible = api.BuildICmp(builder, BELOW, less, editor.module.int64(_ADDRESSES - 1), b"")
        is_missed = api.BuildSelect(builder, is_none, is_possible, api.ConstInt(editor.integer(1), 0, 0), b"")
        for ends in editor.branch(builder, function, is_missed, (True, False)):
            if ends:
                editor.call(builder, editor.function_type(end), end, [size, derivative])
                api.BuildUnreachable(builder)
            else:
                api.BuildRetVoid(builder)
    return function
