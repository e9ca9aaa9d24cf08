"""What the audit catches where repairs are left out: `.venv/bin/python -m bench.audit [--programs N] [--seed N]`.

Programs are random ones: of random headers and of the header table, in every mode at every level.  Each is taken up to opt1
once; from there on it goes several times, each time with other repairs left out at random.  Beside what the audit says,
Enzyme differentiates it all the same, and the program is run: what comes out wrong must have been found.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pipeline.audit import audit
from pipeline.enzyme_driver import Catalyst
from pipeline.errors import UserError
from pipeline.linker import Linker
from pipeline.process import run_tool
from pipeline.repairs import NAMES
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import DERIVATIVES, AbiFixup
from pipeline.stages.codegen import Codegen
from pipeline.stages.link import Link
from pipeline.stages.opt1 import Opt1
from pipeline.stages.opt2 import Opt2
from pipeline.toolchain import Tools, find_tools
from tests.alone import silence
from tests.table import catalogue, composite
from tests.table.headers import Program
from tests.table.runner import KIND
from tests.workbench import Workbench

CONTROL = "square"
"""The derivative that every crate of the table has besides: nothing is wrong with it."""

CHOICES = 4
"""How often a program is tried, each time without other repairs."""


def main(count: int, seed: int) -> None:
    """Print a line for each program and choice, and how often the audit and the result were what."""
    outcomes: Counter[tuple[str, str]] = Counter()
    tools = find_tools()
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        for number, program in enumerate(programs(count, seed)):
            begun = begin(program, bench, tools)
            for without in choices(Random(f"{seed} {number}")):
                with tempfile.TemporaryDirectory() as out:
                    found, result = tried(begun, without, Path(out), tools)
                outcomes[result, "found" if found else "not found"] += 1
                print(f"{result:8} {'found' if found else '-----'} without {' '.join(without)}: {program}", flush=True)
    for (result, audited), number in sorted(outcomes.items()):
        print(f"{number:4} {result}, {audited}")
    missed = outcomes["wrong", "not found"] + outcomes["crash", "not found"]
    print(f"wrong and not found by the audit: {missed} of {outcomes.total()}, seed {seed}")


def programs(count: int, seed: int) -> list[Program]:
    """Random headers and those of the table in turn, but for what is known to be refused."""
    listed = [program for program in catalogue.everything() if not catalogue.refusal(program)]
    pairs = zip(composite.programs(seed, count), Random(seed).sample(listed, count), strict=True)
    return [program for pair in pairs for program in pair][:count]


def choices(random: Random) -> list[tuple[str, ...]]:
    """Some choices of repairs to leave out, one at least each time, in the order in which they are made."""
    found: set[tuple[str, ...]] = set()
    while len(found) < CHOICES:
        left_out = random.sample(NAMES, random.randint(1, len(NAMES)))
        found.add(tuple(name for name in NAMES if name in left_out))
    return sorted(found)


@dataclass(frozen=True)
class Begun:
    """A program that was taken up to opt1: where the stages before are, and where opt1's output is."""

    program: Program
    stages: Path
    opt1: Path


def begin(program: Program, bench: Workbench, tools: Tools) -> Begun:
    """Take a program up to opt1."""
    KIND.write([program], bench)
    built = bench.doit("llvm_link", f"profile=level{program.level}")
    assert built.returncode == 0, built.stderr
    begun, small = Begun(program, bench.output() / "stages", bench.folder / "opt1"), bench.folder / "small"
    for folder in (small, begun.opt1):
        folder.mkdir(exist_ok=True)
    silence(begun.stages / "03-llvm_link" / MODULE, small / MODULE, tools)
    level = 2 if program.level == "s" else int(program.level)
    Opt1(tools.opt, level).run({"module": small}, begun.opt1, bench.folder / "log")
    return begun


def tried(begun: Begun, without: tuple[str, ...], folder: Path, tools: Tools) -> tuple[bool, str]:
    """Whether the audit finds something, and how the program comes out all the same."""
    outs = {name: folder / name for name in ("abi_fixup", "enzyme", "opt2", "codegen", "link")}
    for out in outs.values():
        out.mkdir()
    program, log = begun.program, folder / "log"
    is_raw = program.level in {"0", "1"}
    fixup = AbiFixup(tools.opt, tools.libllvm, raw=is_raw, repairs=True, without=without)
    fixup.run({"module": begun.opt1}, outs["abi_fixup"], log)
    derivatives = json.loads((outs["abi_fixup"] / DERIVATIVES).read_text())
    shims = [derivative["shim"] for derivative in derivatives if CONTROL not in derivative["primal"]]
    found = bool(audit(tools.libllvm, outs["abi_fixup"] / MODULE, **{program.mode.name: shims}))
    try:
        _compile(outs, begun.stages, log, tools)
    except UserError:
        return found, "refused"
    return found, KIND.run([program], outs["link"] / "bench")[program].kind


def _compile(outs: dict[str, Path], stages: Path, log: Path, tools: Tools) -> None:
    """From abi_fixup's module to the program.  Raises: UserError where Enzyme refuses it, or a tool what Enzyme made."""
    text = outs["enzyme"] / "module.ll"
    if diagnostics := Catalyst(tools.catalyst, patience_s=300).differentiate(outs["abi_fixup"] / MODULE, text, [], log):
        raise UserError(diagnostics[0].render())
    run_tool([tools.llvm_as, "-o", outs["enzyme"] / MODULE, text], log=log)
    Opt2(tools.opt, 3).run({"module": outs["enzyme"]}, outs["opt2"], log)
    Codegen(tools.llc, 3, "x86-64").run({"module": outs["opt2"]}, outs["codegen"], log)
    inputs = {"crate": stages / "02-crate_bitcode", "std": stages / "01-build_std", "object": outs["codegen"]}
    Link(Linker(tools.cc)).run(inputs, outs["link"], log)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    main(arguments.programs, arguments.seed)
