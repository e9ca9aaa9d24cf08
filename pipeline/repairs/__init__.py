"""Repairs of what rustc's ABI and LLVM's passes make of functions, so that Enzyme sees floats as floats and every callee.

Each takes the module and the shims that are differentiated, and touches only what they call.  What a repair cannot mend
stays as it is: the audit after it refuses what would come out wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import (
    by_pointer,
    copies,
    dispatch,
    inline,
    loops,
    opaque,
    overlaps,
    panics,
    recursive_results,
    retype,
    split_words,
    zeroed,
)
from pipeline.repairs.inline import CLEAN
from pipeline.repairs.words import Words

_ENZYMES_OWN = (
    "float2int,lower-constant-intrinsics,"
    "loop(loop-rotate<header-duplication;no-prepare-for-lto>,loop-deletion,loop-unroll-full),gvn,sroa<preserve-cfg>"
)
"""The passes that Enzyme runs before it looks at anything (`augmentPassBuilder` in its Enzyme.cpp), inlining apart.

They make of a loop over two words the word with its halves: done here first, that is mended, too.
"""


def repair(module: Module, shims: Sequence[Value]) -> list[str]:
    """Mend what the shims call; what was done, a line each."""
    editor = Editor(module)
    done = inline.headers_with_packed_floats(editor, shims)
    done += dispatch.indirect_calls(editor, shims)
    done += inline.headers_with_packed_floats(editor, shims)
    done += by_pointer.recursive_headers(editor, shims)
    functions = list(call_tree(editor, shims))
    for function in functions:
        editor.run_passes(f"{_ENZYMES_OWN},{CLEAN}", function)
        if split_words.split(editor, function):
            editor.run_passes(CLEAN, function)
            done.append(f"split_words: {module.name(function)}")
    words = Words(editor, shims)
    for function in functions:
        if retype.retype(editor, function, words):
            editor.run_passes(CLEAN, function)
            done.append(f"retype: {module.name(function)}")
        if opaque.hide_integers(editor, function):
            done.append(f"opaque: {module.name(function)}")
    by_pointer.say_what_is_read(editor, shims)
    done += recursive_results.hide(editor, shims)
    done += overlaps.by_copy(editor, shims)
    done += zeroed.by_store(editor, shims)
    done += copies.say_what_is_copied(editor, shims)
    done += panics.keep(editor, shims)
    return done + loops.shape(editor, shims)
