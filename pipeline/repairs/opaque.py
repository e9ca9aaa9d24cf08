"""Casts that Enzyme does not look through: what is an integer before one and a float after it has one type on each side.

Each is a function of its own, inactive, and not inlined until Enzyme has run: nothing inlines before opt2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.analyses.counting import is_counted
from pipeline.analyses.float_places import FloatPlaces
from pipeline.analyses.hidden import ACTIVE, APART, FLOAT_OF, HIDDEN, KEEPS, KEPT, POSITIVE, STORED, STORED_NUMBER
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_ATTRIBUTES = ("nofree", "nounwind")
_TO_ENZYME = ("enzyme_inactive", "enzyme_ta_norecur", "enzyme_no_escaping_allocation")
_ACTIVE = "enzyme_active"
_READS = 0b01_01_11_01  # memory(read, inaccessiblemem: readwrite), by llvm/Support/ModRef.h
_ARGUMENTS = {True: 0b01, False: 0b11}  # memory(argmem: read), and memory(argmem: readwrite)
_NOTHING, _OUT_OF_SIGHT = 0, 0b11_00  # memory(none), and memory(inaccessiblemem: readwrite)
_FREES_NOTHING = "std::ostream::put crategrad_free_nothing"
"""Where Enzyme makes a function that frees nothing of one that calls this, it goes by the name: the body it does not see."""


def hide_integers(editor: Editor, function: Value) -> bool:
    """Make bitcasts to floats opaque where the bits are counted together, and those back; True where there were some."""
    casts = list(filter(editor.is_cast_to_float, editor.module.instructions(function)))
    if not casts:
        return False
    is_number = FloatPlaces(editor, function).is_number
    found = [made for made in casts if is_counted(editor, editor.api.GetOperand(made, 0), is_number)]
    if found:
        back = filter(editor.float_behind, editor.module.instructions(function))
        found += [made for made in back if is_counted(editor, made, is_number)]
    for made in found:
        editor.replace(made, cast(editor, editor.api.GetOperand(made, 0), editor.api.TypeOf(made), made))
    return bool(found)


def store(editor: Editor, instruction: Value, *, is_number: bool = False) -> None:
    """Make a store of an integer or a pointer one that Enzyme leaves alone: it is done once, and not to the shadow.

    If it is a number it belongs into the shadow in forward mode, where it is the same number: `shadows.store_alike`.
    """
    value, pointer = editor.operands(instruction)
    name = f"{STORED_NUMBER if is_number else STORED}{_in_a_name(editor, editor.api.TypeOf(value))}"
    function, is_new = _function(editor, name, editor.void_type(), [editor.api.TypeOf(value), editor.pointer_type()])
    if is_new:
        hide(editor, function)
        with editor.block(function) as builder:
            made = editor.api.BuildStore(builder, *editor.parameters(function))
            editor.api.SetAlignment(made, 1)
            editor.api.BuildRetVoid(builder)
    _call(editor, function, [value, pointer], instruction)
    editor.api.InstructionEraseFromParent(instruction)


def outline(editor: Editor, access: Value) -> None:
    """Make a load, a store or a copy a call of a function that does just that: Enzyme knows no type of it, and no shadow."""
    taken = list(dict.fromkeys(operand for operand in editor.operands(access) if editor.is_local(operand)))
    result = editor.api.TypeOf(access)
    function = editor.internal_function("crategrad_access", result, [editor.api.TypeOf(value) for value in taken])
    hide(editor, function)
    editor.add_attribute(function, "memory", _ARGUMENTS[editor.is_plain_load(access)])
    given = dict(zip(taken, editor.parameters(function), strict=True))
    with editor.block(function) as builder:
        made = editor.copy(builder, access)
        for index, operand in enumerate(editor.operands(access)):
            editor.api.SetOperand(made, index, given.get(operand, operand))
        editor.api.BuildRetVoid(builder) if result == editor.void_type() else editor.api.BuildRet(builder, made)
    call = _call(editor, function, taken, access)
    editor.replace(access, call) if result != editor.void_type() else editor.api.InstructionEraseFromParent(access)


def cast(editor: Editor, value: Value, ty: Value, place: Value) -> Value:
    """The value's bits as a type of the same width, before the instruction `place`."""
    return _call(editor, _cast(editor, editor.api.TypeOf(value), ty), [value], place)


def same(editor: Editor, value: Value, place: Value) -> Value:
    """A number or a pointer, before the instruction `place`, of which nobody knows before opt2 where it comes from."""
    return _hidden(editor, HIDDEN, [value], place)


def float_for_enzyme(editor: Editor, number: Value, place: Value) -> Value:
    """A float, or a vector of floats, before the instruction `place`, of which Enzyme knows that it is one: a sum with -0."""
    nothing = same(editor, editor.api.ConstReal(editor.api.TypeOf(number), -0.0), place)
    with editor.module.before(place) as builder:
        return int(editor.api.BuildFAdd(builder, number, nothing, b""))


def apart(editor: Editor, number: Value, which: Value, place: Value) -> Value:
    """As `same`, and nobody knows that it is the same number as with another `which`: of two equal calls LLVM makes one."""
    return _hidden(editor, APART, [number, which], place)


def positive(editor: Editor, number: Value, place: Value) -> Value:
    """An integer, before the instruction `place`; one instead of a 0, as nobody knows before opt2."""
    ty = editor.api.TypeOf(number)
    function, is_new = _function(editor, f"{POSITIVE}{_in_a_name(editor, ty)}", ty, [ty])
    if is_new:
        hide(editor, function)
        editor.add_attribute(function, "memory", _NOTHING)
        (given,) = editor.parameters(function)
        with editor.block(function) as builder:
            is_zero = editor.api.BuildIsNull(builder, given, b"")
            one = editor.api.ConstInt(ty, 1, 0)
            editor.api.BuildRet(builder, editor.api.BuildSelect(builder, is_zero, one, given, b""))
    return _call(editor, function, [number], place)


def _hidden(editor: Editor, prefix: str, given: Sequence[Value], place: Value, memory: int = _NOTHING) -> Value:
    ty = editor.api.TypeOf(given[0])
    function, is_new = _function(editor, f"{prefix}{_in_a_name(editor, ty)}", ty, [editor.api.TypeOf(value) for value in given])
    if is_new:
        hide(editor, function)
        editor.add_attribute(function, "memory", memory)
        with editor.block(function) as builder:
            editor.api.BuildRet(builder, editor.parameters(function)[0])
    return _call(editor, function, given, place)


def can_keep(editor: Editor, value: Value) -> bool:
    """Whether `kept` can be asked of a value: it is a float, a pointer, or an integer that cannot be a float's bits."""
    bits = editor.integer_bits(editor.api.TypeOf(value))
    return bits == 1 or (is_counted(editor, value) if bits else editor.api.TypeOf(value) in _kept_types(editor))


def kept(editor: Editor, value: Value, place: Value) -> Value:
    """A value, before the instruction `place`, that Enzyme keeps where it wants it later, and does not compute again.

    A float has its tangent; a pointer has a shadow where what it is made of has one.  What is taken as `Const` has none: it
    would be its own, values would be read for adjoints, and adjoints written to what is constant.
    """
    if editor.is_of_integers(editor.api.TypeOf(value)):
        return _hidden(editor, KEPT, [value], place, memory=_OUT_OF_SIGHT)
    if editor.api.TypeOf(value) == editor.pointer_type():
        return _kept_pointer(editor, value, place)
    return active(editor, value, place)


def _kept_pointer(editor: Editor, pointer: Value, place: Value) -> Value:
    """Each with a number of its own: two of one pointer are kept at two places, and are not the same."""
    which = editor.integer(32)
    function, is_new = _function(editor, f"{KEPT}ptr", editor.pointer_type(), [editor.pointer_type(), which])
    if is_new:
        _give_back(editor, function, _NOTHING)
    count = len(editor.module.users(function))
    call = _call(editor, function, [pointer, editor.api.ConstInt(which, count, 0)], place)
    editor.say_kept(call)
    return call


def _kept_types(editor: Editor) -> list[Value]:
    return [editor.pointer_type(), *(editor.float_type(bits) for bits in (32, 64))]


def active(editor: Editor, number: Value, place: Value) -> Value:
    """A float, or a pointer, before the instruction `place`, that has a tangent, or a shadow, for all that Enzyme knows.

    It touches memory, for all that is known: `results.keep` guards against such calls only.
    """
    ty = editor.api.TypeOf(number)
    function, is_new = _function(editor, f"{ACTIVE}{_in_a_name(editor, ty)}", ty, [ty])
    if is_new:
        _give_back(editor, function, _OUT_OF_SIGHT)
    call = _call(editor, function, [number], place)
    editor.add_call_attribute(call, _ACTIVE)
    return call


def _give_back(editor: Editor, function: Value, memory: int) -> None:
    for attribute in (*_ATTRIBUTES, "willreturn"):
        editor.add_attribute(function, attribute)
    editor.add_attribute(function, "memory", memory)
    with editor.block(function) as builder:
        editor.api.BuildRet(builder, editor.parameters(function)[0])


def use(editor: Editor, memory: Value) -> None:
    """A call, after memory was allocated, that gives its address back with a shadow, for all that Enzyme knows."""
    active(editor, memory, int(editor.api.GetNextInstruction(memory)))


def keep(editor: Editor, memory: Value) -> None:
    """A call, after memory was allocated, that may do anything with its address, for all that is known before opt2."""
    function = _empty(editor, KEEPS, [editor.pointer_type()])
    with editor.module.after(memory) as builder:
        editor.call(builder, editor.function_type(function), function, [memory])


def stay(editor: Editor, place: Value) -> None:
    """A call, before the instruction `place`, by which a block that does nothing lasts until opt2."""
    _call(editor, _empty(editor, "crategrad_stay", []), [], place)


def _empty(editor: Editor, name: str, parameters: Sequence[Value]) -> Value:
    """The function of that name that does nothing; before opt2 only its name says so."""
    function, is_new = _function(editor, name, editor.void_type(), parameters)
    if is_new:
        hide(editor, function)
        editor.add_attribute(function, "memory", _OUT_OF_SIGHT)
        with editor.block(function) as builder:
            editor.api.BuildRetVoid(builder)
    return function


def free_nothing(editor: Editor, place: Value) -> None:
    """A call, before the instruction `place`, that may free memory, for all that is known before opt2, and touches none."""
    function, is_new = _function(editor, _FREES_NOTHING, editor.void_type(), [])
    if is_new:
        for attribute in ("nounwind", "willreturn"):
            editor.add_attribute(function, attribute)
        for attribute in _TO_ENZYME:
            editor.add_text_attribute(function, attribute)
        editor.add_attribute(function, "memory", _OUT_OF_SIGHT)
        with editor.block(function) as builder:
            editor.release(builder, editor.null())
            editor.api.BuildRetVoid(builder)
    _call(editor, function, [], place)


def _in_a_name(editor: Editor, ty: Value) -> str:
    """A type where only letters can stand: `i64`, `ptr`, `4_x_double`."""
    return re.sub(r"\W+", "_", editor.type_text(ty)).strip("_")


def _function(editor: Editor, name: str, result: Value, parameters: Sequence[Value]) -> tuple[Value, bool]:
    """The module's function of that name; and whether it is new, and has no body yet."""
    found = editor.module.named([name])
    return (found[0], False) if found else (editor.internal_function(name, result, parameters), True)


def _call(editor: Editor, function: Value, arguments: Sequence[Value], place: Value) -> Value:
    with editor.module.before(place) as builder:
        return editor.call(builder, editor.function_type(function), function, arguments)


def _cast(editor: Editor, given: Value, wanted: Value) -> Value:
    bits = editor.integer_bits(given)
    name = f"{FLOAT_OF}{bits}" if bits else f"crategrad_i{editor.integer_bits(wanted)}_of_float"
    function, is_new = _function(editor, name, wanted, [given])
    if not is_new:
        return function
    hide(editor, function)
    for index, ty in enumerate((wanted, given)):
        kind = editor.enzyme_type(ty) or "Integer"
        editor.add_text_attribute(function, "enzyme_type", f"{{[-1]:{kind}}}", index)
    with editor.block(function) as builder:
        editor.api.BuildRet(builder, editor.api.BuildBitCast(builder, editor.api.GetParam(function, 0), wanted, b""))
    return function


def hide(editor: Editor, function: Value, *, may_end: bool = False) -> None:
    """See to it that Enzyme calls a function as it stands and does not look into it.

    One that may end the program reads what it likes to say, and writes nothing that others read.
    """
    for attribute in _ATTRIBUTES:
        editor.add_attribute(function, attribute)
    if may_end:
        editor.add_attribute(function, "memory", _READS)
    else:
        editor.add_attribute(function, "willreturn")
    for attribute in _TO_ENZYME:
        editor.add_text_attribute(function, attribute)
