"""What doit remembers of its tasks between runs, as a backend of doit's: `pyproject.toml` names it.

It is a hint: where it is lost, damaged or cannot be written, each stage finds its output in the cache.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from doit.cmd_base import DoitCmdBase
from doit.dependency import JsonDB

from pipeline.store import write_whole


class State(JsonDB):  # type: ignore[misc]
    """doit's database in a JSON file, which is read and written whole."""

    desc = "JSON, written whole; no harm where it is lost or damaged"
    _read = b""

    def _load(self) -> dict[str, dict[str, Any]]:
        try:
            self._read = Path(self.name).read_bytes()
            return msgspec.json.decode(self._read, type=dict[str, dict[str, Any]])
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}

    def dump(self) -> None:
        """Write it, where it has changed."""
        new = msgspec.json.encode(self._db)
        if new != self._read:
            with suppress(OSError):
                write_whole(Path(self.name), new)


class Dump(DoitCmdBase):  # type: ignore[misc]
    """`./doit dumpdb`: doit's own knows but the databases of Python's `dbm`."""

    name = "dumpdb"
    doc_purpose = "print what doit remembers of tasks"
    doc_usage = ""
    doc_description = None
    cmd_options = ()

    def _execute(self) -> None:
        for task, remembered in sorted(self.dep_manager.backend._db.items()):
            self.outstream.write(f"{task} {msgspec.json.encode(remembered).decode()}\n")
