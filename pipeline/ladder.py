"""The ladder: other ways for Enzyme to look at a function, for what it refuses at first.

No way is best for all.  Each rung is tried by itself on what is still refused, function by function.  Where the module
that Enzyme sees is the same, what the audit said of it holds on the rung, which may want more of it; where it is prepared once
more, it is audited again.
They stand in the order of how many of the corpus they serve (`docs/idioms.md`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rung:
    """A way for Enzyme to look at a function: its name, what is otherwise then, and what makes it so: flags, and repairs."""

    name: str
    what: str
    flags: Mapping[str, bool | int] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    """Their names in `repairs.OF_RUNGS`; what each has made is audited."""
    is_told: bool = False
    """Whether Enzyme must be told what copies are of, and what may be pointers, as it does not find it out here."""


LADDER = (
    Rung(
        "types where they are used",
        "a value has a type only where an instruction that says so surely runs: memory may hold now one type, now another",
        {"enzyme-strict-aliasing": False},
        ("said_pointers",),
        is_told=True,
    ),
    Rung(
        "all is kept",
        "all is kept that the reverse sweep wants; else the least of which the rest can be computed again",
        {"enzyme-mincut-cache": False},
    ),
    Rung(
        "variants kept apart",
        "nobody knows where floats and pointers lie: a place may be a float in one variant of an enum, a pointer in another",
        repairs=("variants", "places"),
        is_told=True,
    ),
)
