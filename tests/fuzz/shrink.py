"""A failing function made small: pieces are cut out of it for as long as it fails in the same way.

Many cuts are tried at once, as many functions cost little more than one; those that do no harm are then made together.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.fuzz.runner import MODES
from tests.fuzz.tree import Function, Node
from tests.programs import Verdict

LOG = logging.getLogger("fuzz")

AT_ONCE = 20
"""Cuts that are tried of each function in a round."""

ROUNDS = 20

Judging = Callable[[Sequence[Function], Sequence[str]], list[Verdict]]
"""What becomes of functions in these modes."""

_PARTICULARS = re.compile(r"[%@`(\[\n]|: *call|: *phi|  ")
_WRONG = re.compile(r"\w+(?: \d, direction \d)?: \w+|")
_SIMPLE = {
    "f": ("xs[0]", "T::from(0.5)"),
    "b": ("true", "false"),
    "i": ("1", "k"),
    "j": ("xs.iter().copied()",),
    "v": ("xs.to_vec()",),
    "y": ("Some(xs[0])", "None"),
    "g": ("Shape::Empty",),
    "s": ("",),
    "item": ("",),
}
"""What is put in the place of code of a kind."""


@dataclass(frozen=True)
class Cut:
    """Code to be put at a place: which piece of the root, which piece of that, and so on."""

    path: tuple[int, ...]
    by: Node

    def made(self, root: Node) -> Node:
        """The tree with it."""
        if not self.path:
            return self.by
        at, *rest = self.path
        inner = root.pieces[at]
        assert isinstance(inner, Node)
        made = Cut(tuple(rest), self.by).made(inner)
        return Node(root.kind, (*root.pieces[:at], made, *root.pieces[at + 1 :]))


def cuts(root: Node, path: tuple[int, ...] = ()) -> Iterator[Cut]:
    """All that can be cut: code for simple code, or for what of its own kind is in it; a statement for its block."""
    for text in _SIMPLE.get(root.kind, ()):
        if len(text) < len(root.text):
            yield Cut(path, Node(root.kind, (text,)))
    yield from (Cut(path, Node(root.kind, (inner,))) for inner in _within(root))
    for at, piece in enumerate(root.pieces):
        if isinstance(piece, Node):
            yield from cuts(piece, (*path, at))


def _within(node: Node) -> Iterator[Node]:
    """The outermost code of its kind in a node; of a statement, its blocks."""
    wanted = {"s": "B", "item": ""}.get(node.kind, node.kind)
    waiting = node.children
    while waiting:
        inner = waiting.pop()
        if inner.kind == wanted:
            yield inner
        else:
            waiting += inner.children


@dataclass
class Failure:
    """A function that fails, the modes in which it does, and how."""

    function: Function
    verdict: Verdict
    modes: tuple[str, ...] = MODES
    tried: set[str] = field(default_factory=set)
    harmless: list[Cut] = field(default_factory=list)
    """Cuts of the function, each of which leaves it failing."""

    def candidates(self, random: Random) -> list[tuple[Cut, ...]]:
        """What to try: the harmless cuts together; else the largest, and some others."""
        together = self._apart(self.harmless)
        found = [(cut,) for cut in cuts(self.function.root) if self._is_new(cut)]
        found.sort(key=lambda one: len(one[0].made(self.function.root).text))
        chosen = found[: AT_ONCE // 2] + random.sample(found[AT_ONCE // 2 :], min(AT_ONCE // 2, len(found[AT_ONCE // 2 :])))
        halves = [together[: len(together) // 2], together[len(together) // 2 :]]
        return [*(many for many in (together, *halves) if len(many) > 1), *chosen]

    def _is_new(self, cut: Cut) -> bool:
        return cut.made(self.function.root).text not in self.tried

    @staticmethod
    def _apart(made: Sequence[Cut]) -> tuple[Cut, ...]:
        """Those of which none is within another."""
        kept: list[Cut] = []
        for cut in made:
            if not any(cut.path[: len(o.path)] == o.path or o.path[: len(cut.path)] == cut.path for o in kept):
                kept.append(cut)
        return tuple(kept)

    def smaller(self, chosen: tuple[Cut, ...]) -> Function:
        """The function with these cuts."""
        root = self.function.root
        for cut in chosen:
            root = cut.made(root)
        return replace(self.function, root=root)


def cause(verdict: Verdict) -> str:
    """How a function fails, in words that stay the same as it shrinks."""
    if verdict.kind == "wrong":
        return f"wrong: {_WRONG.findall(verdict.said)[0]}"
    return f"{verdict.kind}: {_PARTICULARS.split(verdict.said.removeprefix('error: '))[0][:80].strip()}"


def shrink(failures: Sequence[Failure], judge: Judging, rounds: int = ROUNDS) -> None:
    """Make each function as small as goes."""
    random = Random(0)
    for number in range(rounds):
        tries = [(failure, chosen) for failure in failures for chosen in failure.candidates(random)]
        if not tries:
            return
        modes = tuple(dict.fromkeys(mode for failure in failures for mode in failure.modes))
        verdicts = judge([failure.smaller(chosen) for failure, chosen in tries], modes)
        for failure in failures:
            _take([(c, v) for (f, c), v in zip(tries, verdicts, strict=True) if f is failure], failure)
        LOG.info("shrunk %d times: %s", number + 1, ", ".join(str(len(f.function.text)) for f in failures))


def _take(tried: Sequence[tuple[tuple[Cut, ...], Verdict]], failure: Failure) -> None:
    """Go on with the smallest that fails as the function does."""
    failure.tried |= {failure.smaller(chosen).text for chosen, _ in tried}
    still = [(chosen, verdict) for chosen, verdict in tried if cause(verdict) == cause(failure.verdict)]
    if still:
        best, verdict = min(still, key=lambda one: len(failure.smaller(one[0]).text))
        others = [chosen[0] for chosen, _ in still if len(chosen) == 1]
        failure.harmless = [] if len(best) > 1 else others
        if len(best) == 1 and len(others) > 1:
            return  # together they may be worth more
        failure.function, failure.verdict, failure.harmless = failure.smaller(best), verdict, []
    elif failure.harmless:
        alone = min((failure.smaller((cut,)) for cut in failure.harmless), key=lambda function: len(function.text))
        failure.function, failure.harmless = alone, []
