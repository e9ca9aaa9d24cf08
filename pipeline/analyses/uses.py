"""What uses values, followed as far as whoever looks wants it to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.llvm import Module, Value


class Uses:
    """Values, each with what uses it; what is followed on the way comes after, and no value twice."""

    def __init__(self, module: Module, values: Iterable[Value]) -> None:
        self.known: set[Value] = set()
        """The values that have come."""
        self._module = module
        self._waiting = list(values)

    def __iter__(self) -> Iterator[tuple[Value, Value]]:
        while self._waiting:
            value = self._waiting.pop()
            if value not in self.known:
                self.known.add(value)
                yield from ((value, user) for user in self._module.users(value))

    def follow(self, values: Iterable[Value]) -> None:
        """Have what uses these come, too."""
        self._waiting += values
