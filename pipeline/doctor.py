"""What the pipeline needs of the machine: where it is, which version, why it is wanted, and how to get what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pipeline import process
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.toolchain import LLVM_MAJOR, Rust, Tools, find_rust, find_tools


@dataclass(frozen=True)
class Need:
    """A tool that is wanted: `path` as far as it is known, the arguments that make it tell its version, and its cure."""

    name: str
    path: Path
    why: str
    cure: str
    asks: tuple[str, ...] = ("--version",)

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


def report(toolchain: str, digests: Digests) -> bool:
    """Print the table of all needs; False where one is not met."""
    needs = list(_needs(toolchain, digests))
    table = Table("tool", "version", "path", "why", "how to get it", box=None, header_style="bold", pad_edge=False)
    for need in needs:
        version = need.version if need.is_met else "[red]missing[/red]"
        table.add_row(need.name, version, str(need.path), need.why, "" if need.is_met else need.cure)
    Console(soft_wrap=True).print(table)
    missing = [need for need in needs if not need.is_met]
    for need in missing:
        print(f"\n{need.name} is missing: {need.cure}")
    return not missing


def _needs(toolchain: str, digests: Digests) -> Iterator[Need]:
    try:
        yield from _rust_needs(find_rust(toolchain, digests))
    except UserError as error:
        first, _, cure = error.message.partition("\n  = help: ")
        yield Need(f"rustc ({toolchain})", Path(toolchain), first.removeprefix("error: "), cure)
    yield from _tool_needs(find_tools())


def _rust_needs(rust: Rust) -> Iterator[Need]:
    yield Need("rustc", rust.rustc.path, "compiles crates and std to bitcode", "apt-get install rustc-web")
    yield Need("cargo", rust.cargo.path, "knows the crate graph", "apt-get install cargo-web")
    sources = "apt-get install rust-web-src, or rustup component add rust-src"
    yield Need("std's sources", rust.sources, "build_std", sources, asks=())


def _tool_needs(tools: Tools) -> Iterator[Need]:
    llvm = f"apt-get install llvm-{LLVM_MAJOR}"
    yield Need("opt", tools.opt.path, "opt1, opt2, internalising", llvm)
    yield Need("llvm-link", tools.llvm_link.path, "single-module-merge, and what Enzyme gives back", llvm)
    yield Need("llvm-extract", tools.llvm_extract.path, "what Enzyme is shown of a program", llvm)
    yield Need("llc", tools.llc.path, "codegen", llvm)
    yield Need("llvm-as", tools.llvm_as.path, "Enzyme writes text", llvm)
    yield Need("llvm-ar", tools.llvm_ar.path, "native parts of libraries", llvm)
    yield Need("llvm-nm", tools.llvm_nm.path, "what native parts call", llvm)
    yield Need("libLLVM", tools.libllvm.path, "abi_fixup rewrites calls by its C API", llvm, asks=())
    yield Need("ld.lld", tools.lld.path, "fat-lto", f"apt-get install lld-{LLVM_MAJOR}")
    yield Need("llvmlite", tools.libllvmlite.path, "crate_bitcode writes bitcode anew", "rm -r .venv; ./doit doctor", asks=())
    yield Need("catalyst", tools.catalyst.path, "the Enzyme pass", "rm -r .venv; ./doit doctor", asks=())
    yield Need("cc", tools.cc.path, "the final link", "apt-get install gcc libc6-dev")
