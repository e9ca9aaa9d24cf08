"""The ways in which gradcheck has a crate built: as the config says, and with nothing optimised."""

from __future__ import annotations

import msgspec

from pipeline.config import Codegen, Config, Opt1, Opt2, Verify

AS_CONFIGURED = "as configured"
UNOPTIMISED = "unoptimised"


def variants(config: Config) -> dict[str, Config]:
    """The configs by what they are called in the report; each has a folder of its own beside the crate."""
    config = msgspec.structs.replace(config, verify=Verify(), panic="abort")  # each function has a process of its own
    unoptimised = msgspec.structs.replace(
        config,
        name=f"{config.name}-gradcheck-unoptimised",
        strategy="single-module-merge",  # a slice is optimised as it is cut
        profile="dev",
        opt1=Opt1(level=0),
        opt2=Opt2(level=0),
        codegen=Codegen(level=0, cpu=config.codegen.cpu),
    )
    return {AS_CONFIGURED: msgspec.structs.replace(config, name=f"{config.name}-gradcheck"), UNOPTIMISED: unoptimised}
