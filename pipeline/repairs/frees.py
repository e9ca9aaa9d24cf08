"""Memory that is freed where other memory may be is freed as that is: in the reverse sweep (analyses/allocations.py).

Enzyme makes memory again in the reverse sweep that it sees all accesses to, and leaves its `free` where it is.  It is shown a
call that takes the address.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pipeline.analyses.allocations import made_again
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.each import mend_each


def as_the_others(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep such memory from being made again; a line for each function."""
    return mend_each(editor, shims, "frees: {}", partial(made_again, editor), opaque.keep)
