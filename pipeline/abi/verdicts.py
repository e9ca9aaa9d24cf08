"""What it comes to: is the header as a reader of the Rust one expects it, and if not, what became of that."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.abi.matching import UNKNOWN, Row

AS_EXPECTED, ADJUSTED, RESTORED, REFUSED = "as expected", "adjusted and mapped", "restored", "refused"
NOT_MODELLED = "not modelled"

_PACKED = "its header has floats in integers, whose derivatives would be lost"
_RESTORED = "its header had floats in integers; abi_fixup inlined it where it is differentiated"
_TOO_LATE = f"{_PACKED}: abi_fixup ended before it came to that"
_UNEXPLAINED = "not by the Rust ABI: an `extern` function (the C ABI is not modelled), or one without types in debug info"

NO_BITCODE = "it has no bitcode: Enzyme knows the function by its name, or refuses it"


@dataclass(frozen=True)
class Verdict:
    """`word` is one of those above; `why` says what was adjusted, restored or refused, and is empty for the first."""

    word: str
    why: str = ""


@dataclass(frozen=True)
class Facts:
    """What is known of a function."""

    rows: tuple[Row, ...]
    """What became of its arguments and its result, after every stage."""
    refused: str
    """Why abi_fixup refused its derivative; empty where it did not."""
    is_fixed: bool
    """Whether abi_fixup made a module."""
    packed_before: bool
    packed_after: bool
    """Whether it had floats in the integers of its header, and was called, before abi_fixup and after."""
    found: tuple[str, ...]
    """What the audit says of it."""


def verdict(facts: Facts) -> Verdict:
    """The verdict on a function."""
    refused = [why for why in (facts.refused, *facts.found) if why]
    if facts.packed_after:
        refused.append(_PACKED)
    elif facts.packed_before and not facts.is_fixed:
        refused.append(_TOO_LATE)
    if refused:
        return Verdict(REFUSED, "; ".join(refused))
    if facts.packed_before:
        return Verdict(RESTORED, _RESTORED)
    if any(row.kind == UNKNOWN for row in facts.rows):
        return Verdict(NOT_MODELLED, _UNEXPLAINED)
    adjusted: dict[str, dict[str, None]] = {}
    for row in facts.rows:
        if row.kind != "scalar":
            adjusted.setdefault(row.kind, {})[row.path] = None
    why = "; ".join(f"{kind} {', '.join(paths)}" for kind, paths in adjusted.items())
    return Verdict(ADJUSTED, why) if adjusted else Verdict(AS_EXPECTED)
