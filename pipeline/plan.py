"""From a config and a crate to the stages that build it: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from pipeline import cargo, strategies
from pipeline.artifact import Artifact
from pipeline.config import Codegen as CodegenKeys
from pipeline.config import Config
from pipeline.crate import Crate
from pipeline.enzyme_driver import Catalyst
from pipeline.errors import UserError
from pipeline.ladder import LADDER
from pipeline.linker import Linker
from pipeline.meanwhile import Ready
from pipeline.platforms import HOST, cpu_for_target
from pipeline.slice import Slicer
from pipeline.stages import NAMES, Stage
from pipeline.stages.abi_fixup import AbiFixup
from pipeline.stages.build_std import BuildStd
from pipeline.stages.codegen import Codegen
from pipeline.stages.crate_bitcode import C_COMPILER, CrateBitcode
from pipeline.stages.enzyme import Enzyme
from pipeline.stages.link import Archive, Link
from pipeline.stages.llvm_link import LlvmLink
from pipeline.stages.opt1 import Opt1
from pipeline.stages.opt2 import Opt2
from pipeline.stages.prebuilt_std import PrebuiltStd
from pipeline.tape import POOL, Tape
from pipeline.toolchain import Rust, Tool, Tools


@dataclass(frozen=True)
class Step:
    """A stage in its place: its name, and which earlier stages' outputs it reads (role -> name)."""

    name: str
    stage: Stage
    inputs: Mapping[str, str]

    @property
    def number(self) -> int:
        """Its place among all stages, from 1."""
        return NAMES.index(self.name) + 1


@dataclass(frozen=True)
class Sources:
    """Digests of what stages read beside their inputs: std's sources, the crate's, and the toolchain's own libraries."""

    std: str
    crate: str
    libraries: str


def plan(
    config: Config,
    crate: Crate,
    sources: Sources,
    rust: Rust,
    tools: Tools,
    linker: Linker,
    *,
    offline: bool,
    manners: tuple[str, ...] = (),
    gradcheck: bool = False,
) -> tuple[Step, ...]:
    """The steps for a config, in order; with `gradcheck` for a program that can check its derivatives.

    `manners` are cargo's flags that say how it goes about it.

    Without `autodiff` abi_fixup and enzyme are left out, and with `build_std: none` the toolchain's own std is linked.
    Without `bitcode`, and where a `slice` would be one of no derivatives, the program is made as cargo makes it.
    """
    config = _of_tests(config, crate)
    std = {"std": "build_std"} if config.build_std != "none" and _merges(config) else {}
    steps: list[Step] = []
    if std:
        steps.append(Step("build_std", _build_std(config, sources, rust, tools), {}))
    crate_bitcode = _crate_bitcode(config, crate, sources, rust, tools, offline, manners, gradcheck)
    steps.append(Step("crate_bitcode", crate_bitcode, std))
    program: dict[str, str] = {}
    if _merges(config):
        steps += _module_steps(config, std, tools, linker)
        program = {"object": "codegen"} | ({"merged": "llvm_link"} if _beside_objects(config) else {})
    libraries = "" if std else sources.libraries
    steps.append(Step("link", _link(crate.artifact, tools, linker, libraries), {"crate": "crate_bitcode", **std, **program}))
    return tuple(steps)


def _of_tests(config: Config, crate: Crate) -> Config:
    """The config, by which tests unwind, as cargo has them, where std is the toolchain's own: by an unstable flag alone would
    rustc have each abort in a process of its own.

    Raises: UserError where the strategy cannot have them unwind.
    """
    if not crate.has_harness or config.build_std != "prebuilt" or config.panic == "unwind":
        return config
    if not _named(config).BESIDE_OBJECTS:
        raise UserError(
            f"error: {crate.artifact}: tests unwind with `build_std: prebuilt`, and cannot with `strategy: {config.strategy}`\n"
            "  = help: take `strategy: slice`, or `build_std: full`",
            exit_code=3,
        )
    return msgspec.structs.replace(config, panic="unwind")


def _link(artifact: Artifact, tools: Tools, linker: Linker, libraries: str) -> Stage:
    if artifact.crate_type == "staticlib":
        return Archive(tools.llvm_ar, artifact.file, libraries)
    return Link(linker, libraries, tools.lld if tools.lld.path.exists() else None)


def _build_std(config: Config, sources: Sources, rust: Rust, tools: Tools) -> Stage:
    if config.build_std == "prebuilt":
        return PrebuiltStd(
            sources.std, tools.llvm_link, tools.llvm_nm, tools.libllvm, _beside_objects(config), config.panic, rust
        )
    from_sources = (rust.rustc, rust.cargo, rust.triple, sources.std, sources.libraries)
    return BuildStd(*from_sources, tools.llvm_link, tools.llvm_nm, tools.libllvm, _beside_objects(config), config.panic, rust)


def _crate_bitcode(
    config: Config,
    crate: Crate,
    sources: Sources,
    rust: Rust,
    tools: Tools,
    offline: bool,
    manners: tuple[str, ...],
    gradcheck: bool,
) -> CrateBitcode:
    return CrateBitcode(
        rustc=rust.rustc,
        cargo=rust.cargo,
        triple=rust.triple,
        sources=sources.crate,
        libraries=sources.libraries,
        artifact=crate.artifact,
        binaries=str(crate.output / config.name) if crate.starts_binaries else "",
        flags=crate.flags,
        profile=config.profile,
        panic=config.panic,
        cpu=_cpu(config),
        debug_symbols=config.debug_symbols,
        lto_bitcode=_merges(config),
        beside_objects=_beside_objects(config),
        derivatives=config.autodiff,
        gradcheck=gradcheck,
        verify=_verifying(config),
        environment=cargo.building_environment(crate.variables),
        clang=_clang(config, tools),
        libllvmlite=tools.libllvmlite,
        libllvm=tools.libllvm,
        rust=rust,
        folder=crate.folder,
        target=crate.output / "cargo",
        offline=offline,
        manners=manners,
        meanwhile=Ready(tools.libllvm),
    )


def _clang(config: Config, tools: Tools) -> Tool | None:
    """What compiles the C of build scripts, where nobody says what does."""
    is_wanted = config.c_bitcode and config.autodiff and config.target == HOST
    is_said = any(name in cargo.building_environment() for name in C_COMPILER)
    return tools.clang if is_wanted and not is_said and tools.clang.path.exists() else None


def _beside_objects(config: Config) -> bool:
    return config.bitcode and config.autodiff and _named(config).BESIDE_OBJECTS


def _merges(config: Config) -> bool:
    """Whether there is a module to be made; without derivatives there is nothing of which to cut a slice."""
    return config.bitcode and (config.autodiff or not _named(config).BESIDE_OBJECTS)


def _named(config: Config) -> strategies.Named:
    return strategies.named(config.strategy)


def _cpu(config: Config) -> str:
    return cpu_for_target(config.codegen.cpu, config.target, default=CodegenKeys().cpu)


def _unwinds(config: Config) -> bool:
    """Whether a panic unwinds, but for what is differentiated."""
    return config.panic == "unwind"


def _is_pooled(config: Config) -> bool:
    return config.autodiff and config.tape == "pooled"


def _verifying(config: Config) -> dict[str, str]:
    if not (config.autodiff and config.verify.every):
        return {}
    differences = {"CRATEGRAD_VERIFY_DIFFERENCES": "1"} if config.verify.differences else {}
    return {"CRATEGRAD_VERIFY_EVERY": str(config.verify.every), **differences}


def _module_steps(config: Config, std: Mapping[str, str], tools: Tools, linker: Linker) -> list[Step]:
    """The stages between the modules and the object; each takes the module of the one before."""
    stages: dict[str, Stage] = {"opt1": Opt1(tools.opt, config.opt1.level)}
    if config.autodiff:
        stages["abi_fixup"] = AbiFixup(
            tools.opt, tools.libllvm, raw=config.opt1.level < 2, repairs=config.abi_fixup, strong_zero=config.enzyme.strong_zero
        )
        slicer = Slicer(tools.llvm_link, tools.libllvm)
        driver, flags = Catalyst(tools.catalyst, config.enzyme.patience_s, config.target != HOST), dict(config.enzyme.flags)
        tape, fast_math = Tape(tools.libllvm, _is_pooled(config)), config.enzyme.fast_math
        stages["enzyme"] = Enzyme(driver, slicer, tools.libllvm, tape, flags, fast_math, LADDER)
    stages["opt2"] = Opt2(tools.opt, config.opt2.level, _unwinds(config))
    stages["codegen"] = Codegen(tools.llc, config.codegen.level, _cpu(config))

    kept = POOL if _is_pooled(config) else ()
    strategy = _named(config).strategy(strategies.Given(tools, linker, kept, _unwinds(config)))
    steps = [Step("llvm_link", LlvmLink(strategy), {"crate": "crate_bitcode", **std})]
    for name, stage in stages.items():
        steps.append(Step(name, stage, {"module": steps[-1].name}))
    return steps
