"""Functions of the standard library that deal with text and with the outside have no derivative, and Enzyme is told so.

Printing and formatting, files, locks, random keys, the environment, threads: Enzyme has no derivative of what they call in
the end.  It is not shown these functions, and calls them as they stand.  Only those out of which no float can come, neither
by a result nor by anything written down there, be it in a `Display` of the user's own.  The same holds for what they keep
for each thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree
from pipeline.debug_info import path, signature_types, type_name
from pipeline.effects import STD, Effects
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

_OUTSIDE = "std"
"""The crate that is about the outside: `core` and `alloc` hold what needs no operating system."""
_CARRIES = {"collections", "f32", "f64", "num"}
"""Its modules that are not."""
_IN_CORE = (["core", "fmt"], ["alloc", "fmt"], ["core", "hash"])
"""The modules elsewhere that are about text; and what becomes of a value in a hash is no number of it."""
_TEXTS = ("core::fmt::Formatter", "core::fmt::Arguments")
_READS = "read"
"""What brings bytes from outside into memory that somebody else has given begins with this."""
_ATTRIBUTES = ("nofree", "noinline")
_TO_ENZYME = ("enzyme_inactive", "enzyme_ta_norecur", "enzyme_no_escaping_allocation")


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it of those that the shims reach; a line for each."""
    effects = Effects(editor)
    found = _outermost(editor, effects, shims)
    for function in found:
        _hide(editor, function)
    for function in call_tree(editor, shims):
        for address in filter(editor.is_thread_local_address, editor.module.instructions(function)):
            if not effects.may_lead_to_floats(address):
                editor.add_call_attribute(address, _TO_ENZYME[0])
    return [f"apart: {editor.module.name(function)}" for function in found]


def _outermost(editor: Editor, effects: Effects, shims: Sequence[Value]) -> list[Value]:
    """The functions that are inactive, and are called or mentioned by what is not."""
    known, waiting = set(shims), list(shims)
    found: list[Value] = []
    while waiting:
        mentioned = (f for f in editor.functions_mentioned(waiting.pop()) if editor.module.is_defined(f) and f not in known)
        for function in mentioned:
            known.add(function)
            is_apart = deals_with_the_outside(editor, function) and not effects.gives_floats(function)
            (found if is_apart else waiting).append(function)
    return found


def deals_with_the_outside(inspector: Inspector, function: Value) -> bool:
    """Whether a function is one of std's that are about text or the outside, or of anybody's that writes a value as text.

    Not one that returns by pointer: Enzyme would leave out the shadow of the result's place.
    """
    if inspector.parameters(function) and inspector.parameter_has_attribute(function, 0, "sret"):
        return False
    where = path(inspector.module, inspector.module.subprogram(function))
    if not where or where[0] not in STD:
        types = [type_name(inspector.module, ty) for ty in signature_types(inspector.module, function)]
        return any(text in ty for ty in types for text in _TEXTS)
    is_outside = where[0] == _OUTSIDE and where[1] not in _CARRIES and not where[-1].startswith(_READS)
    return is_outside or where[:2] in _IN_CORE or where[-1].partition("<")[0] == "fmt"


def _hide(editor: Editor, function: Value) -> None:
    """See to it that Enzyme calls a function as it stands.

    It is said to free nothing: of what it frees, as of a text that grows, nothing is read again when adjoints are.
    """
    for attribute in _ATTRIBUTES:
        editor.add_attribute(function, attribute)
    for attribute in _TO_ENZYME:
        editor.add_text_attribute(function, attribute)
