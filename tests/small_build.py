"""A build of three stages that need no toolchain: each writes a file of its own; all around them is the real thing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.artifact import Artifact
from pipeline.build import Build
from pipeline.cache import Cache
from pipeline.crate import Crate
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.plan import Step
from pipeline.runs import Runs
from pipeline.stages import MODULE, Inputs
from pipeline.store import Store

ARTIFACT = Artifact("bin", "small")


@dataclass(frozen=True)
class Writes:
    """Adds its word to what the stage before it wrote, but for what is in brackets there."""

    word: str

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        if self.word == "fails":
            raise UserError("error: it fails\n  = help: write another word")
        before = (inputs["module"] / MODULE).read_text().partition("(")[0] if inputs else ""
        for name in (MODULE, ARTIFACT.file):
            (out / name).write_text(f"{before}{self.word}")
        log.write_text(f"wrote {self.word}\n")


def small_build(folder: Path, **words: str) -> Build:
    """The build as a `./doit` of its own would open it."""
    crate = Crate(folder / "crate", ARTIFACT, (folder / "crate",), ())
    crate.folder.mkdir(parents=True, exist_ok=True)
    steps = [Step("opt1", Writes("one"), {}), Step("opt2", Writes("two"), {"module": "opt1"})]
    steps.append(Step("link", Writes("three"), {"module": "opt2"}))
    steps = [replace(step, stage=Writes(words[step.name])) if step.name in words else step for step in steps]
    cache = folder / "cache"
    output = crate.output / "default"
    return Build(
        tuple(steps),
        crate,
        output,
        Cache(Store(cache), Store(crate.output / ".cache")),
        Digests(cache / "digests.json"),
        Runs(cache / "runs"),
    )


def bring_up_to_date(build: Build) -> list[str]:
    """Carry out what is not fresh, and say what that was."""
    stages = []
    for name in build.steps:
        if not build.is_fresh(name):
            build.carry_out(name)
            stages.append(name)
    return stages
