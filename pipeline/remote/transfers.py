"""What is on its way to others, or from them, while the build goes on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

AT_ONCE = 4
"""How many go side by side each way."""


class Transfers:
    """Calls that are made in threads of their own, which end with the process."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], object]] = deque()
        self._threads = 0
        self._changed = threading.Condition()

    def add(self, call: Callable[[], object]) -> None:
        """Have a call made; it raises nothing."""
        with self._changed:
            self._waiting.append(call)
            if self._threads < AT_ONCE:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True).start()

    def finish(self, is_worth_it: Callable[[], bool]) -> None:
        """Wait until all are made, or for as long as that is worth it; no other is begun then."""
        with self._changed:
            while self._threads and is_worth_it():
                self._changed.wait(0.1)
            self._waiting.clear()

    def _work(self) -> None:
        while call := self._next():
            try:
                call()
            except BaseException:
                self._end()
                raise

    def _next(self) -> Callable[[], object] | None:
        """The next call; where there is none the thread counts as ended: from then on another is started."""
        with self._changed:
            if self._waiting:
                return self._waiting.popleft()
            self._end()
            return None

    def _end(self) -> None:
        with self._changed:
            self._threads -= 1
            self._changed.notify_all()
