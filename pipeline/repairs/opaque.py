"""Casts that Enzyme does not look through: what is an integer before one and a float after it has one type on each side.

Each is a function of its own, inactive and not inlined until Enzyme has run; opt2 inlines it.
"""

from __future__ import annotations

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_ATTRIBUTES = ("noinline", "nofree", "nounwind", "willreturn")
_TO_ENZYME = ("enzyme_inactive", "enzyme_ta_norecur")
_NAMES = {0: "float_of_i{}", 1: "i{}_of_float"}
_WIDTHS = (16, 32, 64)

FUNCTIONS = tuple(f"crategrad_{name.format(bits)}" for name in _NAMES.values() for bits in _WIDTHS)
"""The names of all that there can be in a module."""


def hide_integers(editor: Editor, function: Value) -> bool:
    """Make bitcasts to floats opaque where the bits are counted together; True where there were some."""
    found = [i for i in editor.module.instructions(function) if editor.is_cast_to_float(i) and _is_counted(editor, i)]
    for made in found:
        editor.replace(made, cast(editor, editor.api.GetOperand(made, 0), editor.api.TypeOf(made), made))
    return bool(found)


def _is_counted(editor: Editor, made: Value) -> bool:
    """Whether the bits come by integer arithmetic from integers alone: neither loaded, where they could be a float's, nor
    a float's that were looked at.
    """
    known: set[Value] = set()
    waiting = [int(editor.api.GetOperand(made, 0))]
    while waiting:
        value = waiting.pop()
        if value in known or editor.is_known_integer(value):
            continue
        known.add(value)
        if not editor.is_integer_arithmetic(value):
            return False
        waiting += editor.chosen(value) if editor.is_choice(value) else editor.operands(value)
    return True


def cast(editor: Editor, value: Value, ty: Value, place: Value) -> Value:
    """The value's bits as a type of the same width, before the instruction `place`."""
    function = _function(editor, editor.api.TypeOf(value), ty)
    with editor.module.before(place) as builder:
        return editor.call(builder, editor.function_type(function), function, [value])


def _function(editor: Editor, given: Value, wanted: Value) -> Value:
    bits = editor.integer_bits(given) or editor.integer_bits(wanted)
    name = f"crategrad_{_NAMES[int(not editor.integer_bits(given))].format(bits)}"
    if found := editor.module.named([name]):
        return found[0]
    function = editor.internal_function(name, wanted, [given])
    for attribute in _ATTRIBUTES:
        editor.add_attribute(function, attribute)
    for attribute in _TO_ENZYME:
        editor.add_text_attribute(function, attribute)
    with editor.block(function) as builder:
        editor.api.BuildRet(builder, editor.api.BuildBitCast(builder, editor.api.GetParam(function, 0), wanted, b""))
    return function
