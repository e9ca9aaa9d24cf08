"""Memory to which a pointer leads that may lead to other memory is active where that is.

Enzyme takes memory that is written and not read for constant, and its shadow is then the memory itself.  Where a pointer is
either that or memory with a shadow of its own, as of a `Vec` that may have grown, what was written would be taken for an
adjoint.

To say so of the allocation alone is not enough: where Enzyme looks at a pointer into it, and finds that all that is loaded
there is constant, it takes the memory for constant once more (`DownHypothesis` in its ActivityAnalysis.cpp).  An active use
is there for every pointer.  Where it is filled with a byte there is none: of what nobody reads or writes otherwise Enzyme would
want to know the type, and nothing says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pipeline.analyses.allocations import is_filled, kept
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.each import mend_each

_ACTIVE = "enzyme_active"


def make_active(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of allocations that are chosen from or stored that they are active; a line for each function."""
    return mend_each(editor, shims, "mixed: {}", partial(kept, editor), _make_active)


def _make_active(editor: Editor, call: Value) -> None:
    editor.add_call_attribute(call, _ACTIVE)
    if not is_filled(editor, call):
        opaque.use(editor, call)
