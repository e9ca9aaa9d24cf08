"""Targets other than the machine that builds: what links for them, and what runs their programs here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.errors import UserError
from pipeline.toolchain import Rust, Tool, Tools

HOST = "host"
"""What a config names that builds for the machine it builds on."""


@dataclass(frozen=True)
class Platform:
    """A target: its C compiler, the processor that all of its kind are, and how Debian has it."""

    cc: Tool
    cpu: str
    runner: Tool
    root: Path
    """The folder with the target's own libraries, for the runner."""
    packages: str

    @property
    def start_up(self) -> Path:
        """What every program of the target's is linked with: of the C library's package, and not of the compiler's."""
        return self.root / "lib/crt1.o"

    @property
    def cure(self) -> str:
        """How to get what is missing."""
        return f"apt-get install {self.packages}"


PLATFORMS = {
    "aarch64-unknown-linux-gnu": Platform(
        cc=Tool(Path("/usr/bin/aarch64-linux-gnu-gcc")),
        cpu="generic",
        runner=Tool(Path("/usr/bin/qemu-aarch64")),
        root=Path("/usr/aarch64-linux-gnu"),
        packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
    )
}


def rust_for_target(rust: Rust, target: str) -> Rust:
    """The toolchain, as it builds for the target."""
    return rust if target == HOST else replace(rust, triple=target)


def tools_for_target(tools: Tools, target: str) -> Tools:
    """The tools, with what links for the target.

    Raises: UserError where that is missing.
    """
    if target == HOST:
        return tools
    platform = PLATFORMS[target]
    _demand(platform.cc, "links", target, platform)
    return replace(tools, cc=platform.cc)


def cpu_for_target(cpu: str, target: str, default: str) -> str:
    """The processor: what the config says or, where it says nothing for another machine than this, what all of its kind are."""
    return cpu if target == HOST or cpu != default else PLATFORMS[target].cpu


def started_on(target: str, program: Path) -> list[str | Path]:
    """The command line that starts a program of the target's here.

    Raises: UserError where what runs it is missing.
    """
    if target == HOST:
        return [program]
    platform = PLATFORMS[target]
    _demand(platform.runner, "runs", target, platform)
    return [platform.runner.path, "-L", platform.root, program]


def _demand(tool: Tool, does: str, target: str, platform: Platform) -> None:
    if not tool.path.exists():
        raise UserError(f"error: what {does} programs for {target} is missing: {tool.path}\n  = help: {platform.cure}")
