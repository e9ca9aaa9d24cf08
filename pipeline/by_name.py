"""Functions chosen by what a user calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pipeline.errors import CommandLineError

T = TypeVar("T")
_NEAREST = 5


def chosen(functions: Sequence[T], name: str, names: Callable[[T], Sequence[str]], where: str) -> list[T]:
    """Those called so: by the end of one of their names, which may be paths (`f`, `module::f`), else by a part of one.

    Raises: UserError with the nearest names where none is; `where` ends its first line.
    """
    exact = [function for function in functions if any(_ends(one, name) for one in names(function))]
    found = exact or [function for function in functions if any(name in one for one in names(function))]
    if found:
        return found
    from difflib import get_close_matches

    known = {last(one): one for function in functions for one in names(function)}
    near = get_close_matches(last(name), known, n=_NEAREST, cutoff=0.5) or sorted(known)[:_NEAREST]
    raise CommandLineError(f"error: no function `{name}` {where}\n  = help: there are: {', '.join(known[one] for one in near)}")


def last(path: str) -> str:
    """The name at the end of a path, with its generic arguments."""
    plain, generic, arguments = path.partition("<")
    return plain.rpartition("::")[2] + generic + arguments


def _ends(path: str, name: str) -> bool:
    return any(f"::{one}".endswith(f"::{name}") for one in (path, path.partition("<")[0]))
