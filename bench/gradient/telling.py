"""What was measured, told: a table on the terminal and in `docs/performance.md`, JSON, a plot."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from bench.gradient.measuring import Row
from pipeline.tables import print_table

COLUMNS: dict[str, Callable[[Row], str]] = {
    "program": lambda row: row.program,
    "sizes": lambda row: ", ".join(map(str, row.sizes)),
    "strategy": lambda row: row.strategy,
    "primal, µs": lambda row: f"{row.rust['primal'].least * 1e6:.1f}",
    "gradient, µs": lambda row: f"{row.rust['gradient'].least * 1e6:.1f}",
    "gradient / primal": lambda row: f"{row.over_primal:.2f}",
    "the same in C++": lambda row: f"{row.cpp_over_primal:.2f}",
    "Rust / C++": lambda row: f"{row.over_cpp:.2f}",
    "of medians": lambda row: f"{row.over_cpp_median:.2f}",
    "without the value": lambda row: f"{row.over_cpp_without_value:.2f}",
    "C++ built": lambda row: row.cpp_way + "".join(f" (wrong {way})" for way in row.cpp_wrong),
    "a direction of 8": lambda row: f"{row.direction_of_many:.2f}",
    "tape, kB": lambda row: f"{row.tape_kb[0]}",
    "C++'s, kB": lambda row: f"{row.tape_kb[1]}",
    "noise": lambda row: f"{row.noise:.1%}",
}


def show(rows: Sequence[Row], title: str) -> None:
    """Print the table, and what it comes to."""
    table = Table(*COLUMNS, title=title, box=None, header_style="bold", pad_edge=False, title_justify="left")
    for row in rows:
        table.add_row(*(cell(row) for cell in COLUMNS.values()))
    print_table(table)
    for line in sums(rows):
        print(line)


def markdown(rows: Sequence[Row]) -> Iterator[str]:
    """The table as it stands in a document."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    for row in rows:
        yield f"| {' | '.join(cell(row) for cell in COLUMNS.values())} |"
    yield ""
    yield from (f"- {line}" for line in sums(rows))


def sums(rows: Sequence[Row]) -> Iterator[str]:
    """What the rows of each strategy come to."""
    for strategy in dict.fromkeys(row.strategy for row in rows):
        its = [row for row in rows if row.strategy == strategy]
        worst = max(its, key=lambda row: row.over_cpp)
        yield (
            f"{strategy}: Rust / C++ is {geometric_mean([row.over_cpp for row in its]):.2f} in the geometric mean"
            f" ({geometric_mean([row.over_cpp_without_value for row in its]):.2f} without the value),"
            f" at most {worst.over_cpp:.2f} ({worst.program}); the noise is at most {max(row.noise for row in its):.1%}"
        )


def geometric_mean(ratios: Sequence[float]) -> float:
    """Of ratios, that of two that cancel is 1."""
    return statistics.geometric_mean(ratios)


def as_json(tables: Mapping[str, Sequence[Row]], machine: str) -> str:
    """All that was measured; times in seconds, memory in kB."""
    return json.dumps(
        {"machine": machine, "tables": {name: [asdict(row) for row in its] for name, its in tables.items()}}, indent=1
    )


def plot(rows: Sequence[Row], file: Path) -> None:
    """Write an SVG: the gradient over the primal, in Rust by each strategy and in C++, program by program."""
    import pygal
    from pygal.style import CleanStyle

    style = CleanStyle(font_family="sans-serif")
    chart = pygal.Bar(js=[], style=style, title="gradient / primal", y_title="times the primal", x_label_rotation=30)
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    chart.x_labels = list(dict.fromkeys(row.program for row in rows))
    for strategy in strategies:
        chart.add(f"Rust, {strategy}", [round(row.over_primal, 3) for row in rows if row.strategy == strategy])
    chart.add("C++", [round(row.cpp_over_primal, 3) for row in rows if row.strategy == strategies[0]])
    file.write_bytes(chart.render())
