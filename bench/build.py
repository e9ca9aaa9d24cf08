"""What a build costs beside its tools: `.venv/bin/python bench/build.py [--rounds N] [--cold] [--since COMMIT]`.

Each figure is a ratio from interleaved rounds of one run:

1. a build with nothing to do, over doit itself with a bare dodo.py of as many tasks;
2. the pipeline's own share of an edit -> build run: the time in which no tool was running, over that in which one was;
3. with --cold, the same for a build from an empty cache (std included);
4. with --since, each stage over the same stage of an older commit, for the programs that this one has in bench/gradient.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOIT = ROOT / "doit"
TIMED = Path(__file__).with_name("timed_doit.py")
HELLO = ROOT / "examples/hello"


# Of the same shape as ours: a function for each task, chained by files.
def bare(tasks: int) -> str:
    """A dodo.py of so many tasks."""
    return "".join(
        f"""
def task_t{number}():
    return {{
        "actions": ["touch t{number}"],
        "file_dep": {[f"t{number - 1}"] if number else []},
        "targets": ["t{number}"],
        "uptodate": [True],
    }}
"""
        for number in range(tasks)
    )


def main() -> None:
    """Print the figures asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="rounds of the no-op (default 15)")
    parser.add_argument("--edits", type=int, default=3, help="rounds of the edit (default 3)")
    parser.add_argument("--cold", action="store_true", help="build from an empty cache, too (a minute)")
    parser.add_argument("--since", metavar="COMMIT", help="the stages against those of an older commit, and nothing else")
    asked = parser.parse_args()
    if asked.since:
        since(asked.since, asked.edits)
        return
    subprocess.run([DOIT, "build"], check=True, stdout=subprocess.DEVNULL)
    no_op(asked.rounds)
    with tempfile.TemporaryDirectory() as folder:
        crate = copy_of_hello(Path(folder))
        edits(crate, asked.edits)
        if asked.cold:
            share("cold build", [timed(crate, {"CRATEGRAD_CACHE": str(Path(folder) / "cache")})])


def no_op(rounds: int) -> None:
    """Nothing to do: our build and bare doit in turn."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dodo.py").write_text(bare(13))
        alone = [ROOT / ".venv/bin/doit"]
        seconds(alone, folder)
        seconds([DOIT, "build"], str(ROOT))
        pairs = [(seconds([DOIT, "build"], str(ROOT)), seconds(alone, folder)) for _ in range(rounds)]
    ours, bares = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(our / their for our, their in pairs)
    print(f"no-op build: {ours * 1e3:.0f} ms, bare doit with 13 tasks: {bares * 1e3:.0f} ms, ratio {ratio:.2f}")


def edits(crate: Path, rounds: int) -> None:
    """The differentiated function edited and built, again and again."""
    source = crate / "src/main.rs"
    text = source.read_text()
    timed(crate)
    runs = []
    for _ in range(rounds):
        # Another constant: the same bytes would end the build after crate_bitcode.
        source.write_text(text.replace("100.0 *", f"{100.0 + time.time() * 1e-12} *"))
        runs.append(timed(crate))
    share("edit of the differentiated function", runs)
    summary = subprocess.run([DOIT, "build", f"crate={crate}"], check=True, capture_output=True, text=True).stdout
    assert "build_std     up to date" in summary
    print(summary)


def since(commit: str, rounds: int) -> None:
    """The same programs through the stages of an older commit and of this one, in turn; a line for each stage."""
    with tempfile.TemporaryDirectory() as folder:
        then = Path(folder) / "then"
        subprocess.run(["git", "clone", "--quiet", ROOT, then], check=True)
        subprocess.run(["git", "-C", then, "checkout", "--quiet", commit], check=True)
        crates = {root: copy_of_programs(then, root, Path(folder) / name) for root, name in ((then, "old"), (ROOT, "new"))}
        for root, crate in crates.items():
            _run([root / "doit", "build", f"crate={crate}"], str(root), {})
        runs = [{root: stages(root, crate) for root, crate in crates.items()} for _ in range(rounds)]
    for run in runs:
        for each in run.values():
            each["all of these"] = sum(each.values())
    for stage in runs[0][ROOT]:
        old, new = (statistics.median(run[root][stage] for run in runs) for root in (then, ROOT))
        print(f"{stage:14} {new:6.2f} s, at {commit} {old:6.2f} s, ratio {new / old:.2f}")


def copy_of_programs(of: Path, root: Path, folder: Path) -> Path:
    """A commit's programs of bench/gradient, with the frontend of a checkout."""
    shutil.copytree(of / "bench/gradient/rust", folder)
    manifest = folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("../../../rust", str(root / "rust")))
    return folder


def stages(root: Path, crate: Path) -> dict[str, float]:
    """Seconds of each stage from llvm_link on, whatever is in the cache."""
    _run([root / "doit", "build", f"crate={crate}", "from=llvm_link"], str(root), {})
    argv: list[str | Path] = [root / "doit", "history", f"crate={crate}", "--json"]
    history = json.loads(subprocess.run(argv, cwd=root, check=True, capture_output=True).stdout)
    last = max(history["runs"], key=lambda run: float(run["started"]))
    return {ran["stage"]: float(ran["seconds"]) for ran in last["stages"] if ran["how"] == "ran"}


def timed(crate: Path, environment: Mapping[str, str] = {}) -> tuple[float, float]:
    """Seconds of a whole `./doit build`, and of those in which a tool was running."""
    with tempfile.NamedTemporaryFile("r") as report:
        argv: list[str | Path] = [ROOT / ".venv/bin/python", TIMED, report.name, "build", f"crate={crate}"]
        whole = seconds(argv, str(ROOT), {"CRATEGRAD_CWD": str(ROOT), **environment})
        return whole, float(json.load(report)["tools"])


def share(what: str, runs: Sequence[tuple[float, float]]) -> None:
    """Print the pipeline's own share."""
    whole, tools = (statistics.median(column) for column in zip(*runs, strict=True))
    own = statistics.median((run - tool) / tool for run, tool in runs)
    print(f"{what}: {whole:.2f} s, of which tools {tools:.2f} s; the pipeline's own share is {own:.1%} of the tools' time")


def seconds(argv: Sequence[str | Path], folder: str, environment: Mapping[str, str] = {}) -> float:
    """Seconds that a command takes; its output is not looked at."""
    begin = time.perf_counter()
    _run(argv, folder, environment)
    return time.perf_counter() - begin


def processor_seconds(argv: Sequence[str | Path], folder: str, environment: Mapping[str, str] = {}) -> float:
    """Seconds of the processor that a command takes: what others do on the machine has less of a say in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(argv, folder, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(argv: Sequence[str | Path], folder: str, environment: Mapping[str, str]) -> None:
    quiet = subprocess.DEVNULL
    # Where compiled Python may not be kept, it is compiled again each time: that is not what is measured.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, cwd=folder, env={**inherited, **environment}, stdout=quiet, stderr=quiet, check=True)


def copy_of_hello(folder: Path) -> Path:
    """The example in a folder where it may be edited."""
    crate = folder / "hello"
    (crate / "src").mkdir(parents=True)
    manifest = (HELLO / "Cargo.toml").read_text().replace("../../rust", str(ROOT / "rust"))
    (crate / "Cargo.toml").write_text(manifest)
    (crate / "src/main.rs").write_text((HELLO / "src/main.rs").read_text())
    return crate


if __name__ == "__main__":
    main()
