"""What doit remembers of its tasks between runs, as a backend of doit's: `pyproject.toml` names it.

It is a hint: where it is lost, damaged or cannot be written, each stage finds its output in the cache.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from doit.dependency import JsonDB


class State(JsonDB):  # type: ignore[misc]
    """doit's database in a JSON file, which is read and written whole."""

    desc = "JSON, written whole; no harm where it is lost or damaged"
    _read = b""

    def _load(self) -> dict[str, dict[str, Any]]:
        try:
            self._read = Path(self.name).read_bytes()
            known = json.loads(self._read)
        except (OSError, ValueError, RecursionError):
            return {}
        return known if isinstance(known, dict) and all(isinstance(each, dict) for each in known.values()) else {}

    def dump(self) -> None:
        """Write it, where it has changed."""
        new = json.dumps(self._db).encode()
        if new != self._read:
            from pipeline.store import write_whole  # where nothing is to do it is not wanted

            with suppress(OSError):
                write_whole(Path(self.name), new)
