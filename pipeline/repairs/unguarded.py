"""What is copied from memory that may be `Const` is copied number by number, which Enzyme guards.

See `analyses/unguarded.py`; what is left the audit refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.unguarded import copied, has_float, unguarded
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import copies


def by_words(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Do so in all that the shims reach, where it is known what is copied; a line for each function."""
    done = []
    for function, found in unguarded(editor, shims).items():
        variables = Variables(editor, function)
        count = sum(_mend(editor, copy, variables) for copy in found)
        done += [f"unguarded: {count} in {editor.module.name(function)}"] if count else []
    return done


def _mend(editor: Editor, copy: Value, variables: Variables) -> bool:
    """Make a copy number by number; False where it is not known what it is of, or there is no float in it."""
    words, size = copied(editor, copy, variables)
    if not 0 < len(words) <= copies.MOST_WORDS or not has_float(words):
        return False
    copies.by_words(editor, copy, words, size)
    return True
