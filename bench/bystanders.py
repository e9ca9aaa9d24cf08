"""What code pays that no derivative reaches: `.venv/bin/python bench/bystanders.py [--rounds N]`.

One program, built with derivatives, without (`autodiff: false`), and by cargo alone with its own fat LTO; it never calls its
derivative.  Interleaved runs, the processor's time of each; the first binary under a second name shows the noise.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "tests/crates/bystanders"
CARGO = os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")
PROFILE = {"LTO": "fat", "CODEGEN_UNITS": "1", "PANIC": "abort"}
REPETITIONS = "20000"


def main() -> None:
    """Print each build's time over that of the build with derivatives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=41, help="runs of each binary (default 41)")
    parser.add_argument("--strategy", default="single-module-merge", help="or fat-lto")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = {
            "with derivatives": built(folder / "with", asked.strategy, "true"),
            "the same again": Path(shutil.copy(folder / "with", folder / "again")),
            "without": built(folder / "without", asked.strategy, "false"),
            "cargo's fat LTO": by_cargo(folder),
        }
        rounds = [{name: seconds(program) for name, program in programs.items()} for _ in range(asked.rounds)]
    for name in programs:
        ratio = statistics.median(times["with derivatives"] / times[name] for times in rounds)
        print(f"{name:16} {statistics.median(t[name] for t in rounds) * 1e3:.1f} ms, with derivatives over it {ratio:.4f}")


def built(program: Path, strategy: str, autodiff: str) -> Path:
    """The program of a config, out of the way of the next."""
    argv: list[str | Path] = [ROOT / "doit", "build", f"crate={CRATE}", f"config={strategy}", f"autodiff={autodiff}"]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return Path(shutil.copy(CRATE / "target/crategrad" / strategy / "bystanders", program))


def by_cargo(folder: Path) -> Path:
    """The program that cargo alone makes of it."""
    environment = {"RUSTC": os.fspath(Path(CARGO).with_name("rustc"))}  # that of the pipeline, whatever else is on PATH
    environment |= {f"CARGO_PROFILE_RELEASE_{name}": value for name, value in PROFILE.items()}
    argv: list[str | Path] = [CARGO, "build", "--release", "--quiet", "--target-dir", folder / "cargo"]
    subprocess.run(argv, cwd=CRATE, env={**os.environ, **environment}, check=True)
    return folder / "cargo/release/bystanders"


def seconds(program: Path) -> float:
    """The processor's time of one run."""
    child = subprocess.Popen([program, REPETITIONS], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
