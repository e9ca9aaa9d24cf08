"""Published crates in differentiated functions: `python -m tests.published` writes `docs/crates.md` from `crates/published`.

What is written there the source of `CRATE`, and of `APART`, says of each function; that it is so, `test_published.py` sees.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.table.__main__ import written_between
from tests.workbench import ROOT

CRATE = ROOT / "tests" / "crates" / "published"
APART = CRATE.with_name("published_faer")
"""What takes minutes to compile by itself."""
DOCUMENT = ROOT / "docs" / "crates.md"
BEGIN, END = "<!-- written by `python -m tests.published` -->", "<!-- until here -->"
MODES = ("reverse", "forward")

_LIST = re.compile(r"^(?P<kind>tried|refused\w*)! \{\n(?P<functions>.*?)^\}", re.MULTILINE | re.DOTALL)
_FUNCTION = re.compile(r"^    (?P<name>\w+)\(x: [^\n]*\) \{\n(?P<body>.*?)^    \}", re.MULTILINE | re.DOTALL)
_OF_ITS_OWN = re.compile(r'concat!\(module_path!\(\), "::(\w+)"\)')
_SAID = re.compile(r"//~ (.*)")
_REFUSED_IN = {"tried": (), "refused": MODES, "refused_in_reverse": ("reverse",), "refused_in_forward": ("forward",)}


@dataclass(frozen=True)
class Function:
    """A function in which a crate is used: in which modes it is refused, and in which words."""

    crate: str
    name: str
    refused_in: Sequence[str] = ()
    said: Sequence[str] = ()

    def is_right_in(self, mode: str) -> bool:
        """Whether it has a derivative in that mode."""
        return mode not in self.refused_in


def functions(file: Path) -> Iterator[Function]:
    """The functions of a crate's file."""
    source = file.read_text()
    for listed in _LIST.finditer(source):
        for function in _FUNCTION.finditer(listed["functions"]):
            said = list(dict.fromkeys(_SAID.findall(function["body"])))
            yield Function(file.stem, function["name"], _REFUSED_IN[listed["kind"]], said)
    yield from (Function(file.stem, name) for name in _OF_ITS_OWN.findall(source))


def files(*crates: Path) -> list[Path]:
    """A file for each published crate, of these of ours or of all."""
    found = (path for crate in crates or (CRATE, APART) for path in (crate / "src" / "crates").glob("*.rs"))
    return sorted((path for path in found if path.stem != "mod"), key=lambda path: path.stem)


def versions(crate: Path) -> dict[str, str]:
    """The version of each crate that the manifest names, by the name that Rust has for it."""
    wanted = tomllib.loads((crate / "Cargo.toml").read_text())["dependencies"]
    locked = tomllib.loads((crate / "Cargo.lock").read_text())["package"]
    exact = {name: what["version"].removeprefix("=") for name, what in wanted.items() if "version" in what}
    assert set(exact.items()) <= {(each["name"], each["version"]) for each in locked}
    return {name.replace("-", "_"): version for name, version in exact.items()}


def rows() -> Iterator[str]:
    """A row for each crate, and one for each function that is refused."""
    version, refused = versions(CRATE) | versions(APART), []
    yield from (
        "",
        "| crate | version | what is used | functions | not refused in reverse | in forward mode |",
        "|---|---|---|---|---|---|",
    )
    for file in files():
        its = list(functions(file))
        used = file.read_text().splitlines()[0].removeprefix("//! ")
        right = [str(sum(function.is_right_in(mode) for function in its)) for mode in MODES]
        yield f"| {file.stem} | {version[file.stem]} | {used} | {len(its)} | {' | '.join(right)} |"
        refused += [function for function in its if function.refused_in]
    yield from ("", "| refused | in | because |", "|---|---|---|")
    for function in refused:
        yield f"| `{function.crate}::{function.name}` | {', '.join(function.refused_in)} | {'; '.join(function.said)} |"
    yield ""


if __name__ == "__main__":
    written_between(BEGIN, END, DOCUMENT, list(rows()))
