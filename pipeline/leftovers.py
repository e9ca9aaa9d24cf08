"""What repairs and Enzyme have said of functions and instructions, taken back once the derivatives are there.

What Enzyme is to call as it stands is not inlined before that, and said to free nothing: of the program's own functions that is
no longer so.
"""

from __future__ import annotations

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import UNTIL_OPT2

STANDS_FOR = "crategrad_for."
"""How the name begins of a function without a body; that of the one it stands for, until derivatives are there, follows."""

ITSELF = "crategrad_itself."
"""How the name begins of a function without a body that gives what it is given, and of which Enzyme knows no derivative."""

_SAID = ("enzyme_", "crategrad_")
"""How the names of attributes begin that are Enzyme's or ours."""
_KINDS = ("type", "inactive", "active", "shadow", "mustcache", "fromcache", "fromstack", "backstack", "caststack")
_OF_CACHES = ("cache_alloc", "cache_free", "nocache", "noneedunwrap", "shouldrecompute", "notypeanalysis")
_METADATA = tuple(f"enzyme_{kind}" for kind in _KINDS + _OF_CACHES)
"""What is attached to instructions and variables; LLVM tells no kind's name."""


def take_back(editor: Editor) -> None:
    """Take all of it out of a module."""
    module, kinds = editor.module, {editor.metadata_kind(kind.encode()) for kind in _METADATA}
    for function in list(module.functions()):
        _take_place(editor, function)
    for variable in module.variables():
        editor.drop_metadata_of_global(variable, kinds)
    for function in module.functions():
        _take_from(editor, function)
        for instruction in module.instructions(function):
            editor.drop_metadata(instruction, kinds)
            if module.is_call(instruction):
                editor.drop_text_attributes_of_call(instruction, _SAID)


def _take_place(editor: Editor, standing: Value) -> None:
    """Call what a function stands for in its place, if it does."""
    name = editor.module.name(standing)
    if name.startswith(STANDS_FOR):
        function = editor.declared(name.removeprefix(STANDS_FOR), editor.function_type(standing))
        for call in editor.module.users(standing):
            editor.call_another(call, function)
        editor.module.delete_function(standing)
    if name.startswith(ITSELF):
        for call in editor.module.users(standing):
            editor.replace(call, editor.module.arguments(call)[0])
        editor.module.delete_function(standing)


def _take_from(editor: Editor, function: Value) -> None:
    editor.drop_attributes(function, *(name for name in UNTIL_OPT2 if editor.has_text_attribute(function, UNTIL_OPT2[name])))
    editor.drop_text_attributes(function, _SAID)
