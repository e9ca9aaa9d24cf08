"""How what lies there stands to what would be made now."""

from __future__ import annotations

from dataclasses import dataclass

FRESH, STALE, WAITS, NOT_MADE = "fresh", "stale", "waits", "not made"
"""Made of what there is now; made of something else; made of what one before it left, which is to run; not there."""

WORDS = (FRESH, STALE, WAITS, NOT_MADE)


@dataclass(frozen=True)
class State:
    """A word and, where it is not `fresh`, why."""

    word: str
    why: str = ""
