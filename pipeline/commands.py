"""What can be asked of a build beside building it: each takes the build and the command line's words, and prints."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipeline import request
from pipeline.build import Build
from pipeline.errors import UserError


def why(build: Build, as_json: bool, with_diff: bool, words: Sequence[str]) -> None:
    """Say of these stages, or of all, how they stand, what moved, and why they were carried out."""
    from pipeline.explain import answer

    names, late = _late(words, "json", "diff")
    found = answer.answers(build, names)
    if as_json or "json" in late:
        print(json.dumps(answer.as_json(build, found), indent=1))
    else:
        answer.show(found, request.shown(build.product), with_diff=with_diff or "diff" in late)


def _late(words: Sequence[str], *options: str) -> tuple[list[str], dict[str, str]]:
    """The words, and the options among them with their values: doit takes what follows a word for one more."""
    late = {word[2:].partition("=")[0]: word.partition("=")[2] for word in words if word.startswith("--")}
    for name in late.keys() - set(options):
        raise UserError(f"error: --{name}: there is no such option here")
    return [word for word in words if not word.startswith("--")], late
