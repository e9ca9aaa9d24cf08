"""The headers that are tried, family by family."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, islice, zip_longest
from random import Random

from tests.programs import LEVELS
from tests.table.headers import (
    BOX,
    BOX_REFERENCE,
    MODES,
    MUTABLE,
    MUTABLE_SLICE,
    NESTED,
    OPTION,
    REFERENCE,
    SLICE,
    VALUE,
    VEC,
    VEC_REFERENCE,
    Argument,
    Header,
    Passing,
    Program,
)
from tests.table.types import (
    GENERIC,
    Type,
    array_of,
    callable_by,
    constant,
    either,
    number,
    option_of,
    real,
    result_of,
    struct,
    tuple_of,
    zero_sized,
)

F32, F64, F16, F128 = real("f32"), real("f64"), real("f16"), real("f128")
BOOL = constant("bool", "true", "false", 1.0, "({} as u8 as f64)")
CHAR = constant("char", "'c'", "'d'", 99.0, "({} as u32 as f64)")
STR = constant("&'static str", '"abc"', '"abcd"', 3.0, "({}.len() as f64)")
WORDS = constant("&'static [u8]", "&[1, 2, 3][..]", "&[1, 2][..]", 3.0, "({}.len() as f64)")
KIND = constant(
    "Kind", "Kind::Warm", "Kind::Cold", 5.0, "({} as i32 as f64)", "#[derive(Clone, Copy)] enum Kind { Cold, Warm = 5 }"
)
MARKER = zero_sized("Marker", "#[derive(Clone, Copy)] struct Marker;")
UNIT, NOTHING = zero_sized("()"), zero_sized("[f64; 0]")

VECTOR = struct(array_of(F32, 2), named=False)
SHAPE = either(
    "Shape", tuple_of(F32, F64), "Round({})", "Flat", "#[derive(Clone, Copy)] enum Shape { Flat, Round((f32, f64)) }"
)
LENGTH = either("Length", F32, "Metres({})", "Steps(4)", "#[derive(Clone, Copy)] enum Length { Metres(f32), Steps(u32) }")


def simd(rust: str, part: Type, lanes: int) -> Type:
    """A vector of `core::arch`."""
    array, path = array_of(part, lanes), f"core::arch::x86_64::{rust}"
    return Type(
        path,
        array.leaves,
        lambda floats, sure: f"unsafe {{ core::mem::transmute::<{array.rust}, {path}>({array.make(floats, sure)}) }}",
        lambda place: array.read(f"unsafe {{ core::mem::transmute::<{path}, {array.rust}>({place}) }}"),
    )


M128D, M128 = simd("__m128d", F64, 2), simd("__m128", F32, 4)

FUNCTION = callable_by("fn(f64) -> f64", "(if {sure} {{ bent_by_3 }} else {{ bent_by_4 }})", slope=3.0)
FUNCTION_32 = callable_by(
    "fn(f32) -> f32", "(if {sure} {{ bent_by_3_single }} else {{ bent_by_4_single }})", "({}({} as f32) as f64)", slope=3.0
)
DYN_FN = callable_by("&dyn Fn(f64) -> f64", "&bent({slope})")
IMPL_FN = callable_by("impl Fn(f64) -> f64 + Copy", "bent({slope})")
BOX_FN = callable_by("Box<dyn Fn(f64) -> f64>", "(Box::new(bent({slope})) as Box<dyn Fn(f64) -> f64>)", is_copy=False)
DYN_TRAIT = callable_by(
    "&dyn Bend", '(if {sure} {{ &Spring {{ name: "", slope: {slope} }} as &dyn Bend }} else {{ &Bow(2.0) }})', "{}.bend({})"
)
BOX_TRAIT = callable_by(
    "Box<dyn Bend>",
    '(if {sure} {{ Box::new(Spring {{ name: "", slope: {slope} }}) as Box<dyn Bend> }} else {{ Box::new(Bow(2.0)) }})',
    "{}.bend({})",
    is_copy=False,
)
VEC_TRAIT = callable_by(
    "Vec<Box<dyn Bend>>",
    "vec![Box::new(Bow({slope})) as Box<dyn Bend>]",
    "{0}.iter().fold({1}, |t, by| by.bend(t))",
    is_copy=False,
)

ARGUMENTS_AND_RESULTS: dict[str, tuple[Type, ...]] = {
    "scalar": (F64, F32),
    "tuple of two": (tuple_of(F32, F32), tuple_of(F64, F64), tuple_of(F32, F64), tuple_of(F64, F32), tuple_of(F64)),
    "struct of two": (struct(F32, F32), struct(F64, F64), struct(F32, F64), struct(F64), struct(F32)),
    "integer-cast": (
        array_of(F32, 2),
        array_of(F64, 1),
        array_of(F32, 1),
        VECTOR,
        tuple_of(VECTOR),
        array_of(array_of(F32, 1), 2),
        struct(tuple_of(F32, F32), named=False),
        struct(F32, array_of(F32, 1)),
    ),
    "float beside an integer": (
        tuple_of(F32, number("i32")),
        tuple_of(number("u8"), F32),
        tuple_of(number("i64"), F64),
        tuple_of(F64, number("u16")),
        tuple_of(BOOL, F64),
        tuple_of(CHAR, F32),
        struct(F32, KIND),
        struct(F32, number("u16"), number("u8")),
        struct(array_of(number("u8"), 4), F32),
    ),
    "enum": (
        option_of(F32),
        option_of(F64),
        result_of(F32),
        result_of(F64, "i64"),
        option_of(array_of(F32, 1)),
        option_of(tuple_of(F64, F64)),
        LENGTH,
        SHAPE,
    ),
    "in memory": (
        tuple_of(F64, F64, F64),
        array_of(F64, 2),
        array_of(F32, 3),
        struct(F64, F32, number("i32"), F64),
        array_of(array_of(F32, 2), 2),
        array_of(tuple_of(F32, F64), 2),
        array_of(tuple_of(F64, BOOL), 2),
    ),
    "representation": (
        struct(F32, F64, attribute="repr(C)"),
        struct(F32, F32, attribute="repr(C)"),
        struct(number("u8"), F64, F32, attribute="repr(C)"),
        struct(F64, attribute="repr(transparent)"),
        struct(array_of(F32, 2), attribute="repr(transparent)", named=False),
        struct(number("u8"), F32, attribute="repr(packed)"),
        struct(F32, F64, attribute="repr(packed)"),
        struct(F64, F32, attribute="repr(align(32))"),
    ),
    "zero-sized": (tuple_of(UNIT, F32, MARKER, F32), struct(MARKER, F64), tuple_of(NOTHING, F64)),
    "vector register": (M128D, M128),
}
"""Types that are taken by value and given back: by the differentiated function, by one that it calls, by a recursive one."""


def _given_and_taken() -> list[Header]:
    found = []
    for family, types in ARGUMENTS_AND_RESULTS.items():
        for type_ in types:
            if family == "enum":
                found.append(Header(family, (const(type_), Argument(F64)), F64))
            else:
                found.append(Header(family, (Argument(type_), Argument(F64)), type_))
            found.append(Header(family, (Argument(F32), Argument(type_)), type_, place="callee"))
            found.append(Header(family, (Argument(type_),), type_, place="recursive"))
    return found


def _header(
    family: str,
    *arguments: Argument | Type,
    result: Type | None = F64,
    place: str = "itself",
    abi: str = "",
    is_method: bool = False,
) -> Header:
    taken = tuple(a if isinstance(a, Argument) else Argument(a) for a in arguments)
    return Header(family, taken, result, place, abi, is_method)


def _everywhere(family: str, *arguments: Argument | Type, result: Type | None = F64, abi: str = "") -> list[Header]:
    return [_header(family, *arguments, result=result, place=place, abi=abi) for place in ("itself", "callee")]


def const(type_: Type, passing: Passing = VALUE) -> Argument:
    """An argument that is not differentiated by."""
    return Argument(type_, passing, is_active=False)


def _references() -> list[Header]:
    by = [
        (array_of(F64, 1), REFERENCE), (array_of(F64, 2), REFERENCE), (array_of(F32, 2), REFERENCE), (F32, REFERENCE),
        (tuple_of(F32, number("i32")), REFERENCE), (option_of(F64), REFERENCE), (LENGTH, REFERENCE), (VECTOR, MUTABLE),
        (array_of(F64, 3), SLICE), (array_of(F32, 3), SLICE), (array_of(tuple_of(F32, F64), 2), SLICE),
        (array_of(array_of(F32, 2), 2), SLICE), (array_of(F64, 3), MUTABLE_SLICE), (array_of(F32, 3), MUTABLE_SLICE),
        (F64, MUTABLE), (tuple_of(F64, F32, BOOL), MUTABLE), (struct(F32, F64, attribute="repr(C)"), MUTABLE),
        (F64, NESTED), (VECTOR, NESTED), (array_of(F64, 3), VEC_REFERENCE), (array_of(VECTOR, 2), VEC_REFERENCE),
        (F64, BOX_REFERENCE), (VECTOR, BOX_REFERENCE), (F32, OPTION),
    ]  # fmt: skip
    found = [h for type_, passing in by for h in _everywhere("reference", Argument(type_, passing), F64)]
    found += [
        _header("reference", F64, Argument(array_of(F64, 3), passing), place="recursive") for passing in (SLICE, MUTABLE_SLICE)
    ]
    found += [
        _header("owned", Argument(F64, BOX), F64, place="callee"),
        _header("owned", Argument(array_of(F64, 3), VEC), F64, place="callee"),
    ]
    found += [_header("owned", Argument(F64, BOX), F64), _header("owned", Argument(array_of(F64, 3), VEC), F64)]
    found += _everywhere("reference", Argument(F64, REFERENCE), Argument(F64, MUTABLE), result=None)
    found.append(_header("enum", option_of(F32), F64, result=option_of(F32)))
    return [*found, *_everywhere("static reference", Argument(F32, REFERENCE), const(F32, STATIC), result=F32)]


STATIC = Passing("&'static {type}", hold="&{}")


def _called() -> list[Header]:
    found = []
    for type_ in (FUNCTION, FUNCTION_32, DYN_FN, IMPL_FN, BOX_FN, DYN_TRAIT, BOX_TRAIT):
        found += [_header("called", const(type_), F64), _header("called", F64, type_, place="callee")]
        if type_.is_copy and type_ != IMPL_FN:
            found.append(_header("called", F64, type_, place="recursive"))
    found += [_header("called", const(FUNCTION_32), F32, result=F32)]
    found += _everywhere("called", const(BOX_FN, REFERENCE), F64)
    found += _everywhere("called", const(VEC_TRAIT, REFERENCE), F64)
    return found


def _inactive() -> list[Header]:
    """Arguments without a derivative between floats."""
    found = []
    for type_ in (
        BOOL,
        number("u8"),
        CHAR,
        KIND,
        number("i32"),
        number("u64"),
        number("i128"),
        number("u128"),
        STR,
        WORDS,
        UNIT,
        MARKER,
        NOTHING,
    ):
        found += _everywhere("inactive", F32, const(type_), F64, const(type_), F32, result=F64)
    found += _everywhere("inactive", F64, const(F64), const(array_of(F32, 2)), F32, result=F32)
    found.append(_header("inactive", F64, const(BOOL), F32, number("u8"), place="recursive"))
    found.append(_header("inactive", array_of(F32, 2), result=struct(F32, STR), place="recursive"))
    return found


def _many() -> list[Header]:
    cycle: list[Argument | Type] = [
        F64,
        F32,
        const(number("u8")),
        VECTOR,
        tuple_of(F32, number("i32")),
        const(BOOL),
        Argument(F64, REFERENCE),
    ]
    found = _everywhere("more than 20", *[cycle[k % len(cycle)] for k in range(24)], result=tuple_of(F32, F64, VECTOR))
    found += _everywhere("more than 20", *[F64] * 22)
    found.append(_header("more than 20", *[cycle[k % len(cycle)] for k in range(21)], place="recursive"))
    return found


def _forms() -> list[Header]:
    """Methods, generics, `extern "C"`, and precisions that Rust does not have everywhere."""
    found = []
    for self_ in (struct(F64, F64), VECTOR, struct(F64, number("i32"), F32)):
        found += [_header("method", Argument(self_, by), F64, is_method=True) for by in (VALUE, REFERENCE, MUTABLE)]
        found.append(_header("method", self_, F64, result=self_, place="callee", is_method=True))
    found.append(_header("method", VECTOR, F64, result=VECTOR, place="recursive", is_method=True))
    found += _everywhere("generic", GENERIC, result=GENERIC)
    found += _everywhere("generic", array_of(GENERIC, 2), F64, result=tuple_of(GENERIC, F64))
    found += _everywhere("generic", Argument(array_of(GENERIC, 3), SLICE), GENERIC, result=array_of(GENERIC, 2))
    found.append(_header("generic", option_of(GENERIC), F64, result=option_of(GENERIC), place="callee"))
    u8, two, three = number("u8"), struct(F32, F32, attribute="repr(C)"), struct(F64, F64, F64, attribute="repr(C)")
    of_c = [
        struct(F32, u8, attribute="repr(C)"),
        struct(F64, F64, attribute="repr(C)"),
        struct(F32, F64, F32, attribute="repr(C)"),
    ]
    for type_ in (F64, two, three, *of_c):
        found += _everywhere('extern "C"', type_, F64, result=type_, abi='extern "C"')
    found.append(
        _header(
            'extern "C"',
            struct(F32, F32, attribute="repr(C)"),
            result=struct(F32, F32, attribute="repr(C)"),
            place="recursive",
            abi='extern "C"',
        )
    )
    return found + [h for type_ in (F16, F128) for h in _everywhere("f16 and f128", type_, F64, result=type_)[:1]]


HEADERS: tuple[Header, ...] = tuple(
    dict.fromkeys([*_given_and_taken(), *_references(), *_called(), *_inactive(), *_many(), *_forms()])
)


def everything() -> list[Program]:
    """Every header in every mode at every level; what is known to be refused, in each mode at one level."""
    return [
        program
        for header in HEADERS
        for row, mode in enumerate(MODES)
        for column, level in enumerate(LEVELS)
        if not refusal(program := Program(header, mode, level)) or row == column
    ]


def chosen(count: int = 150, levels: Sequence[str] = ("0", "3")) -> list[Program]:
    """A few of each family that should be right."""
    families = [list(its) for _, its in groupby(sorted(HEADERS, key=lambda h: h.family), key=lambda h: h.family)]
    random = Random(0)
    for headers in families:
        random.shuffle(headers)
    taken = [header for row in zip_longest(*families) for header in row if header]
    programs = (Program(header, MODES[k % len(MODES)], level) for k, header in enumerate(taken) for level in levels)
    return list(islice((program for program in programs if not refusal(program)), count))


# What is known to be refused, and why.


def refusal(program: Program) -> str:
    """Why a program is known to be refused; "" for one that should be right."""
    header, by_value = program.header, _by_value(program.header)
    is_reverse = program.mode.name == "reverse"
    if header.place == "itself":
        why = {
            "an enum has no adjoint": any(_holds_enum(type_) for type_ in _moving(header)),
            "what points to a number has no adjoint by value": is_reverse
            and any(a.is_active and a.passing.is_value and a.passing != VALUE for a in header.arguments),
            "adjoints are not written to what is shared": is_reverse and any(a.passing == NESTED for a in header.arguments),
        }
    else:
        why = {
            "a recursive function with a float in one word with another variant": header.place == "recursive"
            and any(map(_shares_a_word, header.types)),
            "a boxed trait object that a callee takes and drops": (is_reverse or program.level == "3")
            and any(a.type == BOX_TRAIT and a.passing.is_value for a in header.arguments),
        }
        # System V passes two floats in one register, and rustc hands them to `extern "C"` as one integer or vector.
        why['two `f32` in one word of an `extern "C"` header'] = bool(header.abi) and any(map(_is_packed, header.types))
    why["the type is unstable in rustc 1.96"] = not {"f16", "f128"}.isdisjoint(f for t in header.types for f in t.floats)
    why["a packed struct by value"] = any("repr(packed)] struct { a: u8, b: f32" in type_.shown for type_ in by_value)
    return next((reason for reason, applies in why.items() if applies), "")


def _moving(header: Header) -> list[Type]:
    """The types that are differentiated by value."""
    taken = [a.type for a in header.arguments if a.is_active and a.passing.is_value]
    return [*taken, *([header.result] if header.result else [])]


def _by_value(header: Header) -> list[Type]:
    taken = [argument.type for argument in header.arguments if argument.passing.is_value]
    return [*taken, *([header.result] if header.result else [])]


def _holds_enum(type_: Type) -> bool:
    return any(word in type_.shown for word in ("Option<", "Result<", "enum "))


def _shares_a_word(type_: Type) -> bool:
    return bool(re.search(r"Result<(?!f64)|Option<(\[|Option|Result)|Steps\(u32\)", type_.shown))


def _is_packed(type_: Type) -> bool:
    """Whether it is an aggregate that shares a register, or might."""
    if type_.call or type_.rust in {"f64", "f32"} or not type_.floats:
        return False
    size = sum(8 if leaf == "f64" else 4 for leaf in type_.floats)
    return size <= 8 or _holds_enum(type_)
