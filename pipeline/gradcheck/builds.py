"""The ways in which gradcheck has a crate built: as the config says, and with all stages at one level."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pipeline.config import Codegen, Config, Opt1, Opt2, Verify

AS_CONFIGURED = "as configured"
UNOPTIMISED = "unoptimised"


def variants(config: Config, levels: Iterable[int]) -> dict[str, Config]:
    """The configs by what they are called in the report; each has a folder of its own beside the crate."""
    config = msgspec.structs.replace(
        config,
        name=f"{config.name}-gradcheck",
        verify=Verify(),
        panic="abort",  # each function has a process of its own
    )
    return {AS_CONFIGURED: config} | {_called(level): _at(level, config) for level in levels}


def _called(level: int) -> str:
    return f"level {level}" if level else UNOPTIMISED


def _at(level: int, config: Config) -> Config:
    return msgspec.structs.replace(
        config,
        name=f"{config.name}-{_called(level).replace(' ', '-')}",
        profile=config.profile if level else "dev",
        opt1=Opt1(level=level),
        opt2=Opt2(level=level),
        codegen=Codegen(level=level, cpu=config.codegen.cpu),
    )
