"""What the pipeline needs of the machine: where it is, which version, why it is wanted, and how to get what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from pipeline import process
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.graph.drawing import DOT, HOW_TO_GET_DOT
from pipeline.platforms import HOST, PLATFORMS, rust_for_target
from pipeline.request import Request
from pipeline.stages.build_std import HOW_TO_GET_SOURCES
from pipeline.stages.prebuilt_std import INSTEAD_OF_PREBUILT, carries_bitcode
from pipeline.tables import print_table
from pipeline.toolchain import LLVM_MAJOR, Rust, Tools, find_tools
from pipeline.toolchains import rust_for, toolchains_here


@dataclass(frozen=True)
class Need:
    """A tool that is wanted: `path` as far as it is known, the arguments that make it tell its version, and its cure."""

    name: str
    path: Path
    why: str
    cure: str
    asks: tuple[str, ...] = ("--version",)
    is_optional: bool = False

    @property
    def is_met(self) -> bool:
        """True where the tool is there."""
        return self.path.exists()

    @property
    def version(self) -> str:
        """The first version number that the tool names, or nothing where it names none."""
        if not self.asks:
            return ""
        numbers = re.search(r"\d+\.\d+(\.\d+)?", process.ask([self.path, *self.asks]).output)
        return numbers[0] if numbers else ""


@dataclass(frozen=True)
class Choice:
    """A value of `build_std`: whether it can be chosen here, why, and what makes it possible."""

    name: str
    is_possible: bool
    why: str
    cure: str = ""


def report(asked: Request, digests: Digests) -> bool:
    """Print the table of all needs, the toolchains, and what `build_std` can be; False where what is asked for cannot be."""
    config = asked.config
    try:
        rust = rust_for_target(rust_for(config.toolchain, asked.folder, digests), config.target)
    except UserError as error:
        _report_needs([*_tool_needs(find_tools()), *target_needs(config.target)])
        _report_toolchains(digests)
        print(f"\n{error.message}")
        return False
    has_all = _report_needs([*_rust_needs(rust), *_tool_needs(find_tools()), *target_needs(config.target)])
    _report_toolchains(digests)
    return _report_choices(choices_of_std(rust), config.build_std) and has_all


def choices_of_std(rust: Rust) -> list[Choice]:
    """What `build_std` can be with this toolchain."""
    sources, bitcode = rust.sources.is_dir(), carries_bitcode(rust)
    return [
        Choice("full", sources, f"std's sources are {'' if sources else 'not '}in {rust.sources}", HOW_TO_GET_SOURCES),
        Choice("prebuilt", bitcode, f"std carries {'' if bitcode else 'no '}bitcode in {rust.libraries}", INSTEAD_OF_PREBUILT),
        Choice("none", True, "for builds without derivatives, `autodiff: false`"),
    ]


def _report_toolchains(digests: Digests) -> None:
    """Print which toolchains a config's `toolchain` can name, and what each allows."""
    table = Table("toolchain", "rustc", "build_std", box=None, header_style="bold", pad_edge=False)
    for found in toolchains_here(digests):
        choices = choices_of_std(found.rust) if found.rust else []
        possible = ", ".join(choice.name for choice in choices if choice.is_possible)
        table.add_row(found.name, found.rust.version if found.rust else "", possible or found.why_not)
    print()
    print_table(table)


def _report_choices(choices: list[Choice], chosen: str) -> bool:
    """Print them, and what to do where the chosen one is not possible; False in that case."""
    print("\nbuild_std  possible")
    for choice in choices:
        print(f"{choice.name:<11}{'yes' if choice.is_possible else 'no':<10}{choice.why}")
    refused = [choice for choice in choices if choice.name == chosen and not choice.is_possible]
    for choice in refused:
        print(f"\nbuild_std: {choice.name} is not possible: {choice.cure}")
    return not refused


def _report_needs(needs: list[Need]) -> bool:
    table = Table("tool", "version", "path", "why", "how to get it", box=None, header_style="bold", pad_edge=False)
    for need in needs:
        version = need.version if need.is_met else "optional" if need.is_optional else "[red]missing[/red]"
        table.add_row(need.name, version, str(need.path), need.why, "" if need.is_met else need.cure)
    print_table(table)
    missing = [need for need in needs if not (need.is_met or need.is_optional)]
    for need in missing:
        print(f"\n{need.name} is missing: {need.cure}")
    return not missing


def _rust_needs(rust: Rust) -> Iterator[Need]:
    yield Need("rustc", rust.rustc.path, "compiles crates and std to bitcode", "apt-get install rustc-web")
    yield Need("cargo", rust.cargo.path, "knows the crate graph", "apt-get install cargo-web")


def _tool_needs(tools: Tools) -> Iterator[Need]:
    llvm = f"apt-get install llvm-{LLVM_MAJOR}"
    yield Need("opt", tools.opt.path, "opt1, opt2, internalising", llvm)
    yield Need("llvm-link", tools.llvm_link.path, "single-module-merge, and what Enzyme gives back", llvm)
    yield Need("llc", tools.llc.path, "codegen", llvm)
    yield Need("llvm-as", tools.llvm_as.path, "tests write modules as text", llvm)
    yield Need("llvm-ar", tools.llvm_ar.path, "native parts of libraries", llvm)
    yield Need("llvm-nm", tools.llvm_nm.path, "what native parts call", llvm)
    yield Need("libLLVM", tools.libllvm.path, "abi_fixup rewrites calls by its C API", llvm, asks=())
    yield Need("ld.lld", tools.lld.path, "the final link, fat-lto", f"apt-get install lld-{LLVM_MAJOR}")
    yield Need("llvmlite", tools.libllvmlite.path, "crate_bitcode writes bitcode anew", "rm -r .venv; ./doit doctor", asks=())
    yield Need("catalyst", tools.catalyst.path, "the Enzyme pass", "rm -r .venv; ./doit doctor", asks=())
    yield Need("dot", DOT, "lays out what ./doit graph draws", HOW_TO_GET_DOT, asks=())
    yield Need("cc", tools.cc.path, "the final link", "apt-get install gcc libc6-dev")
    clang = f"apt-get install clang-{LLVM_MAJOR}"
    yield Need("clang", tools.clang.path, "derivatives through the C of build scripts", clang, is_optional=True)


def target_needs(target: str) -> Iterator[Need]:
    """What is wanted for another machine."""
    if target != HOST:
        platform = PLATFORMS[target]
        yield Need("cc", platform.cc.path, f"the final link for {target}", platform.cure)
        yield Need("libc", platform.start_up, f"what programs for {target} begin with", platform.cure, asks=())
        yield Need("runner", platform.runner.path, f"runs programs for {target}", platform.cure)
