"""How both sides are built.

Rust: by `./doit build`, under each strategy that is asked for.

C++, in two ways, of which the faster one counts:
- as Rust: clang's own IR, before any pass of LLVM's, goes through the same stages as Rust's, with the same levels and flags;
- as it comes: Enzyme's executable does all by itself, O2 before and after, its fast math and its flags as they are.
After Enzyme both go through opt2 and codegen as Rust does.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.gradient.suite import CRATE, Program
from pipeline import process
from pipeline.config import Config
from pipeline.enzyme_driver import Catalyst
from pipeline.errors import UserError
from pipeline.ladder import LADDER
from pipeline.request import ROOT
from pipeline.slice import Slicer
from pipeline.stages import MODULE
from pipeline.stages.codegen import OBJECT, Codegen
from pipeline.stages.enzyme import Enzyme
from pipeline.stages.opt1 import Opt1
from pipeline.stages.opt2 import Opt2
from pipeline.tape import Tape
from pipeline.toolchain import LLVM_MAJOR, Tools

CLANG = Path(f"/usr/lib/llvm-{LLVM_MAJOR}/bin/clang++")

# What Rust has of itself: no errno, no exceptions, no multiplication fused with an addition unless it is written so.
CLANG_FLAGS = ("-std=c++20", "-O3", "-fPIC", "-fno-math-errno", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti")
UNTOUCHED = ("-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c")
"""The IR as O3 has it before its passes: with lifetimes and types for them, and no metadata that forbids them a loop."""

Differentiate = Callable[[Path, Path, Path], None]
"""From the module in one folder to that in another, with a log."""


def rust(strategy: str, cpu: str, to: Path) -> Path:
    """The suite's crate, built with this strategy for this processor, as the file `to`."""
    argv: list[process.Argument] = [ROOT / "doit", "build", f"crate={CRATE}", f"config={strategy}", f"codegen.cpu={cpu}"]
    built = subprocess.run(argv, stdout=subprocess.DEVNULL, check=False)
    if built.returncode:
        raise UserError(f"error: bench_gradient: the Rust side is not built with the strategy {strategy}: see above")
    return Path(shutil.copy(CRATE / "target/crategrad" / strategy / "gradient", to))


def cpp(program: Program, config: Config, tools: Tools, out: Path) -> dict[str, Path]:
    """The program's C++ side by the way it is built, in a folder of its name in `out`; `build.log` there has what was run."""
    if not CLANG.exists():
        raise UserError(f"error: bench_gradient: {CLANG} is missing\n  = help: apt-get install clang-{LLVM_MAJOR}")
    (raw := out / program.name / "raw").mkdir(parents=True)
    log = raw.with_name("build.log")
    # As LLVM's own target is called, clang calls it `-march`.
    target = f"-march={config.codegen.cpu}"
    process.run_tool([CLANG, *CLANG_FLAGS, target, *UNTOUCHED, program.cpp, "-o", raw / MODULE], log=log)
    ways: dict[str, Differentiate] = {
        "as Rust": partial(_as_rust, config, tools),
        "as it comes": partial(_as_it_comes, tools),
    }
    return {way: _built(way, differentiate, config, tools, raw, log) for way, differentiate in ways.items()}


def _built(way: str, differentiate: Differentiate, config: Config, tools: Tools, raw: Path, log: Path) -> Path:
    folder = raw.parent / way.replace(" ", "_")
    (differentiated := folder / "enzyme").mkdir(parents=True)
    differentiate(raw, differentiated, log)
    last = differentiated
    for stage in (Opt2(tools.opt, config.opt2.level), Codegen(tools.llc, config.codegen.level, config.codegen.cpu)):
        (out := folder / type(stage).__name__.lower()).mkdir()
        stage.run({"module": last}, out, log)
        last = out
    program = folder / "program"
    process.run_tool([tools.cc, "-o", program, last / OBJECT, "-lstdc++", "-lm"], log=log)
    return program


def _as_rust(config: Config, tools: Tools, raw: Path, out: Path, log: Path) -> None:
    (before := out.with_name("opt1")).mkdir()
    Opt1(tools.opt, config.opt1.level).run({"module": raw}, before, log)
    driver = Catalyst(tools.catalyst, config.enzyme.patience_s)
    slicer = Slicer(tools.llvm_link, tools.libllvm)
    tape, flags = Tape(tools.libllvm), dict(config.enzyme.flags)
    stage = Enzyme(driver, slicer, tools.libllvm, tape, flags, config.enzyme.fast_math, LADDER)
    text = out / "module.ll"
    if refused := driver.differentiate(before / MODULE, text, stage.all_flags(), log):
        raise UserError("\n".join(why.render() for why in refused))
    process.run_tool([tools.llvm_as, "-o", out / MODULE, text], log=log)


def _as_it_comes(tools: Tools, raw: Path, out: Path, log: Path) -> None:
    text = out / "module.ll"
    (workspace := out.with_name("workspace")).mkdir()
    argv: list[process.Argument] = [tools.catalyst, "--tool=llc", raw / MODULE, "-o", text, f"--workspace={workspace}"]
    # What vectorised loops there are before Enzyme cost more after it; opt2 vectorises.
    process.run_tool([*argv, "--keep-intermediate", "--vectorize-loops=false", "--vectorize-slp=false"], log=log)
    process.run_tool([tools.llvm_as, "-o", out / MODULE, text], log=log)
