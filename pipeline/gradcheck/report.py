"""What gradcheck found: a table, the reports of what is wrong, and JUnit's XML for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from pipeline.gradcheck.harness import NOT_CHECKED, RIGHT, STOPPED, WRONG, Checked, Function
from pipeline.request import Points
from pipeline.tables import print_table

_COLOURS = {RIGHT: "green", WRONG: "red", STOPPED: "red", NOT_CHECKED: "yellow"}


def show(found: Sequence[Checked], left_out: Sequence[str], points: Points) -> None:
    """Print the table, and below it what there is to say of single functions."""
    print_table(_table(found))
    for (function, why), builds in _told(found).items():
        print(f"\n{function.function} ({', '.join(builds)}), {function.place}\n{why}")
    if left_out:
        print(f"\nnot called, as they are methods, generic or unsafe: {', '.join(left_out)}")
        print("  = help: check them by `autodiff::gradcheck!` where they are used (docs/check.md)")
    counted = Counter(each.verdict for each in found)
    words = [f"{counted[word]} {word}" for word in _COLOURS if counted[word]]
    levels = ",".join(map(str, points.levels))
    again = f"n={points.count} seed={points.seed} length={points.length} levels={levels}"
    print(f"\n{', '.join(words)}; `{again}` repeats this")


def _told(found: Sequence[Checked]) -> dict[tuple[Function, str], list[str]]:
    """In which builds the same is to be said of a function."""
    told: dict[tuple[Function, str], list[str]] = {}
    for each in found:
        if each.why:
            told.setdefault((each.function, each.why), []).append(each.build)
    return told


def _table(found: Sequence[Checked]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("function", "derivatives", "build", "verdict", "compared", "worst relative error by argument"):
        table.add_column(title, justify="right" if title == "compared" else "left")
    for each in found:
        colour = _COLOURS[each.verdict]
        table.add_row(
            each.function.function,
            ", ".join(each.function.derivatives),
            each.build,
            f"[{colour}]{each.verdict}[/]{_notes(each)}",
            str(sum(point.compared for point in each.points)),
            ", ".join(f"{name} {error:.1e}" for name, error in each.worst.items()),
        )
    return table


def _notes(each: Checked) -> str:
    """How often there was nothing to compare with."""
    kinks = sum(point.kinks for point in each.points)
    undecided = sum(point.undecided for point in each.points)
    notes = [f"{kinks} kinks" if kinks else "", f"{undecided} undecided" if undecided else ""]
    told = ", ".join(filter(None, notes))
    return f" ({told})" if told else ""


def write_junit(found: Sequence[Checked], path: Path) -> None:
    """One case for each function and build, as CI servers read it."""
    import junitparser

    suite = junitparser.TestSuite("gradcheck")
    for each in found:
        case = junitparser.TestCase(each.build, classname=each.function.function)
        if each.is_failure:
            outcome = junitparser.Failure(each.why.partition("\n")[0], each.verdict)
            outcome.text = each.why
            case.result = [outcome]
        elif each.verdict == NOT_CHECKED:
            case.result = [junitparser.Skipped(each.why)]
        suite.add_testcase(case)
    xml = junitparser.JUnitXml()
    xml.add_testsuite(suite)
    xml.write(str(path), pretty=True)
