"""The cells of a matrix, each a build of its own."""

from __future__ import annotations

from doit.exceptions import TaskFailed

from pipeline import commands
from pipeline.build import Build
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.request import Request
from pipeline.tasks.checks import check, is_checked
from pipeline.tasks.opening import open_build
from pipeline.tasks.outcomes import fail
from pipeline.tasks.program import build_binaries, tidy


class Cells:
    """What the matrix builds its cells by."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def open(self, asked: Request) -> Build:
        """Plan a cell."""
        return open_build(asked, self._digests)

    def build_binaries(self, asked: Request, build: Build) -> list[bool]:
        """Build the binaries that the artifact may start."""
        return build_binaries(build, asked)

    def check(self, asked: Request, build: Build) -> str | None:
        """Check its derivatives, if the config says so."""
        if not is_checked(asked, build):
            return None
        failed = check(asked, self._digests)
        return str(failed.message) if failed else ""

    def close(self, build: Build) -> None:
        """Note what was used, and see to the limit of the cache."""
        tidy(build)
        self._digests.save()


def run_matrix(
    asked: Request, digests: Digests, as_json: bool, junit: str, github: bool, jobs: str, costs: bool, words: list[str]
) -> TaskFailed | None:
    """Build the cells that are named, or all, or print the job matrix."""
    from pipeline.matrix import command

    try:
        names, late = commands.late_options(words, *command.OPTIONS)
        told = command.Options(
            as_json or "json" in late,
            junit or late.get("junit", ""),
            github or "github" in late,
            command.number_of_jobs(jobs or late.get("jobs", "")),
            costs or "costs" in late,
        )
        is_well = command.run(asked, Cells(digests), told, names)
    except UserError as error:
        return fail(error)
    finally:
        digests.save()
    return None if is_well else TaskFailed("a cell failed", report=False)
