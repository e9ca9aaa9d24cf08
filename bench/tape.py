"""What the pool of tapes and the value cost gradients: `.venv/bin/python bench/tape.py [--rounds N] [--cpu NAME]`.

The functions of `bench/tape`, at sizes whose tapes have some kilobytes up to a hundred megabytes, built with `tape: system`
and `tape: pooled`.  Interleaved runs, a process each; the first binary under a second name shows the noise.  A run's figure is
the median of the processor's time of its calls; those here are medians over the rounds, ratios those of one round.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "bench/tape"
MEASURED = (
    *(("recurrence", size) for size in (1_000, 30_000, 1_000_000)),
    *(("growing", size) for size in (1_000, 30_000, 1_000_000)),
    *(("layers", size) for size in (64 * 64 * 10, 64 * 64 * 300)),
    *(("heat", size) for size in (100, 10_000, 100_000)),
    *(("mixture", size) for size in (1_000, 100_000)),
    *(("halves", size) for size in (1_000, 300_000)),
)
FLOATS_A_SECOND = 20e6
"""How many numbers gradients go through, about: for as many calls as take half a second."""

Run = dict[str, float]


def main() -> None:
    """Print a row for each function and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each binary (default 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads that take gradients at once (default 1)")
    parser.add_argument("--cpu", default="x86-64", help="codegen.cpu (default x86-64)")
    asked = parser.parse_args()
    print(f"{'':20}   system   pooled/system  same/system   pooled: without the value/with")
    with tempfile.TemporaryDirectory() as name:
        system, pooled = (built(Path(name) / tape, tape, asked.cpu) for tape in ("system", "pooled"))
        again = Path(shutil.copy(system, Path(name) / "again"))
        for function, size in MEASURED:
            rounds = [[run(p, function, size, asked.threads) for p in (system, pooled, again)] for _ in range(asked.rounds)]
            taken = statistics.median(of_system["median"] for of_system, _, _ in rounds)
            ratio, noise = (statistics.median(row[i]["median"] / row[0]["median"] for row in rounds) for i in (1, 2))
            value = statistics.median(row[1]["median_without"] / row[1]["median"] for row in rounds)
            held = max(row[1]["held"] for row in rounds) / 2**20
            row = f"{function:10} {size:8} {taken * 1e6:9.1f} µs  {ratio:9.2f}  {noise:12.2f}  {value:12.2f}"
            print(f"{row}   {held:7.1f} MiB held", flush=True)


def built(program: Path, tape: str, cpu: str) -> Path:
    """The program of a config, out of the way of the next."""
    argv: list[str | Path] = [ROOT / "doit", "build", f"crate={CRATE}", f"tape={tape}", f"codegen.cpu={cpu}"]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return Path(shutil.copy(CRATE / "target/crategrad/default/tape", program))


def run(program: Path, function: str, size: int, threads: int) -> Run:
    """What one run of it says, the mean over its threads."""
    calls = max(7, min(2000, int(FLOATS_A_SECOND / size / (100 if function == "heat" else 1) / 2)))
    argv: list[str | Path] = [program, function, str(size), str(calls), str(threads)]
    lines = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()
    said = [json.loads(line) for line in lines]
    return {key: statistics.mean(each[key] for each in said) for key in said[0] if key != "function"}


if __name__ == "__main__":
    main()
