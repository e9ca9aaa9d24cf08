"""What is read where a value of another type is written later is kept for reverse mode: analyses/reused.py.

Numbers there Enzyme does not see: neither how they are stored, nor how they are read.  It has one type for a place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.counting import counts_only, is_counted
from pipeline.analyses.debug_info import FLOAT_BITS, floats_around, floats_kept, types_here
from pipeline.analyses.float_places import FloatPlaces
from pipeline.analyses.layout import INTEGER
from pipeline.analyses.moves import word_accessed
from pipeline.analyses.reused import Reused
from pipeline.analyses.uses import Uses
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def hide(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hide the loads and stores of numbers; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        reused = Reused(editor, flow)
        integers = [load for load, _ in reused.loads() if editor.integer_bits(editor.accessed_type(load))]
        stored = list(reused.integers())
        if not integers and not stored:
            continue
        variables = Variables(editor, function)
        loads = [
            load for load in integers if word_accessed(editor, load, variables) == INTEGER or _is_counted(editor, flow, load)
        ]
        stores = _stores_of_numbers(editor, FloatPlaces(editor, function, variables), stored, loads)
        for store in stores:
            opaque.store(editor, store, is_number=True)
        for load in loads:
            opaque.outline(editor, load)
        if count := len(stores) + len(loads):
            done.append(f"reused: {count} in {editor.module.name(function)}")
    return done


def _is_counted(editor: Editor, flow: ControlFlow, load: Value) -> bool:
    """Whether an integer is counted with, compared or decides, and is neither moved nor made a float or a pointer."""
    panics = flow.never_returning()
    for value, user in (uses := Uses(editor.module, [load])):
        if editor.is_choice(user):
            uses.follow([user])
        elif editor.api.GetInstructionParent(user) not in panics and not _takes_number(editor, value, user):
            return False
    return True


def _takes_number(editor: Editor, value: Value, user: Value) -> bool:
    """Whether an integer is taken for a number, or a bit of it is all that is taken, or it is that bit."""
    return 1 in (editor.integer_bits(editor.api.TypeOf(one)) for one in (value, user)) or counts_only(editor, user)


def _stores_of_numbers(editor: Editor, places: FloatPlaces, stores: Sequence[Value], loads: Collection[Value]) -> list[Value]:
    """Those of which nobody can take for a float's bits, or a pointer's, what is stored."""

    def is_number(load: Value) -> bool:
        return load in loads or places.is_number(load)

    def is_stored_number(source: Value) -> bool:
        return not editor.could_be_float(source) and is_counted(editor, source, is_number)

    return [store for store in stores if all(map(is_stored_number, editor.sources(editor.operands(store)[0])))]


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Keep what else is read where it was read, or chosen, for who wants it; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        kept: dict[Value, Value] = {}
        for load, uses in list(Reused(editor, ControlFlow(editor.module, function)).loads()):
            may_be_float, may_lead_to_floats = _may_be_float(editor, load), _may_lead_to_floats(editor, load)
            for value, user in uses:
                is_pointer = may_lead_to_floats and _makes_pointer(editor, value, user)
                if not is_pointer and not (may_be_float and _moves_bits(editor, value, user)):
                    kept[value] = kept.get(value) or opaque.kept(editor, value, editor.following(value))
                    editor.give(user, value, kept[value])
        if kept:
            done.append(f"reused: {len(kept)} kept in {editor.module.name(function)}")
    return done


def _may_be_float(editor: Editor, load: Value) -> bool:
    """Whether an integer that is read, or a vector of them, is as wide as a float may be there."""
    ty = editor.accessed_type(load)
    bits = 8 * editor.size_of(ty) if editor.is_of_integers(ty) else 0
    return any(FLOAT_BITS[name] <= bits for name in floats_around(editor.module, load))


def _may_lead_to_floats(editor: Editor, load: Value) -> bool:
    """Whether the types around a load are made for floats, behind whatever pointers."""
    types = types_here(editor.module, load)
    return not types or any(floats_kept(editor.module, ty) for ty in types)


def _makes_pointer(editor: Editor, value: Value, user: Value) -> bool:
    """Whether an integer is made a pointer here, which would have no shadow."""
    return bool(editor.integer_bits(editor.api.TypeOf(value))) and editor.is_pointer_cast(user)


def _moves_bits(editor: Editor, value: Value, user: Value) -> bool:
    """Whether an integer may be taken apart, or made a float or a pointer, here: whoever looks for that must find it.

    Of vectors of integers whoever uses one may do that.
    """
    ty = editor.api.TypeOf(value)
    if editor.is_of_integers(ty) and not editor.integer_bits(ty):
        return True
    bits, left = (editor.integer_bits(editor.api.TypeOf(one)) for one in (value, user))
    is_cast = editor.is_pointer_cast(user) or editor.is_cast_to_float(user)
    is_cut = left > 1 and editor.is_bitwise(user) and not counts_only(editor, user)
    return bits in FLOAT_BITS.values() and (is_cut or is_cast)
