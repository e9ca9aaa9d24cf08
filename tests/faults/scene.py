"""Builds without tools: three stages that write files, in the place of nine, and a store to do harm to."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.artifact import Artifact
from pipeline.build import Build
from pipeline.cache import Cache
from pipeline.crate import Crate
from pipeline.digests import Digests
from pipeline.key import location
from pipeline.plan import Step
from pipeline.remote import Remote
from pipeline.runs import Runs
from pipeline.stages import MODULE
from pipeline.store import Store, parsed, tree_digest


@dataclass(frozen=True)
class Writing:
    """A stage that writes the same for the same seed and inputs, and a line into `ran` each time."""

    seed: int
    file: str
    ran: Path = location()

    def run(self, inputs: Mapping[str, Path], out: Path, log: Path) -> None:
        made = random.Random(f"{self.seed} {self.file}").randbytes(3000)
        for folder in inputs.values():
            made += b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
        (out / self.file).write_bytes(made)
        log.write_bytes(b"made\n")
        handle = os.open(self.ran, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{self.seed} {self.file}\n".encode())
        os.close(handle)


def build(folder: Path, cache: Path, seed: int = 1, crate: str = "crate", remote: Remote | None = None) -> Build:
    """A build of a crate in `folder`; what its stages have run is in `folder/ran`."""
    files = {"opt1": MODULE, "codegen": "program.o", "link": "program"}
    stages = {name: Writing(seed, file, folder / "ran") for name, file in files.items()}
    inputs = {"opt1": {}, "codegen": {"module": "opt1"}, "link": {"object": "codegen", "module": "opt1"}}
    steps = tuple(Step(name, stages[name], inputs[name]) for name in files)
    of_crate = Crate(folder / crate, Artifact("bin", "program"), (), ())
    of_crate.folder.mkdir(parents=True, exist_ok=True)
    stores = Cache(Store(cache), Store(of_crate.output / ".cache"), remote)
    return Build(steps, of_crate, of_crate.output / "default", stores, Digests(cache / "digests.json"), Runs(cache / "runs"))


def bring_up_to_date(made: Build) -> bytes:
    """Do what doit does with the stages, and give the program."""
    for name in made.steps:
        if not made.is_fresh(name):
            made.carry_out(name)
    made.store.finish_sending()
    return made.product.read_bytes()


def right(folder: Path, seed: int = 1) -> bytes:
    """The program as it comes out where nothing goes wrong."""
    return bring_up_to_date(build(folder / "undisturbed", folder / "undisturbed" / "cache", seed))


def torn(root: Path) -> Iterator[str]:
    """What is to be seen in a store, and is not whole; nothing is removed."""
    for path in root.glob("keys/*/*.entry"):
        entry, _ = parsed(path.read_bytes())
        if entry is None or entry.key != path.stem:
            yield f"entry {path.stem}"
        elif not (root / "trees" / entry.tree).is_dir():
            yield f"entry {path.stem} without its tree"
    for path in root.glob("trees/*"):
        if tree_digest(path) != path.name:
            yield f"tree {path.name}"
