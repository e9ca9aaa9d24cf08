"""Random functions are differentiated rightly or refused; and what makes, compares and shrinks them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import oracle, record
from tests.fuzz.generate import function
from tests.fuzz.grammar import CODE, LEAVES
from tests.fuzz.runner import MODES_OF, TOGETHER, differences, judge
from tests.fuzz.shrink import Cut, Failure, cause, cuts, shrink
from tests.fuzz.tree import Function, Node
from tests.programs import Verdict

SEED = 1
COUNTS = {"f64": (24, 300, 1500), "mixed": (8, 72, 1500), "headers": (12, 108, 3500)}
"""How many functions are tried over each kind of numbers, how many with `--full`, and of which length they are at most."""
SHARE = 0.95
"""How many of the functions that are a test come out right, at least; the others do not build."""
_HEAVY = re.compile(r"sort|select_nth|BTree|Heap|Hash")


def test_a_function_follows_from_its_seed() -> None:
    once, again, others = ([function(seed).text for seed in range(begin, begin + 30)] for begin in (7, 7, 37))
    assert once == again
    assert len(set(once + others)) == 60


def test_a_function_with_a_header_of_its_own_is_given_all_that_the_oracle_gives_it() -> None:
    for one in (function(seed, "headers") for seed in range(200)):
        assert one.derived is not None
        assert one.text.count("pub fn body<T: Number>(xs: &[T], k: usize) -> T {") == 1
        attributes, header = one.derived.attributes.splitlines(), one.derived.primal.partition(" -> ")[0]
        parameters = len(re.findall(r"\b(?:p\d|k): ", header))
        assert {attribute.count(", ") - attribute.count(", 2,") - 1 for attribute in attributes} == {parameters}
        assert "autodiff_reverse" not in one.derived.attributes or one.derived.lines[0] == "reverse"
        assert not {"T", "Vec<T>"} & set(re.findall(r"[\w<>]+", one.derived.primal))


def test_every_kind_of_code_has_leaves() -> None:
    assert set(CODE) == set(LEAVES)
    assert all(len(templates) == len(weights) > 0 for templates, weights in [*CODE.values(), *LEAVES.values()])


def test_a_difference_is_seen_and_so_is_what_is_no_number_or_missing() -> None:
    right = [float(number) for number in range(2 * sum(oracle.SIZES))]
    assert differences(right, right) == []
    assert differences([number * (1 + 1e-12) for number in right], right) == []
    for wrong in (math.nan, math.inf, 0.0):
        assert len(differences([*right[:7], wrong, *right[8:]], right)) == 1
    assert differences([], right) == ["0 numbers instead of 36"]
    assert differences(right[:-1], right) == ["35 numbers instead of 36"]
    small = [1e-3] * len(right)
    assert differences([0.0, *small[1:]], small) == ["value of 9 elements is 0, not 0.001"]


def test_a_cut_changes_one_place_and_makes_it_smaller() -> None:
    root = function(3).root
    for cut in islice(cuts(root), 500):
        assert len(cut.made(root).text) < len(root.text)
    sum_ = Node("f", ("(", Node("f", ("a",)), " + ", Node("f", ("xs[0].sin()",)), ")"))
    assert [cut.made(sum_).text for cut in cuts(sum_)][-3:] == ["xs[0].sin()", "a", "(a + xs[0])"]


def test_cuts_are_made_together_where_none_is_within_another() -> None:
    root = Node("root", (Node("s", ("{ ", Node("s", ("b;",)), " }")), Node("s", ("c;",))))
    nothing = Node("s", ("",))
    failure = Failure(
        Function(0, root), Verdict("wrong"), harmless=[Cut((0, 1), nothing), Cut((0,), nothing), Cut((1,), nothing)]
    )
    together, *_ = failure.candidates(Random(0))
    assert failure.smaller(together).text.split() == ["{", "}"]


def test_what_fails_is_shrunk_to_what_it_fails_by() -> None:
    """To a sine in a loop, here, whatever is around; what fails otherwise, as without the loop, is no shorter way to say it."""
    judged: list[str] = []

    def of_a_sine(functions: Sequence[Function], *_: object) -> list[Verdict]:
        judged.extend(one.text for one in functions)
        return [Verdict("wrong", f"reverse: {said(one.text)}") if "sin" in one.text else Verdict("right") for one in functions]

    def said(text: str) -> str:
        return "derivative 0 of 9 elements is 0" if "for" in text else "value of 9 elements is 0"

    def sum_of(*terms: str | Node) -> Node:
        return Node("f", ("(", *(piece for term in terms for piece in (Node("f", (term,)), " + ")), Node("f", ("a",)), ")"))

    swap, square = Node("s", ("v.swap(0, 1);",)), Node("s", ("v[0] = v[0] * v[0];",))
    loop = Node(
        "s", ("for x in xs { ", Node("B", (swap, Node("s", ("a = ", sum_of("x.exp()", "x.sin()", "xs[2]"), ";")))), " }")
    )
    either = Node(
        "s", ("if ", Node("b", ("xs[0] < 0.5",)), " { ", Node("B", (square, loop)), " } else { ", Node("B", (swap,)), " }")
    )
    root = Node("root", ("fn body() { ", square, either, swap, Node("f", ("a",)), " }"))
    failure = Failure(Function(0, root), of_a_sine([Function(0, root)])[0])
    shrink([failure], of_a_sine)
    assert "".join(failure.function.text.split()) == "fnbody(){forxinxs{a=x.sin();}a}"
    assert len(set(judged)) > 20


def test_causes_are_alike_whatever_the_names() -> None:
    said = "error: Enzyme: Cannot deduce type of phi   %{} = phi double [ %97, %.loop ]\n  --> src/p0032.rs:1:1"
    assert len({cause(Verdict("refused", said.format(name))) for name in ("120", "7")}) == 1
    derivative, other, value = (
        f"width 2, direction 0: {what} of 9 elements is 0" for what in ("derivative 3", "derivative 8", "value")
    )
    assert cause(Verdict("wrong", derivative)) == cause(Verdict("wrong", other)) != cause(Verdict("wrong", value))


def test_runs_add_up(tmp_path: Path) -> None:
    written = tmp_path / "runs.csv"
    written.write_text("commit,built,numbers,level,first,right,refused,broke_down,wrong,crash,invalid\n")
    kinds = ["right"] * 26 + ["refused", "broke down", "wrong", "invalid"]
    rows = [record.run("3", 30, [Verdict(kind) for kind in kinds], "f32")]
    rows += [
        record.Run("aaaa", "slice", "f64", "0", 0, 40, 0, 0, 0, 0, 0),
        record.Run("aaaa", "alone", "f64", "0", 0, 3000, 0, 0, 0, 0, 0),
        record.Run("bbbb", "alone", "f64", "0", 0, 4990, 10, 0, 0, 0, 0),
    ]
    for row in rows:
        record.add(row, written)
    assert record.read(written) == rows
    assert rows[0].tests == 29
    table = [line.split(" | ") for line in record.told(rows) if line.startswith("| ")]
    assert table[1][1:] == ["8000", "7990 (99.88%)", "10 (0.12%)", "0 (0.00%)", "0 (0.00%)", "0 (0.00%) |"]
    assert table[2][:2] == ["| over `f32`, level 3", "29"]
    assert table[3][:3] == ["| over `f64`, level 0, built by `slice`", "40", "40 (100.00%)"]
    assert table[-1][:3] == ["| the last ones, since commit bbbb", "5000", "4990 (99.80%)"]


@pytest.mark.toolchain
def test_what_is_no_test_is_found_without_the_pipeline(tmp_path: Path) -> None:
    bodies = {
        "xs[0] * xs[0]": "",
        "xs[0] * y": "E0425: cannot find value `y` in this scope",
        "xs[xs.len()]": "panics",
        "xs[0].exp().exp().exp() * 1e6": "is infinite, or nearly so",
        "(xs[0] * (1e300 * 1e10)).atan()": "is infinite somewhere, or no number",
        "xs[0] + (xs[0] * 1e12 - xs[0] * 1e12)": "loses its digits",
        "loop {}": "does not end",
        "xs[0] + xs[k / 4]": "",
    }
    functions = [
        Function(0, Node("root", (f"pub fn body<T: Number>(xs: &[T], k: usize) -> T {{ {body} }}",))) for body in bodies
    ]
    found = oracle.rights(functions, tmp_path)
    assert [right if isinstance(right, str) else "" for right in found] == list(bodies.values())
    square = found[0]
    assert isinstance(square, list)
    assert square[:4] == pytest.approx([0.7371**2, 2 * 0.7371, 0.7371**2, 0])


@pytest.mark.toolchain
@pytest.mark.parametrize("precision", [oracle.DOUBLE, oracle.IN_SINGLE])
def test_differences_bear_dual_numbers_out_but_for_kinks(tmp_path: Path, precision: oracle.Precision) -> None:
    """What a function makes of `value` has no derivative for dual numbers, as of an integer; here it should have one."""
    bodies = [
        "let y = T::from(xs[0].value()); y * y",
        "xs[0].sin() * xs[0]",
        "(xs[0] - 0.7371).abs() + xs[0].floor()",
        "if xs[0] > 0.737097 { xs[0] * 3.0 } else { xs[0] }",
    ]
    functions = [
        Function(0, Node("root", (f"pub fn body<T: Number>(xs: &[T], k: usize) -> T {{ {body} }}",))) for body in bodies
    ]
    doubted, *borne_out = oracle.rights(functions, tmp_path, precision)
    assert isinstance(doubted, str)
    assert oracle.verdict(doubted).kind == "wrong"
    assert doubted.startswith("derivative 0 of 9: dual numbers say 0e0, differences 1.47")
    assert all(isinstance(right, list) for right in borne_out)


@pytest.mark.toolchain
def test_differences_without_digits_doubt_nothing(tmp_path: Path) -> None:
    body = "pub fn body<T: Number>(xs: &[T], k: usize) -> T { (xs[0] + 1e14) - 1e14 + xs[0] * 2.0 }"
    (right,) = oracle.rights([Function(0, Node("root", (body,)))], tmp_path)
    assert isinstance(right, list)
    assert right[1] == pytest.approx(3)


@pytest.mark.toolchain
def test_what_is_infinite_in_single_precision_is_no_test_of_it(tmp_path: Path) -> None:
    body = "pub fn body<T: Number>(xs: &[T], k: usize) -> T { (xs[0] * 1e30 * 1e30).atan() }"
    functions = [Function(0, Node("root", (body,)))]
    assert isinstance(oracle.rights(functions, tmp_path / "double")[0], list)
    assert oracle.rights(functions, tmp_path / "single", oracle.IN_SINGLE) == ["is infinite somewhere, or no number"]


def _is_light(one: Function, length: int) -> bool:
    """Whether it takes Enzyme a second or two, and not ten: what sorts, or has trees in it, is for `python -m tests.fuzz`."""
    return len(one.text) < length and not _HEAVY.search(one.text)


@pytest.mark.toolchain
@pytest.mark.parametrize("numbers", COUNTS)
def test_random_functions_are_right_or_refused(request: pytest.FixtureRequest, tmp_path: Path, numbers: str) -> None:
    few, many, length = COUNTS[numbers]
    number = many if request.config.getoption("--full") else few
    made = (function(seed, numbers) for seed in count(SEED))
    functions = list(islice((one for one in made if _is_light(one, length)), number))
    verdicts = judge(functions, "3", tmp_path, MODES_OF[numbers], together=TOGETHER)
    failed = [(f"{f}", v) for f, v in zip(functions, verdicts, strict=True) if v.kind in {"wrong", "crash"}]
    assert failed == []
    counts = Counter(verdict.kind for verdict in verdicts)
    assert counts["right"] >= SHARE * (len(functions) - counts["invalid"])


KEPT = sorted((Path(__file__).parent / "fuzz" / "kept").glob("*.rs"))
HEAVY = [path for path in KEPT if _HEAVY.search(path.read_text())]


@dataclass(frozen=True)
class Kept:
    """A function that was wrong, or broke Enzyme down, shrunk."""

    text: str


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("level", "paths"),
    [
        pytest.param("0", sorted({*KEPT} - {*HEAVY}), id="0"),
        pytest.param("0", HEAVY, marks=pytest.mark.full, id="0-heavy"),
        pytest.param("3", KEPT, marks=pytest.mark.full, id="3"),
    ],
)
def test_what_was_wrong_is_right(level: str, paths: Sequence[Path], tmp_path: Path) -> None:
    verdicts = judge([Kept(path.read_text()) for path in paths], level, tmp_path, together=TOGETHER)
    assert {path.name: verdict.kind for path, verdict in zip(paths, verdicts, strict=True)} == {
        path.name: "right" for path in paths
    }
