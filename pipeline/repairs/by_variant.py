"""An enum that goes from variant to variant has ways of its own for each: a word of it is a float on one, a number on another.

LLVM has the words of an enum in phis: `One(x)` and `Many(vec)` have a float and a capacity in the same, and which it is in
another one, of which a `switch` asks.  Jump threading leads from where a variant is made to its case straight away.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import CLEAN

_THREADED = f"dfa-jump-threading,jump-threading,simplifycfg,{CLEAN}"


def lead(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Lead from variant to variant in all that the shims reach where words are shared so; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        if any(_decides_on_words(editor, instruction) for instruction in editor.module.instructions(function)):
            editor.run_passes(_THREADED, function)
            done.append(f"by_variant: {editor.module.name(function)}")
    return done


def _decides_on_words(editor: Editor, instruction: Value) -> bool:
    """Whether it is a `switch` that asks for what comes together with words that are floats, or are not."""
    if not editor.api.IsASwitchInst(instruction):
        return False
    variant = editor.operands(instruction)[0]
    if not editor.api.IsAPHINode(variant) or not any(map(editor.api.IsAConstantInt, editor.chosen(variant))):
        return False
    together = editor.module.instructions_of(editor.api.GetInstructionParent(variant))
    return any(_is_float_or_not(editor, phi) for phi in together if phi != variant and editor.api.IsAPHINode(phi))


def _is_float_or_not(editor: Editor, phi: Value) -> bool:
    """Whether what is chosen, or chosen from it in turn, is taken for a float in one place, and for none in another."""
    known, waiting = set[Value](), [phi]
    while waiting:
        value = waiting.pop()
        if _is_of_bits(editor, value):
            return True
        if value not in known and editor.is_choice(value):
            waiting += [*editor.chosen(value), *editor.module.users(value)]
        known.add(value)
    return False


def _is_of_bits(editor: Editor, value: Value) -> bool:
    return editor.is_cast_to_float(value) or bool(editor.float_behind(value))
