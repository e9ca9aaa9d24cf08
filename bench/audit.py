"""What the audit catches where the repairs are off: `.venv/bin/python bench/audit.py [--programs N] [--seed N]`.

Programs of the header table are taken through the pipeline one by one with `abi_fixup: false`.  Beside what the audit says
of each, Enzyme differentiates it all the same, and the program is run: what comes out wrong must have been found.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from pipeline import process
from pipeline.audit import audit
from pipeline.enzyme_driver import Catalyst
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.stages.codegen import Codegen
from pipeline.stages.link import Link
from pipeline.stages.opt2 import Opt2
from pipeline.toolchain import Tools, find_tools
from tests.table import catalogue
from tests.table.headers import MODES, Program
from tests.table.runner import run, write
from tests.workbench import Workbench

CONTROL = "square"
"""The derivative that every crate of the table has besides: nothing is wrong with it."""


def main(count: int, seed: int) -> None:
    """Print a line for each program, and how often the audit and the result were what."""
    headers = [header for header in catalogue.HEADERS if header.place != "itself"]
    programs = [Program(header, mode, "3") for header in headers for mode in MODES[:2]]
    programs = [program for program in programs if not catalogue.refusal(program)]
    programs = Random(seed).sample(programs, min(count, len(programs)))
    outcomes: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        bench = Workbench(Path(folder))
        for program in programs:
            write([program], bench)
            found, result = _tried(program, bench, find_tools())
            outcomes["found" if found else "not found", result] += 1
            print(f"{result:8} {'found' if found else '-----'} {program}", flush=True)
    for (audited, result), number in sorted(outcomes.items()):
        print(f"{number:4} {result}, {audited}")
    missed = outcomes["not found", "wrong"] + outcomes["not found", "crash"]
    print(f"wrong and not found by the audit: {missed} of {sum(outcomes.values())} programs, seed {seed}")


def _tried(program: Program, bench: Workbench, tools: Tools) -> tuple[bool, str]:
    """Whether the audit finds something, and how the program comes out without it."""
    built = bench.doit("abi_fixup", "profile=level3", "opt1.level=3", "abi_fixup=false")
    if built.returncode:
        return True, "refused"
    stages = bench.output() / "stages"
    module = stages / "05-abi_fixup" / MODULE
    derivatives = json.loads((stages / "05-abi_fixup" / DERIVATIVES).read_text())
    shims = [derivative["shim"] for derivative in derivatives if CONTROL not in derivative["primal"]]
    found = bool(audit(tools.libllvm, module, shims))
    with tempfile.TemporaryDirectory() as folder:
        return found, _result(program, module, stages, Path(folder), tools)


def _result(program: Program, module: Path, stages: Path, folder: Path, tools: Tools) -> str:
    log, outs = folder / "log", {name: folder / name for name in ("enzyme", "opt2", "codegen", "link")}
    for out in outs.values():
        out.mkdir()
    if Catalyst(tools.catalyst).differentiate(module, outs["enzyme"] / "module.ll", [], log):
        return "refused"
    process.run_tool([tools.llvm_as, "-o", outs["enzyme"] / MODULE, outs["enzyme"] / "module.ll"], log=log)
    Opt2(tools.opt, 3).run({"module": outs["enzyme"]}, outs["opt2"], log)
    Codegen(tools.llc, 3, "x86-64").run({"module": outs["opt2"]}, outs["codegen"], log)
    inputs = {"crate": stages / "02-crate_bitcode", "std": stages / "01-build_std", "object": outs["codegen"]}
    Link(tools.cc).run(inputs, outs["link"], log)
    return run([program], outs["link"] / "bench")[program].kind


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    main(arguments.programs, arguments.seed)
