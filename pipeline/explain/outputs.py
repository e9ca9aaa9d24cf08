"""In which files two outputs of a stage differ; and of modules among them, in which functions."""

from __future__ import annotations

import filecmp
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import UserError
from pipeline.explain.functions import Difference, differences
from pipeline.stages.build_std import BITCODE, STD_MODULE
from pipeline.toolchain import Tool
from pipeline.yaml_source import quoted

MOST = 8
"""Of so many modules that differ at once nobody wants to know the functions: it was another compiler."""


@dataclass(frozen=True)
class FileDifference:
    """A file of an output that is not the same in both: `changed`, `new` or `gone`."""

    file: str
    how: str
    functions: tuple[Difference, ...] | None = None
    """What differs in a module; None for what is none, or was not looked into."""

    @property
    def module(self) -> str:
        """The module as people call it, where it is one of many: by its crate."""
        folder = Path(self.file).parent.name
        return f" of module {quoted(folder.partition('-')[2] or folder)}" if folder else ""


def compare(libllvm: Tool, was: Path, now: Path) -> list[FileDifference]:
    """What differs between two outputs of a stage."""
    before, after = _files(was), _files(now)
    found = [FileDifference(name, "new" if name in after else "gone") for name in sorted(before.keys() ^ after.keys())]
    both = sorted(before.keys() & after.keys())
    changed = [name for name in both if not filecmp.cmp(before[name], after[name], shallow=False)]
    few = sum(name.endswith(".bc") for name in changed) <= MOST
    for name in changed:
        functions = _functions(libllvm, before[name], after[name]) if few and name.endswith(".bc") else None
        found.append(FileDifference(name, "changed", functions))
    return found


def _functions(libllvm: Tool, was: Path, now: Path) -> tuple[Difference, ...] | None:
    try:
        return tuple(differences(libllvm, was, now))
    except UserError:  # a damaged one: the build that meets it makes it again
        return None


def _files(output: Path) -> dict[str, Path]:
    """The files by name; std's one big module is that of its parts again."""
    is_std = (output / BITCODE).is_dir()
    named = ((path.relative_to(output).as_posix(), path) for path in sorted(output.rglob("*")) if path.is_file())
    return {name: path for name, path in named if not (is_std and name == STD_MODULE)}
