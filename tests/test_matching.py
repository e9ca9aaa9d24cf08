"""Which LLVM argument is what of which Rust one, and what that comes to."""

from __future__ import annotations

import pytest

from pipeline.abi.headers import Header
from pipeline.abi.lowering import Lowered, Word
from pipeline.abi.matching import Argument, Matched, Row, match
from pipeline.abi.verdicts import ADJUSTED, AS_EXPECTED, NOT_MODELLED, REFUSED, RESTORED, Facts, Verdict, verdict

FLOAT = [Lowered("scalar", (Word("result", "float"),))]
NOTHING = [Lowered("zero-sized", ())]


def scalar(name: str, llvm: str = "float") -> Argument:
    return Argument(name, (Lowered("scalar", (Word(name, llvm),)),))


def reference(name: str, *behind: str) -> Argument:
    parts = tuple(Word(f"{name}[{index}]", llvm) for index, llvm in enumerate(behind))
    return Argument(name, (Lowered("scalar", (Word(name, "ptr", parts),)),))


def pair(name: str, *types: str) -> Argument:
    return Argument(name, (Lowered("scalar pair", tuple(Word(f"{name}.{at}", ty) for at, ty in enumerate(types))),))


PACKED = Argument("x", (Lowered("integer-cast", (Word("x", "i64", (Word("x[0]", "float"), Word("x[1]", "float"))),)),))
INDIRECT = Argument("x", (Lowered("indirect", (Word("x", "ptr"),)),))
EMPTY = Argument("none", (Lowered("zero-sized", ()),))
# `repr(C)` around one scalar: debug info does not tell.
EITHER = Argument("x", (Lowered("scalar", (Word("x.0", "float"),)), Lowered("integer-cast", (Word("x", "i32"),))))


def read(header: Header, *arguments: Argument) -> list[tuple[str, str, tuple[int, ...]]]:
    matched = match(arguments, FLOAT, header)
    assert matched.result == (Row("result", "scalar", "float", ("float",)),)
    return [(row.path, row.kind, row.at) for row in matched.arguments]


@pytest.mark.parametrize(
    ("parameters", "arguments", "rows"),
    [
        ((), (), []),
        (("float",), (scalar("x"),), [("x", "scalar", (0,))]),
        (("float", "float"), (pair("x", "float", "float"),), [("x.0", "scalar pair", (0,)), ("x.1", "scalar pair", (1,))]),
        (("i64",), (PACKED,), [("x", "integer-cast", (0,))]),
        (("ptr",), (INDIRECT,), [("x", "indirect", (0,))]),
        (("float",), (EMPTY, scalar("x")), [("none", "zero-sized", ()), ("x", "scalar", (0,))]),
        (("float",), (EITHER,), [("x.0", "scalar", (0,))]),
        (("i32",), (EITHER,), [("x", "integer-cast", (0,))]),
        (("float", "float"), (reference("x", "float", "float"),), [("x", "promoted", (0, 1))]),
        (("float",), (reference("x", "float"), reference("y")), [("x", "promoted", (0,)), ("y", "dropped", ())]),
        (("float",), (scalar("f", "ptr"), scalar("x")), [("f", "dropped", ()), ("x", "scalar", (0,))]),
        (("ptr", "i64"), (reference("x", "float"), scalar("n", "i64")), [("x", "scalar", (0,)), ("n", "scalar", (1,))]),
        (("i64",), (reference("x", "float"), scalar("n", "i64")), [("x", "dropped", ()), ("n", "scalar", (0,))]),
        ((), (scalar("x"),), [("x", "dropped", ())]),
        (("float", "i8"), (scalar("x"),), [("x", "scalar", (0,)), ("?", "not modelled", (1,))]),
    ],
)
def test_parameters(
    parameters: tuple[str, ...], arguments: tuple[Argument, ...], rows: list[tuple[str, str, tuple[int, ...]]]
) -> None:
    assert read(Header(parameters, "float"), *arguments) == rows


def test_nothing_is_said_to_be_dropped_where_an_argument_is_nobodys() -> None:
    """A pair by value in the C ABI."""
    assert read(Header(("<2 x float>",), "float"), pair("x", "float", "float")) == [
        ("x.0", "not modelled", ()),
        ("x.1", "not modelled", ()),
        ("?", "not modelled", (0,)),
    ]


def test_what_is_behind_a_pointer_is_named_where_nothing_else_fits() -> None:
    (row,) = match([reference("x", "float", "i32", "float")], FLOAT, Header(("float", "float"), "float")).arguments
    assert row.parts == ("x[0]", "x[2]")
    (row,) = match([reference("x", "float", "float", "float")], FLOAT, Header(("float", "float"), "float")).arguments
    assert row.parts == ("one of x[…]", "one of x[…]")


def test_pointers_behind_pointers_are_promoted_too() -> None:
    inner = (Word("x.0", "ptr", (Word("*x.0", "float"),)), Word("x.1", "ptr", (Word("*x.1", "float"),)))
    argument = Argument("x", (Lowered("scalar", (Word("x", "ptr", inner),)),))
    for types, parts in {("float", "float"): ("*x.0", "*x.1"), ("ptr", "ptr"): ("x.0", "x.1")}.items():
        (row,) = match([argument], FLOAT, Header(types, "float")).arguments
        assert (row.kind, row.parts) == ("promoted", parts)


def test_packed_fields_are_told() -> None:
    (row,) = match([PACKED], FLOAT, Header(("i64",), "float")).arguments
    assert row.parts == ("x[0]", "x[1]")


def test_debug_info_decides_where_types_do_not() -> None:
    x, y = scalar("x"), scalar("y")
    unsure = match([x, y], FLOAT, Header(("float",), "float"))
    assert not unsure.is_certain
    sure = match([x, y], FLOAT, Header(("float",), "float", names={0: "y"}))
    assert sure.is_certain
    assert [(row.path, row.kind) for row in sure.arguments] == [("x", "dropped"), ("y", "scalar")]


def of_result(way: Lowered, header: Header) -> list[tuple[str, str]]:
    return [(row.path, row.kind) for row in match([], [way], header).result]


def test_results() -> None:
    both = Lowered("scalar pair", (Word("result.0", "i64"), Word("result.1", "double")))
    memory = Lowered("sret", (Word("result", "ptr"),))
    assert of_result(both, Header((), "{ i64, double }")) == [("result.0", "scalar pair"), ("result.1", "scalar pair")]
    assert of_result(both, Header((), "double")) == [("result.0", "dropped"), ("result.1", "scalar pair")]
    assert of_result(FLOAT[0], Header((), "void")) == [("result", "dropped")]
    assert of_result(memory, Header(("ptr",), "void", sret=True)) == [("result", "sret")]
    assert of_result(memory, Header(("ptr",), "void")) == [("result", "sret")]
    assert of_result(NOTHING[0], Header((), "void")) == []
    assert of_result(NOTHING[0], Header((), "i32")) == [("?", "not modelled")]


def test_place_of_the_result_is_no_argument() -> None:
    memory = [Lowered("sret", (Word("result", "ptr"),))]
    matched = match([scalar("p", "ptr")], memory, Header(("ptr", "ptr"), "void", sret=True))
    assert [row.at for row in matched.rows] == [(1,), (0,)]


def facts(
    *kinds: str,
    refused: str = "",
    is_fixed: bool = True,
    packed_before: bool = False,
    packed_after: bool = False,
    found: tuple[str, ...] = (),
) -> Facts:
    rows = Matched(tuple(Row(f"x{number}", kind, "") for number, kind in enumerate(kinds)), ()).rows
    return Facts(rows, refused, is_fixed, packed_before, packed_after, found)


def test_verdicts() -> None:
    assert verdict(facts("scalar", "scalar")) == Verdict(AS_EXPECTED)
    adjusted = verdict(facts("scalar", "scalar pair", "scalar pair", "dropped"))
    assert adjusted == Verdict(ADJUSTED, "scalar pair x1, x2; dropped x3")
    assert verdict(facts("scalar", "not modelled")).word == NOT_MODELLED
    assert verdict(facts("integer-cast", packed_before=True)).word == RESTORED
    assert verdict(facts("integer-cast", packed_before=True, packed_after=True)).word == REFUSED
    assert verdict(facts("integer-cast", packed_before=True, is_fixed=False)).word == REFUSED
    assert verdict(facts("scalar", refused="it is an enum")) == Verdict(REFUSED, "it is an enum")
    assert verdict(facts("scalar", found=("a pointer is called",))) == Verdict(REFUSED, "a pointer is called")
