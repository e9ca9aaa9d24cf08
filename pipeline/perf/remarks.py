"""What Enzyme says while it differentiates (`--enzyme-print-perf`), as far as it is about the tape.

The words are those of its CacheUtility.cpp, GradientUtils.cpp and EnzymeLogic.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

FLAG = "enzyme-print-perf"

_WRITTEN = re.compile(r"^Load may need caching +(%.*?) due to +(?!origin )(.*)", re.MULTILINE)
_FROM_OUTSIDE = re.compile(r"^Load may need caching +(%.*?) due to origin ", re.MULTILINE)
_UNCOUNTED = re.compile(r"^SE could not compute loop limit of (\S+) of ", re.MULTILINE)
_UNCOUNTED_YET = re.compile(r"^Could not compute outermost loop limit by .* computed at block(\S*) function ", re.MULTILINE)


@dataclass(frozen=True)
class Remarks:
    """Instructions as Enzyme prints them, and names of blocks."""

    overwritten: Mapping[str, str]
    """What is read where something may be written afterwards, and by which instruction it is."""
    from_outside: tuple[str, ...]
    """What is read where the caller of the function may write afterwards."""
    uncounted: tuple[str, ...]
    """The headers of loops of which nobody knows how often they run before they have."""
    uncounted_yet: tuple[str, ...]
    """Those of loops in loops: how often they run is known when they begin, and not before the outer one does."""


def read_remarks(output: str) -> Remarks:
    """The remarks among what Enzyme printed."""
    return Remarks(
        overwritten=dict(_WRITTEN.findall(output)),
        from_outside=_each(_FROM_OUTSIDE, output),
        uncounted=_each(_UNCOUNTED, output),
        uncounted_yet=_each(_UNCOUNTED_YET, output),
    )


def _each(pattern: re.Pattern[str], output: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pattern.findall(output)))
