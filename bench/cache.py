"""What the cache costs and saves, as ratios: `PYTHONPATH=. .venv/bin/python bench/cache.py [--rounds N]`.

Short runs are taken in turn with what they are held against, by the time of the processor, and the median of their ratios is
told, with the least and the largest; with `--warm` they alone, on the project's own cache.  A cold build, half a minute on a
quiet machine, is done once, and all that is held against it follows at once.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.build import DOIT, ROOT, bare, copy_of_hello, processor_seconds, seconds
from tests import nginx
from tests.workbench import CUBE, MANIFEST

CELLS, STAGES = 112, 9


@dataclass(frozen=True)
class Figure:
    """What was measured, in words; the ratios; and how large one may be."""

    what: str
    ratios: Sequence[float]
    at_most: float

    def row(self) -> str:
        """A line of the table."""
        middle = statistics.median(self.ratios)
        spread = f"{min(self.ratios):.2g} to {max(self.ratios):.2g} in {len(self.ratios)}" if len(self.ratios) > 1 else "once"
        return f"| {self.what} | ≤ {self.at_most:g} | {middle:.2g} | {spread} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds of what is short (default 15)")
    parser.add_argument("--warm", action="store_true", help="leave out what is held against a cold build")
    asked = parser.parse_args()
    rounds = asked.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = {} if asked.warm else {"CRATEGRAD_CACHE": str(folder / "cache")}
        crate, figures = copy_of_hello(folder / "first"), list[Figure]()
        if not asked.warm:
            (folder / "nginx").mkdir()
            with nginx.serving(folder / "nginx") as server:
                figures += against_cold(folder, crate, here, server.environment())
        figures += against_bare_doit(folder, crate, here, rounds)
        figures.append(against_a_thousand(folder, here, rounds))
        again = opened_again(folder, crate, here)
    print("| what, over what | to reach | reached | spread |\n|---|---|---|---|")
    print("\n".join(figure.row() for figure in figures))
    print(f"| files of the crate, of std and of tools that a second build opens to read | 0 | {len(again)} | once |")
    print(f"\nLoad of the machine, {os.cpu_count()} processors: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


def against_cold(folder: Path, crate: Path, here: dict[str, str], remote: dict[str, str]) -> Iterator[Figure]:
    """Builds of a fresh crate that the cache has, over one of an empty cache."""
    cold = build(crate, here | remote)
    lock = crate / "Cargo.lock"

    def fresh(name: str, environment: dict[str, str]) -> float:
        copy = copy_of_hello(folder / name)
        shutil.copy(lock, copy)
        return build(copy, environment)

    build(crate, here)  # with the lock that cargo has written
    hits = [fresh(f"c{i}", here) / cold for i in range(3)]
    yield Figure("all from the local cache into a fresh crate, over cold", hits, 0.05)
    away = [{"CRATEGRAD_CACHE": str(folder / f"cache{i}")} | remote for i in range(3)]
    yield Figure("all from nginx (TLS), over cold", [fresh(f"n{i}", each) / cold for i, each in enumerate(away)], 0.15)
    build(crate, here, "opt2.level=1")
    back = [build(crate, here, level) / cold for level in ("opt2.level=3", "opt2.level=1") * 3]
    yield Figure("a setting changed back, over cold", back, 0.05)
    build(crate, here)


def against_bare_doit(folder: Path, crate: Path, here: dict[str, str], rounds: int) -> Iterator[Figure]:
    """Nothing to do, and `why`, over doit alone."""
    alone = doit_with(13, folder / "bare")

    def no_op() -> float:
        return processor_seconds([DOIT, "build", f"crate={crate}"], str(ROOT), here)

    def why() -> float:
        return processor_seconds([DOIT, "why", f"crate={crate}"], str(ROOT), here)

    yield Figure("no-op `./doit build`, over bare doit with 13 tasks", in_turn(no_op, alone, rounds), 1.4)
    yield Figure("`./doit why`, over the no-op", in_turn(why, no_op, rounds), 1.5)


def against_a_thousand(folder: Path, here: dict[str, str], rounds: int) -> Figure:
    """A matrix in which nothing is to do, over bare doit with as many tasks as it has stages."""
    crate, matrix = folder / "cube", folder / "matrix.yaml"
    (crate / "src").mkdir(parents=True)
    (crate / "src/main.rs").write_text(CUBE)
    (crate / "Cargo.toml").write_text(MANIFEST)
    matrix.write_text(f"axes:\n  enzyme.patience_s: {list(range(300, 300 + CELLS))}\n")
    alone = doit_with(CELLS * STAGES, folder / "thousand")

    def cells() -> float:
        return processor_seconds([DOIT, "matrix", f"crate={crate}", f"matrix={matrix}"], str(ROOT), here)

    cells()
    return Figure(
        f"no-op `./doit matrix` of {CELLS} cells, over bare doit with {CELLS * STAGES}", in_turn(cells, alone, rounds), 2
    )


def doit_with(tasks: int, folder: Path) -> Callable[[], float]:
    """The seconds of bare doit with so many tasks."""
    folder.mkdir()
    (folder / "dodo.py").write_text(bare(tasks))
    return lambda: processor_seconds([ROOT / ".venv/bin/doit"], str(folder))


def in_turn(ours: Callable[[], float], theirs: Callable[[], float], rounds: int) -> list[float]:
    """The ratios of pairs that are run one after the other."""
    ours(), theirs()
    return [ours() / theirs() for _ in range(rounds)]


def build(crate: Path, environment: dict[str, str], *variables: str) -> float:
    """The seconds of a `./doit build`."""
    return seconds([DOIT, "build", f"crate={crate}", *variables], str(ROOT), environment)


def opened_again(folder: Path, crate: Path, here: dict[str, str]) -> list[str]:
    """The sources, and the tools, that a build with nothing to do opens."""
    trace = folder / "trace"
    argv: list[str | Path] = [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-qq",
        "-e",
        "trace=openat",
        "-o",
        trace,
        DOIT,
        "build",
        f"crate={crate}",
    ]
    seconds(argv, str(ROOT), here)
    sources = (f"{crate}/src", "/usr/lib/rustlib", "/usr/src/rustc", "/usr/lib/llvm-22", f"{ROOT}/rust", "/usr/bin/rustc")
    opened = {line.rpartition("<")[2].rstrip(">") for line in trace.read_text(errors="replace").splitlines() if "= " in line}
    return sorted(path for path in opened if path.startswith(sources) and Path(path).is_file())


if __name__ == "__main__":
    main()
