"""What becomes of unwinding in the code that is differentiated: there a panic ends the program, whatever it does elsewhere."""

from __future__ import annotations

from ctypes import c_void_p

from pipeline.llvm_edit import Editor

UNWIND = "unwind"
"""The value of a config's `panic` that keeps it elsewhere."""

NOT_THROUGH = ("-force-attribute=nounwind", "-force-remove-attribute=uwtable")
"""Options of `opt`, for its pass `forceattrs`, by which nothing unwinds through any function of a module: the unwinder finds no
table for them, and Rust's runtime ends the program."""

_PERSONALITY = {"SetPersonalityFn": (None, [c_void_p, c_void_p])}
_RUNTIMES = {"abort": "panic_abort", UNWIND: "panic_unwind"}


def other_runtime(panic: str) -> str:
    """The crate of std's that is not for programs that do this on a panic."""
    (other,) = (crate for does, crate in _RUNTIMES.items() if does != panic)
    return other


def abort_on_panic(editor: Editor) -> None:
    """Take the unwinding out, as `panic=abort` does: nothing comes back from a panic, so nothing is cleaned up after one.

    Enzyme and the repairs would meet calls with two ways to go on.
    """
    editor.api.load(_PERSONALITY)
    editor.run_passes("lower-invoke,simplifycfg")
    for function in filter(editor.module.is_defined, editor.module.functions()):
        editor.add_attribute(function, "nounwind")
        editor.api.SetPersonalityFn(function, None)
