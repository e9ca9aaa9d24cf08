"""Memory that is freed where other memory may be is freed as that is: in the reverse sweep (analyses/allocations.py).

Enzyme makes memory again in the reverse sweep that it sees all accesses to, and leaves its `free` where it is.  It is shown a
call that takes the address.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.allocations import made_again
from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def as_the_others(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep such memory from being made again; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = made_again(editor, function)
        for allocation in found:
            opaque.keep(editor, allocation)
        done += [f"frees: {len(found)} in {editor.module.name(function)}"] if found else []
    return done
