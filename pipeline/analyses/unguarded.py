"""Copies from memory that may be `Const`, or active, as the program runs: its values are taken for tangents, or adjoints added.

Enzyme gives a pointer to inactive memory the pointer itself for a shadow (`mixing.py`).  In a load it compares the two as the
program runs; a copy it makes of the shadow as it is (`visitMemTransferCommon` in its AdjointGenerator.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.analyses.allocations import is_own
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import (
    FLOAT_BITS,
    base_type,
    elements_moved,
    floats_kept,
    is_pointer,
    parameter_types,
    placed,
    type_name,
)
from pipeline.analyses.layout import Word, words
from pipeline.analyses.mixing import mixes
from pipeline.analyses.moves import elements, is_copy
from pipeline.analyses.origins import CONST, PRIMALS
from pipeline.analyses.variables import Variables
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector


def unguarded(inspector: Inspector, primals: Iterable[Value]) -> dict[Value, list[Value]]:
    """Such copies in all that differentiated functions reach, by the function that they are in.

    Not what std moves, as sorts do: its elements may be anything, whose types are known where they are moved only.  But where
    it is floats by debug info, as of `Option::copied`.
    """
    found: dict[Value, dict[Value, None]] = {}
    for primal in primals:
        for function, call in _reached_by(inspector, primal):
            found.setdefault(function, {})[call] = None
    return {function: list(copies) for function, copies in found.items()}


def _reached_by(inspector: Inspector, primal: Value) -> Iterator[tuple[Value, Value]]:
    if not mixes(inspector, primal):
        return
    takes_constants = _takes_constants(inspector, primal)
    for function in call_tree(inspector, [primal]):
        found = [call for call in calls(inspector, function) if _is_unguarded(inspector, primal, call)]
        found = [call for call in found if takes_constants or _may_be_global(inspector, call)]
        if stds := {call for call in found if _is_stds(inspector, call)}:
            variables = Variables(inspector, function)
            found = [call for call in found if call not in stds or _is_of_floats(inspector, call, variables)]
        yield from ((function, call) for call in found)


def _is_of_floats(inspector: Inspector, copy: Value, variables: Variables) -> bool:
    words, _ = copied(inspector, copy, variables)
    return bool(words) and all(word.kind in FLOAT_BITS for word in words)


def copied(inspector: Inspector, copy: Value, variables: Variables) -> tuple[Sequence[Word], int]:
    """The words of what is copied, and after how many bytes they come again; none where it is not known.

    Of a variable that has floats beside other things, what its words are depends on what it is just then.
    """
    if found := elements(inspector, copy):
        element = elements_moved(inspector.module, copy)
        return found, inspector.module.type_bits(element) // 8 if element else found[0].size
    *pointers, length, _ = inspector.module.arguments(copy)
    size = inspector.api.ConstIntGetZExtValue(length) if inspector.api.IsAConstantInt(length) else 0
    for pointer in pointers if size else ():
        place, begin = inspector.place(pointer)
        found = variables.all_words(place, begin, begin + size) or _words_handed_on(inspector, pointer, size)
        if has_float(found) and all(word.kind == found[0].kind for word in found):
            return [replace(found[0], begin=0)], found[0].size
        if found and not has_float(found):
            return found, size
    return [], 0


def _words_handed_on(inspector: Inspector, pointer: Value, size: int) -> list[Word]:
    """The words of what a function is handed that is called with this pointer, if that has so many bytes."""
    module = inspector.module
    for call in filter(module.is_call, module.users(pointer)):
        types, given = parameter_types(module, module.callee(call)), module.arguments(call)
        ty = types[given.index(pointer)] if pointer in given and len(types) == len(given) else 0
        handed = base_type(module, ty) if ty and is_pointer(module, ty) else ty
        if handed and module.type_bits(handed) == 8 * size:
            return words(module, handed)
    return []


def has_float(words: Iterable[Word]) -> bool:
    """Whether one of the words is a float."""
    return not FLOAT_BITS.keys().isdisjoint(word.kind for word in words)


def _takes_constants(inspector: Inspector, primal: Value) -> bool:
    """Whether an argument that is `Const` leads to floats."""
    module = inspector.module
    for call in filter(module.is_call, module.users(primal)):
        marks = [module.name(given) for given in module.arguments(call)]
        activities = [mark for mark in marks if mark in PRIMALS]
        types = parameter_types(module, primal)[-len(activities) :] if activities else []
        for mark, ty in zip(activities, types, strict=False):
            if mark == CONST and ty and _leads_to_floats(module, base_type(module, ty)):
                return True
    return False


def _leads_to_floats(module: Module, ty: Value) -> bool:
    """Whether a value has pointers, and floats beyond them: a `Vec` has its own behind a pointer to bytes, a `dyn` may."""
    has_floats = bool(floats_kept(module, ty)) or "dyn " in type_name(module, ty)
    return has_floats and any(is_pointer(module, leaf) for _, leaf in placed(module, ty))


def _is_unguarded(inspector: Inspector, primal: Value, call: Value) -> bool:
    module = inspector.module
    if not is_copy(inspector, call):
        return False
    bases = inspector.bases(module.arguments(call)[1])
    if len(bases) == 1:
        return not _has_one_activity(inspector, primal, bases[0])
    return not all(is_own(inspector, base) for base in bases)


def _may_be_global(inspector: Inspector, call: Value) -> bool:
    return any(map(inspector.api.IsAGlobalVariable, inspector.bases(inspector.module.arguments(call)[1])))


def _is_stds(inspector: Inspector, call: Value) -> bool:
    module = inspector.module
    return not elements(inspector, call) and module.own_place(call) != module.place(call)


def _has_one_activity(inspector: Inspector, primal: Value, base: Value) -> bool:
    """Whether Enzyme knows of memory whether it is active: the function's own, a constant's, or an argument's of the primal."""
    if inspector.is_plain_load(base):
        return inspector.slot(base)[0] in inspector.parameters(primal)
    return is_own(inspector, base) or base in inspector.parameters(primal) or bool(inspector.api.IsAGlobalVariable(base))
