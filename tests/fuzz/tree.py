"""A function as a tree of code: what is drawn from the grammar, and what is made smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.fuzz.grammar import ITEMS
from tests.fuzz.headers import Derived


@dataclass(frozen=True)
class Node:
    """A piece of code of a kind (`grammar`): text, and the code in its holes."""

    kind: str
    pieces: tuple[str | Node, ...]

    @cached_property
    def text(self) -> str:
        """The Rust of it."""
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)

    @property
    def children(self) -> list[Node]:
        """What is in its holes."""
        return [piece for piece in self.pieces if isinstance(piece, Node)]

    def all(self) -> Iterator[Node]:
        """Itself, and all in it."""
        yield self
        for child in self.children:
            yield from child.all()


@dataclass(frozen=True)
class Function:
    """Helpers and a body: `pub fn body<T: Number>(xs: &[T], k: usize) -> T`; `seed` is where it came from."""

    seed: int
    root: Node
    derived: Derived | None = None
    """What stands around it, if it has a header of its own."""

    def __str__(self) -> str:
        return f"function {self.seed}"

    @property
    def text(self) -> str:
        """The Rust of it, with the types that it mentions."""
        return "\n".join([*(text for name, text in ITEMS.items() if name in self.root.text), self.root.text, ""])
