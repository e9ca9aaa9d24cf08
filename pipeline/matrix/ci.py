"""What CI servers are told in their own words: groups of lines that fold, errors, a summary, and which jobs there are.

Where none of them is at work, a group is a line above what it holds.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pipeline import request
from pipeline.errors import UserError

MOST_JOBS = 256
"""How many jobs GitHub Actions makes of one matrix."""


@contextmanager
def group(name: str, which: str) -> Iterator[None]:
    """Have what the block says fold under the cell's name."""
    begin, end = f"{name} ({which})", ""
    if _is_set("GITHUB_ACTIONS"):
        begin, end = f"::group::{begin}", "::endgroup::"
    elif _is_set("GITLAB_CI"):
        section = re.sub(r"[^A-Za-z0-9]", "_", name)
        begin, end = f"{_section('start', section)}{begin}", _section("end", section)
    _say(begin)
    try:
        yield
    finally:
        if end:
            _say(end)


def _section(what: str, name: str) -> str:
    return f"\x1b[0Ksection_{what}:{int(time.time())}:{name}\r\x1b[0K"


def annotate(cell: str, stage: str, error: str) -> None:
    """Have GitHub show an error beside the job, which a folded group would hide."""
    if _is_set("GITHUB_ACTIONS"):
        told = error.removeprefix("error: ").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        _say(f"::error title={cell}, {stage}::{told}")


def summarise(markdown: str) -> None:
    """Add to the page that GitHub shows of the job; where it cannot be written, that is no error of the build's."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    try:
        with (request.started_in() / file).open("a", encoding="utf-8") as stream:
            stream.write(f"{markdown}\n")
    except OSError as error:
        _say(f"warning: the step summary cannot be written: {error.strerror}: {file}")


def github_jobs(parts: Sequence[Sequence[str]]) -> str:
    """The `matrix` of a job in GitHub Actions, on one line: each of its jobs has a name, and the cells that it builds.

    Raises: UserError where there are more than GitHub takes.
    """
    jobs: list[dict[str, Any]] = [{"name": _name(cells), "cells": " ".join(cells)} for cells in parts if cells]
    if len(jobs) > MOST_JOBS:
        raise UserError(
            f"error: {len(jobs)} jobs: GitHub Actions makes {MOST_JOBS} of a matrix at most\n"
            f"  = help: --jobs={MOST_JOBS} has several cells built by one"
        )
    return json.dumps({"include": jobs})


def _name(cells: Sequence[str]) -> str:
    return cells[0] if len(cells) == 1 else f"{cells[0]} and {len(cells) - 1} more"


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") == "true"


def _say(line: str) -> None:
    sys.stdout.flush()
    print(line, file=sys.stderr, flush=True)
