"""The ladder: other ways for Enzyme to look at a function, for what it refuses at first.

No way is best for all.  Each rung is tried by itself on what is still refused, function by function; the module that Enzyme
sees is the same, so what the audit said of it holds on every rung.  They stand in the order of how many of the corpus they
serve (`docs/idioms.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Rung:
    """A way for Enzyme to look at a function: its name, what is otherwise then, and the flags that make it so."""

    name: str
    what: str
    flags: Mapping[str, bool | int]


LADDER = (
    Rung(
        "types where they are used",
        "a value has a type only where an instruction that says so surely runs: memory may hold now one type, now another",
        {"enzyme-strict-aliasing": False},
    ),
    Rung(
        "all is kept",
        "all is kept that the reverse sweep wants; else the least of which the rest can be computed again",
        {"enzyme-mincut-cache": False},
    ),
)
