"""Taking the unwinding out of code that is differentiated: there a panic ends the program, whatever it does elsewhere."""

from __future__ import annotations

from ctypes import c_void_p

from pipeline.llvm_edit import Editor

_PERSONALITY = {"SetPersonalityFn": (None, [c_void_p, c_void_p])}


def abort_on_panic(editor: Editor) -> None:
    """Take the unwinding out, as `panic=abort` does: nothing comes back from a panic, so nothing is cleaned up after one.

    Enzyme and the repairs would meet calls with two ways to go on.
    """
    editor.api.load(_PERSONALITY)
    editor.run_passes("lower-invoke,simplifycfg")
    for function in filter(editor.module.is_defined, editor.module.functions()):
        editor.add_attribute(function, "nounwind")
        editor.api.SetPersonalityFn(function, None)
