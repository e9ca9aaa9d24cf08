"""Restarting a build in the middle: `from=`, `until=`, `with=`, `keep=`, and `dry=`, which only says what would be done."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import ConfigError
from pipeline.errors import CommandLineError
from pipeline.stages import NAMES

VARIABLES = ("from", "until", "with", "keep", "dry")

READING_A_MODULE = ("opt1", "abi_fixup", "enzyme", "opt2", "codegen")
"""The stages of which the input is one module, so that another can be given to them."""


@dataclass(frozen=True)
class Rerun:
    """What a command line asks for beside the build itself; what it does not ask for is empty."""

    first: str = ""
    """From this stage on all run whatever the cache says."""
    last: str = ""
    """After this one nothing runs."""
    edited: Path | None = None
    """The module that the first one is given in place of its own."""
    keep: str = ""
    """What is left of each stage: `1`, its module; `ll`, that as text, too."""
    dry: bool = False

    def check(self, there: Collection[str]) -> None:
        """See to it that the stages that are named are among those of the config.

        Raises: UserError where one is not.
        """
        for variable, name in (("from", self.first), ("until", self.last)):
            if name and name not in there:
                raise CommandLineError(f"error: {variable}={name}: this config does without that stage")

    def forces(self, name: str) -> bool:
        """Whether a stage runs whatever the cache says."""
        return bool(self.first) and NAMES.index(name) >= NAMES.index(self.first)

    def wants(self, name: str) -> bool:
        """Whether a stage is not behind the last one."""
        return not self.last or NAMES.index(name) <= NAMES.index(self.last)


def read(variables: Mapping[str, str], started: Path) -> Rerun:
    """The rerun in the command line's variables; paths are relative to where the user started.

    Raises: ConfigError for what is no stage, no file or no sense.
    """
    first, last = _stage("from", variables), _stage("until", variables)
    if first and last and NAMES.index(last) < NAMES.index(first):
        raise ConfigError(f"command line: from={first} until={last}: {last} comes before {first}")
    keep, dry = variables.get("keep", "0"), variables.get("dry", "0")
    if keep not in ("0", "1", "ll"):
        raise ConfigError(f"command line: keep={keep}: expected 1, or ll to have modules as text, too")
    if dry not in ("0", "1"):
        raise ConfigError(f"command line: dry={dry}: expected 1 or 0")
    return Rerun(first, last, _edited(variables, started), "" if keep == "0" else keep, dry == "1")


def _stage(name: str, variables: Mapping[str, str]) -> str:
    stage = variables.get(name, "")
    if name in variables and stage not in NAMES:
        raise ConfigError(f"command line: {name}={stage}: there is no such stage", f"there are {', '.join(NAMES)}")
    return stage


def _edited(variables: Mapping[str, str], started: Path) -> Path | None:
    if "with" not in variables:
        return None
    file, stage = started / variables["with"], variables.get("from", "")
    if stage not in READING_A_MODULE:
        raise ConfigError(
            f"command line: with={variables['with']}: which stage is to read it?",
            f"say from=STAGE, one of {', '.join(READING_A_MODULE)}",
        )
    if not file.is_file():
        raise ConfigError(f"command line: with={variables['with']}: there is no such file")
    return file
