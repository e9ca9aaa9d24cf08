"""`./doit bench_gradient [NAME[:SIZE,…] …]`: gradients of the suite's programs, in Rust and in C++, timed in turn.

Both sides must agree to 1e-9 on the value and on each block of the gradient: else nothing is told. Of C++'s two ways to be
built one may come out wrong; it does not count then, and the table says so.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from bench.gradient import building, measuring, suite, telling
from bench.gradient.measuring import CPP, Row
from bench.gradient.running import HELD
from pipeline import config, process
from pipeline.errors import UserError
from pipeline.request import ROOT, started_in
from pipeline.toolchain import find_tools

DOCUMENT, PLOT = ROOT / "docs" / "performance.md", ROOT / "docs" / "performance.svg"
BEGIN, END = "<!-- written by `./doit bench_gradient --write` -->", "<!-- until here -->"
STRATEGIES = ("slice", "single-module-merge", "fat-lto")


def main(words: Sequence[str]) -> int:
    """The whole command; gives the exit code."""
    asked = _parser().parse_args(words)
    try:
        tables, failures = _measured(asked)
    except UserError as error:
        print(error.message, file=sys.stderr)
        return error.exit_code
    for failure in failures:
        print(failure, file=sys.stderr)
    for title, rows in tables.items():
        telling.show(rows, title)
    first = next(iter(tables.values()))
    if not first:
        return 1
    if asked.json:
        (started_in() / asked.json).write_text(telling.as_json(tables, machine()))
    if asked.svg:
        telling.plot(first, started_in() / asked.svg)
    if asked.write:
        telling.plot(first, PLOT)
        shown = [word for word in words if not word.startswith(("--json", "--svg"))]
        write(tables, failures, " ".join(["./doit bench_gradient", *shown]))
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="./doit bench_gradient", description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="NAME[:SIZE,…]", help="which, and how large; all of them as they are")
    parser.add_argument("--rounds", type=_at_least_one, default=7, help="how often each binary is run (7)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a run measures, about (0.5)")
    parser.add_argument("--strategies", type=_strategies, default=("slice",), help="of Rust, with commas between (slice)")
    parser.add_argument("--cpu", default="x86-64", help="the processor both sides are built for (x86-64), or native")
    parser.add_argument("--held", action="store_true", help="a second table, where the allocator keeps what it has")
    parser.add_argument("--json", default="", help="write all that was measured there")
    parser.add_argument("--svg", default="", help="draw the plot there")
    parser.add_argument("--write", action="store_true", help="write the tables and the plot into docs/performance.md")
    return parser


class _Parser(argparse.ArgumentParser):
    """One that ends with 3: nothing was run."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the command line."""
        self.exit(3, f"error: bench_gradient: {message}\n  = help: `./doit help bench_gradient` says what there is\n")


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 1 on")
    return int(text)


def _strategies(text: str) -> tuple[str, ...]:
    if unknown := set(text.split(",")) - {*STRATEGIES}:
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: there are {', '.join(STRATEGIES)}")
    return tuple(dict.fromkeys(text.split(",")))


def _measured(asked: argparse.Namespace) -> tuple[dict[str, list[Row]], list[str]]:
    """The tables by their titles, and why programs are missing in them."""
    programs = suite.chosen(asked.programs)
    chosen, tools = config.load("default", {"codegen.cpu": asked.cpu}), find_tools()
    environments = {f"built for {asked.cpu}": {}, **({"the allocator held": HELD} if asked.held else {})}
    tables: dict[str, list[Row]] = {title: [] for title in environments}
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rust = {strategy: building.rust(strategy, asked.cpu, folder / strategy) for strategy in asked.strategies}
        cpp = process.side_by_side(partial(building.cpp, program, chosen, tools, folder) for program in programs)
        for program, ways in zip(programs, cpp, strict=True):
            print(f"   {program.name}", file=sys.stderr, flush=True)
            sides = {**rust, **{f"{CPP}{way}": binary for way, binary in ways.items()}}
            try:
                for title, environment in environments.items():
                    tables[title] += measuring.measure(program, sides, asked.rounds, asked.seconds, environment)
            except UserError as error:
                failures.append(error.message)
    return tables, failures


def machine() -> str:
    """The processor, how many of them, and how much else they had to do in the last minute."""
    names = re.findall(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    load = os.getloadavg()[0]
    return f"{names[0] if names else platform.machine()}, {len(names)} cores, a load of {load:.1f} at the end"


def write(tables: dict[str, list[Row]], failures: Sequence[str], command: str) -> None:
    """Put the tables into the document, between its markers, and what could not be measured."""
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = [f"{before}{BEGIN}", "", f"    {command}", "", f"On {machine()}.", "", f"![gradient over primal]({PLOT.name})"]
    for title, rows in tables.items():
        lines += ["", f"### {title[0].upper()}{title[1:]}", "", *telling.markdown(rows)]
    if failures:
        lines += ["", "Not measured:", "", *(f"    {line}" for failure in failures for line in failure.splitlines())]
    DOCUMENT.write_text("\n".join([*lines, "", f"{END}{after}"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
