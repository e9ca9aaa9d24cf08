"""What many repairs have in common: they look for something in each function, and mend what they find."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def mend_each(
    editor: Editor,
    shims: Sequence[Value],
    said: str,
    find: Callable[[Value], Sequence[Value]],
    mend: Callable[[Editor, Value], object],
) -> list[str]:
    """Mend all that is found in the functions that the shims reach; a line for each function in which there was something.

    `find`: what is to be mended in a function.  `said`: the line, with how much it was in the place of `{}`.
    """
    done = []
    for function in call_tree(editor, shims):
        found = find(function)
        for one in found:
            mend(editor, one)
        if found:
            done.append(f"{said.format(len(found))} in {editor.module.name(function)}")
    return done
