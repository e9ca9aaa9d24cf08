"""Carries out the stages of a crate anew, without a cache, with a mark before each that strace sees.

    strace … .venv/bin/python -m tests.traced CRATE FOLDER [KEY=VALUE…]

What each stage makes lies in a folder of its name below FOLDER; a stage of which there is one already is left out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pipeline.build import Build
from pipeline.digests import Digests
from pipeline.request import read_request
from pipeline.tasks.opening import open_build

MARK = "/crategrad-stage/"
"""The beginning of a path that is nowhere; a stage's name follows, or END."""

END = "end"


def planned(crate: str, folder: str, *variables: str) -> Build:
    """The build that `./doit` would plan."""
    digests = Digests(Path(folder, "digests.json"))
    asked = read_request({"crate": crate, **dict(each.split("=", 1) for each in variables)}, digests)
    return open_build(asked, digests)


def main(crate: str, folder: str, *variables: str) -> None:
    build = planned(crate, folder, *variables)
    made = {name: Path(folder, name) for name in build.steps}
    for name, step in build.steps.items():
        if made[name].exists():
            continue
        made[name].mkdir()
        log = made[name].with_suffix(".log")
        log.touch()
        os.access(f"{MARK}{name}", os.F_OK)
        step.stage.run({role: made[source] for role, source in step.inputs.items()}, made[name], log)
        os.access(f"{MARK}{END}", os.F_OK)


if __name__ == "__main__":
    main(*sys.argv[1:])
