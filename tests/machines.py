"""Machines, as far as one can have them on one: checkouts in folders of their own, each with its cache and its crate."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.runs import Event, _events
from tests.workbench import CUBE, MANIFEST, ROOT, Finished

CRATE = "crates/bench"


@dataclass
class Machine:
    """A checkout and what is in its environment."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def crate(self) -> Path:
        return self.folder / CRATE

    @property
    def shown(self) -> dict[str, str]:
        """The whole environment of what runs there."""
        own = {name: value for name, value in os.environ.items() if name != "CRATEGRAD_CACHE"}
        return {**own, "CRATEGRAD_SKIP_PACKAGES": "1", **self.environment}

    def doit(self, *arguments: str) -> Finished:
        """Its own `./doit`, for its own crate."""
        argv: list[str | Path] = [self.folder / "doit", *arguments, f"crate={CRATE}"]
        ended = subprocess.run(argv, cwd=self.folder, env=self.shown, capture_output=True, text=True, check=False)
        return Finished(ended.returncode, ended.stdout, ended.stderr)

    def records(self) -> list[Event]:
        """What has been carried out there, for whatever cell."""
        files = sorted((self.folder / "cache/runs").glob("*/*.jsonl"))
        return [event for file in files for event in _events(file)]


def machine(folder: Path, lock: Path, environment: dict[str, str]) -> Machine:
    """A checkout of what is here, which uses the Python environment that is here; nothing is built in it.

    Its crate has a lock: without one cargo would write it, and what is made would be of other sources than there were.
    """
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, files.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").mkdir()
    for entry in (ROOT / ".venv").iterdir():
        if entry.name != "home":
            (folder / ".venv" / entry.name).symlink_to(entry)
    (folder / ".venv/home").write_text(f"{folder}\n")
    (folder / CRATE / "src").mkdir(parents=True)
    (folder / CRATE / "src/main.rs").write_text(CUBE)
    (folder / CRATE / "Cargo.toml").write_text(MANIFEST.replace(f"{ROOT}/rust", "../../rust"))
    shutil.copy(lock, folder / CRATE)
    return Machine(folder, environment)
