"""Casts that Enzyme does not look through: what is an integer before one and a float after it has one type on each side.

Each is a function of its own, inactive, and not inlined until Enzyme has run: nothing inlines before opt2.
"""

from __future__ import annotations

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_ATTRIBUTES = ("nofree", "nounwind")
_TO_ENZYME = ("enzyme_inactive", "enzyme_ta_norecur", "enzyme_no_escaping_allocation")
_ACTIVE = "enzyme_active"
_READS = 0b01_01_11_01  # memory(read, inaccessiblemem: readwrite), by llvm/Support/ModRef.h
_ARGUMENTS = {True: 0b01, False: 0b11}  # memory(argmem: read), and memory(argmem: readwrite)
_NOTHING, _OUT_OF_SIGHT = 0, 0b11_00  # memory(none), and memory(inaccessiblemem: readwrite)
_NAMES = {0: "float_of_i{}", 1: "i{}_of_float"}


def hide_integers(editor: Editor, function: Value) -> bool:
    """Make bitcasts to floats opaque where the bits are counted together; True where there were some."""
    casts = filter(editor.is_cast_to_float, editor.module.instructions(function))
    found = [made for made in casts if is_counted(editor, editor.api.GetOperand(made, 0))]
    for made in found:
        editor.replace(made, cast(editor, editor.api.GetOperand(made, 0), editor.api.TypeOf(made), made))
    return bool(found)


def is_counted(editor: Editor, integer: Value) -> bool:
    """Whether an integer comes by arithmetic from integers alone.

    Neither is it loaded, where it could be a float's bits, nor made of a float's bits that were looked at.
    """
    known: set[Value] = set()
    waiting = [integer]
    while waiting:
        value = waiting.pop()
        if value in known or editor.is_known_integer(value):
            continue
        known.add(value)
        if not editor.is_integer_arithmetic(value):
            return False
        waiting += editor.chosen(value) if editor.is_choice(value) else editor.operands(value)
    return True


def store(editor: Editor, instruction: Value) -> None:
    """Make a store of an integer or a pointer one that Enzyme leaves alone: it is done once, and not to the shadow."""
    value, pointer = editor.operands(instruction)
    bits = editor.integer_bits(editor.api.TypeOf(value))
    name = f"crategrad_store_i{bits}" if bits else "crategrad_store_ptr"
    function = next(iter(editor.module.named([name])), 0)
    if not function:
        function = editor.internal_function(name, editor.void_type(), [editor.api.TypeOf(value), editor.pointer_type()])
        hide(editor, function)
        with editor.block(function) as builder:
            made = editor.api.BuildStore(builder, *editor.parameters(function))
            editor.api.SetAlignment(made, 1)
            editor.api.BuildRetVoid(builder)
    with editor.module.before(instruction) as builder:
        editor.call(builder, editor.function_type(function), function, [value, pointer])
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
    with editor.module.before(access) as builder:
        call = editor.call(builder, editor.function_type(function), function, taken)
    editor.replace(access, call) if result != editor.void_type() else editor.api.InstructionEraseFromParent(access)


def cast(editor: Editor, value: Value, ty: Value, place: Value) -> Value:
    """The value's bits as a type of the same width, before the instruction `place`."""
    function = _function(editor, editor.api.TypeOf(value), ty)
    with editor.module.before(place) as builder:
        return editor.call(builder, editor.function_type(function), function, [value])


def same(editor: Editor, value: Value, place: Value) -> Value:
    """An integer or a pointer, before the instruction `place`, of which nobody knows before opt2 where it comes from."""
    ty = editor.api.TypeOf(value)
    name = f"crategrad_same_i{editor.integer_bits(ty)}" if editor.integer_bits(ty) else "crategrad_same_ptr"
    function = next(iter(editor.module.named([name])), 0)
    if not function:
        function = editor.internal_function(name, ty, [ty])
        hide(editor, function)
        editor.add_attribute(function, "memory", _NOTHING)
        with editor.block(function) as builder:
            editor.api.BuildRet(builder, *editor.parameters(function))
    with editor.module.before(place) as builder:
        return editor.call(builder, editor.function_type(function), function, [value])


def active(editor: Editor, number: Value, place: Value) -> Value:
    """A float, before the instruction `place`, that has a tangent for all that Enzyme knows."""
    ty = editor.api.TypeOf(number)
    name = f"crategrad_active_{editor.enzyme_type(ty).rpartition('@')[2]}"
    function = next(iter(editor.module.named([name])), 0)
    if not function:
        function = editor.internal_function(name, ty, [ty])
        for attribute in (*_ATTRIBUTES, "willreturn"):
            editor.add_attribute(function, attribute)
        editor.add_attribute(function, "memory", _NOTHING)
        with editor.block(function) as builder:
            editor.api.BuildRet(builder, *editor.parameters(function))
    with editor.module.before(place) as builder:
        call = editor.call(builder, editor.function_type(function), function, [number])
    editor.add_call_attribute(call, _ACTIVE)
    return call


def free_nothing(editor: Editor, place: Value) -> None:
    """A call, before the instruction `place`, that may free memory, for all that is known before opt2, and touches none."""
    name = "crategrad_free_nothing"
    function = next(iter(editor.module.named([name])), 0)
    if not function:
        function = editor.internal_function(name, editor.void_type(), [])
        for attribute in ("nounwind", "willreturn"):
            editor.add_attribute(function, attribute)
        for attribute in _TO_ENZYME:
            editor.add_text_attribute(function, attribute)
        editor.add_attribute(function, "memory", _OUT_OF_SIGHT)
        with editor.block(function) as builder:
            editor.release(builder, editor.null())
            editor.api.BuildRetVoid(builder)
    with editor.module.before(place) as builder:
        editor.call(builder, editor.function_type(function), function, [])


def _function(editor: Editor, given: Value, wanted: Value) -> Value:
    bits = editor.integer_bits(given) or editor.integer_bits(wanted)
    name = f"crategrad_{_NAMES[int(not editor.integer_bits(given))].format(bits)}"
    if found := editor.module.named([name]):
        return found[0]
    function = editor.internal_function(name, wanted, [given])
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
