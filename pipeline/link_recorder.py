"""Stands in for the linker while cargo builds the crate: writes down what would be linked, in place of the program.

The record is a tar at the very path of the program (`-o`), so that cargo keeps it, and finds it fresh, as it would the
program: `arguments.json`, and the objects and archives among the arguments and the list of what a shared library exports, which
rustc deletes when the linker returns.  Its own libraries (`.rlib`) stay where they are and are only named.

Run by rustc as `link_recorder.py ARGUMENTS…`; imports nothing of ours, as it is started without site-packages.
"""

import io
import json
import re
import sys
from pathlib import Path

EXPORTS = "-Wl,--version-script="
"""Before the name of the file that lists what a shared library exports."""


def expand(arguments: list[str]) -> list[str]:
    """The arguments with response files (`@file`, one argument a line) read in: rustc uses one for a very long line.

    And with files by themselves that rustc hands on to what `cc` starts (`-Wl,/file`): it does so with some archives.
    """
    expanded: list[str] = []
    for argument in arguments:
        if argument.startswith("@"):
            lines = Path(argument[1:]).read_text(encoding="utf-8").splitlines()
            expanded += [re.sub(r"\\(.)", r"\1", line) for line in lines]
        else:
            expanded.append(argument)
    return [argument.removeprefix("-Wl,") if argument.startswith("-Wl,/") else argument for argument in expanded]


def record(arguments: list[str]) -> None:
    """Write the record of a link to the path that follows `-o`."""
    import tarfile

    output = arguments[arguments.index("-o") + 1]
    text = json.dumps(arguments).encode()
    with tarfile.open(output, "w") as tar:
        head = tarfile.TarInfo("arguments.json")
        head.size = len(text)
        tar.addfile(head, io.BytesIO(text))
        for number, argument in enumerate(arguments):
            if argument.endswith((".o", ".a")):
                tar.add(argument, arcname=f"{number}{argument[-2:]}")
            elif argument.startswith(EXPORTS):
                tar.add(argument.removeprefix(EXPORTS), arcname=f"{number}.list")


if __name__ == "__main__":
    record(expand(sys.argv[1:]))
