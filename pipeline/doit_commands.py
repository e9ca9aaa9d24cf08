"""doit's own commands that do something else here, or nothing: `pyproject.toml` names them."""

from __future__ import annotations

import json
from typing import NoReturn

from doit.cmd_base import Command, DoitCmdBase
from doit.exceptions import InvalidCommand


class Dump(DoitCmdBase):  # type: ignore[misc]
    """`./doit dumpdb`: doit's own knows but the databases of Python's `dbm`."""

    name = "dumpdb"
    doc_purpose = "print what doit remembers of tasks"
    doc_usage = ""
    doc_description = None
    cmd_options = ()

    def _execute(self) -> None:
        for task, remembered in sorted(self.dep_manager.backend._db.items()):
            self.outstream.write(f"{task} {json.dumps(remembered)}\n")


class Strace(Command):  # type: ignore[misc]
    """`./doit strace`: doit's own traces tasks that are shell commands, of which we have none, and says nothing of others."""

    name = "strace"
    doc_purpose = "(not of our tasks: ./doit replay STAGE leaves commands that strace takes)"
    doc_usage = "STAGE"
    doc_description = None
    cmd_options = ()

    def execute(self, opt_values: object, pos_args: list[str]) -> NoReturn:
        """Say what there is instead."""
        help_ = (
            f"./doit replay {pos_args[0] if pos_args else 'STAGE'} leaves what a stage runs as repro.sh: strace -f ./repro.sh"
        )
        raise InvalidCommand(f"strace traces tasks that are shell commands, and ours are not\n  = help: {help_}")
