"""The last check: what would come out wrong without a word, on the very module that Enzyme saw.

Independent of the repairs: what they mended is not here any more, and what they could not mend is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from pipeline.call_tree import call_tree, calls, indirect_calls
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import packs_floats
from pipeline.toolchain import Tool

_POINTER = "what is called here through a pointer is not known, and would count as constant"
_PACKED = "a function that has floats in the integers of its header would lose their derivatives: `{}`"


def audit(libllvm: Tool, seen: Path, shims: Iterable[str]) -> list[Diagnostic]:
    """What would come out wrong in the functions (names in the module) that are differentiated, and in all they call."""
    with Module(libllvm, seen) as module:
        editor = Editor(module)
        tree = call_tree(editor, module.named(shims))
        packed = {function for function in tree if packs_floats(editor, function)}
        found = [d for function in tree for d in findings(editor, function, packed)]
    return list(dict.fromkeys(found))


def findings(editor: Editor, function: Value, packed: Set[Value]) -> Iterator[Diagnostic]:
    """What would come out wrong in one function, where those in `packed` have floats in the integers of their headers."""
    module = editor.module
    for call in indirect_calls(editor, function):
        yield Diagnostic(_POINTER, module.place(call))
    for call in calls(editor, function):
        callee = module.callee(call)
        if callee in packed:
            yield Diagnostic(_PACKED.format(module.name(callee)), module.place(call))
