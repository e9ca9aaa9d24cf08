"""A program by itself: one of many that are in a crate, or some, taken through the stages after llvm_link without the others.

The stages are the pipeline's own.  What a panic says is left out: it is most of the module, and no matter here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.enzyme_driver import Catalyst
from pipeline.ladder import LADDER
from pipeline.linker import Linker
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.slice import Slicer
from pipeline.stages import MODULE, Stage
from pipeline.stages.abi_fixup import AbiFixup
from pipeline.stages.codegen import Codegen
from pipeline.stages.enzyme import Enzyme
from pipeline.stages.link import Link
from pipeline.stages.opt1 import Opt1
from pipeline.stages.opt2 import Opt2
from pipeline.tape import Tape
from pipeline.toolchain import Tools
from tests.programs import MEMCHECK
from tests.workbench import MERGED, Workbench

PATIENCE_S = 150
"""What Enzyme may take for a program, of processor time: most take a second."""
_INTERNAL = 8  # LLVMLinkage


def merged(bench: Workbench, level: str, tools: Tools) -> Path:
    """The merged module of the crate, its profile `levelN`, whose panics say nothing; the links to the stages lie beside it."""
    built = bench.doit("llvm_link", MERGED, f"profile=level{level}")
    assert built.returncode == 0, built.stderr
    module = bench.folder / "merged.bc"
    silence(bench.output() / "stages" / "03-llvm_link" / MODULE, module, tools)
    return module


def silence(module: Path, to: Path, tools: Tools) -> None:
    """Let what never returns end the program without a word."""
    with Module(tools.libllvm, module) as opened:
        editor = Editor(opened)
        for function in [f for f in opened.functions() if opened.is_defined(f) and editor.has_attribute(f, "noreturn")]:
            ty = editor.function_type(function)
            ending = editor.internal_function("ending", editor.return_type(ty), editor.parameter_types(ty))
            editor.copy_attributes(function, ending, but=())
            with editor.block(ending) as builder:
                editor.end_program(builder, "panic\n")
            editor.api.ReplaceAllUsesWith(function, ending)
        editor.run_passes("globaldce")
        opened.write(to)


def only(opened: Module, functions: Sequence[str], to: Path) -> None:
    """Write the module of the program whose `main` calls these, and of nothing else: what is opened loses the rest."""
    editor = Editor(opened)
    (main,) = opened.named(["main"])
    editor.rename(main, "main_of_all")
    editor.api.SetLinkage(main, _INTERNAL)
    ty = editor.function_type(main)
    made = editor.declared("main", ty)
    with editor.block(made) as builder:
        ended = [editor.call(builder, ty, function, editor.parameters(made)) for function in opened.named(functions)]
        editor.api.BuildRet(builder, ended[-1])
    editor.run_passes("globaldce")
    opened.write(to)


def stages(level: int, tools: Tools) -> dict[str, Stage]:
    """The stages from opt1 to codegen, as the default config has them; opt1 at this level.

    Objects are made quickly: what is tried here is over by then, and it would be a quarter of the time.
    """
    slicer = Slicer(tools.llvm_link, tools.libllvm)
    driver, tape = Catalyst(tools.catalyst, PATIENCE_S), Tape(tools.libllvm, pooled=not MEMCHECK)
    return {
        "opt1": Opt1(tools.opt, level),
        "abi_fixup": AbiFixup(tools.opt, tools.libllvm, raw=level < 2, repairs=True),
        "enzyme": Enzyme(driver, slicer, tools.libllvm, tape, {}, fast_math=True, ladder=LADDER),
        "opt2": Opt2(tools.opt, 3),
        "codegen": Codegen(tools.llc, 0, "x86-64"),
    }


def build(given: Path, through: Mapping[str, Stage], crate: Path, out: Path, tools: Tools) -> Path:
    """Take the module in a folder through the stages, and link it as the crate is linked whose stages are in `crate`.

    Raises: UserError where a stage refuses it.
    """
    for name, stage in through.items():
        (out / name).mkdir()
        stage.run({"module": given}, out / name, out / "log")
        given = out / name
    inputs = {"crate": crate / "02-crate_bitcode", "std": crate / "01-build_std", "object": given}
    (out / "link").mkdir()
    Link(Linker(tools.cc)).run(inputs, out / "link", out / "log")
    return out / "link" / "bench"
