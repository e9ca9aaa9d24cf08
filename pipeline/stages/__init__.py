"""The stages, one module each, in the order in which they run.

A stage is a frozen value: its fields are all that its output depends on, beside its inputs.  `run` takes files and gives
files: it reads the folders in `inputs` (role -> what an earlier stage made), writes into the empty folder `out`, and
leaves what its tools said in `log`.  It knows nothing of doit, of the cache, or of the other stages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pipeline import libm, process
from pipeline.llvm import IN_PLACE, WHERE_WANTED
from pipeline.toolchain import Tool

NAMES = (
    "build_std",
    "crate_bitcode",
    "llvm_link",
    "opt1",
    "abi_fixup",
    "enzyme",
    "opt2",
    "codegen",
    "link",
)
"""All stages in order; a config may leave some out."""

Inputs = Mapping[str, Path]

MODULE = "module.bc"
"""The name of the module in the output of each stage that makes one."""

GENTLE = (
    "-vectorize-loops=false",
    "-vectorize-slp=false",
    "-disable-loop-unrolling",
    "-unroll-runtime=false",
    *IN_PLACE,
)
"""Options of LLVM's that keep loops as they are until Enzyme has run.

Pass options, never loop metadata, which would still be there when opt2 wants to do what this forbids.
"""

_KEPT = re.compile(
    rb"(?:_RNvCs[0-9A-Za-z]+_7___rustc14_)?__rust_realloc"
    rb"|_RNvNtNtCs[0-9A-Za-z]+_3std2io5stdio(?:6__print|7__eprint)|_ZN3std2io5stdio(?:6_print|7_eprint)17h[0-9a-f]{16}E"
    rb"|_RNvXs[0-9a-z]*_NtNtCs[0-9A-Za-z]+_4core3num(?:11float_parse|7dec2flt)[fd]NtNtNt[0-9A-Za-z]+_3str6traits7FromStr8from_str"
    rb"|_RNvNt[0-9A-Za-z]+_3std3sys6random(?:[0-9]+[a-z]+)?19hashmap_random_keys"
    rb"|" + libm.NAMES.pattern
)
"""Rust's reallocation and `println!` by either of rustc's manglings; what reads a float from a text, and what asks for the keys
of a `HashMap`, by std's own; what is mathematical in the crate `libm`."""

_WORDS, _LONGEST = (b"__rust_realloc", b"3std2io5stdio", b"FromStr8from_str", b"hashmap_random_keys", libm.WORD), 400
"""In each of these names one of the words, and more bytes than there are on either side of it."""

PINS = "-opt-disable=argpromotion,deadargelim,ipsccp,mergefunc"
"""LLVM's passes that change or unite headers: off until Enzyme has run, that each header stays as rustc lowered it.

opt2 runs them all, on the derivatives as on everything else.
"""


def keep_calls(module: Path, *, after: bool = False) -> list[str]:
    """Options by which `opt` does not inline those of Rust's functions, or, after Enzyme has run, does again.

    The C library's `realloc`, which is behind one, does not say how long the old memory is; the others are apart as a whole.
    """
    option = "-force-remove-attribute" if after else "-force-attribute"
    return [f"{option}={name.decode()}:noinline" for name in sorted(_kept(module.read_bytes()))]


def _kept(data: bytes) -> set[bytes]:
    """Around words, which are found faster than what a regular expression says of all bytes."""
    found = set[bytes]()
    for word in _WORDS:
        at = data.find(word)
        while at >= 0:
            found.update(_KEPT.findall(data, max(at - _LONGEST, 0), at + _LONGEST))
            at = data.find(word, at + 1)
    return found


def optimise(opt: Tool, level: int, given: Path, module: Path, log: Path) -> None:
    """Write the module that LLVM's default pipeline of a level makes of it, with all off that is hard on the adjoint."""
    passes = [f"-passes=forceattrs,default<O{level}>", *GENTLE, *WHERE_WANTED, PINS, *keep_calls(given)]
    process.run_tool([opt, *passes, "-o", module, given], log=log)


UNWANTED = "crategrad_value_unwanted"
"""The attribute of a function that calls a derivative of which nobody in the program reads the function's own value."""


class Stage(Protocol):
    """What all stages have in common."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Do the stage's work.

        Raises: UserError with the Rust place where there is one; `out` is then thrown away.
        """
