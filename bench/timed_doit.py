"""doit with a stopwatch on the processes it starts: `timed_doit.py REPORT ARGUMENTS…`.

Writes to the file REPORT, as JSON, the seconds during which a child was running.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from doit.doit_cmd import DoitMain

spent = 0.0


class TimedPopen(subprocess.Popen[Any]):
    """A process that adds its life to the sum; the pipeline runs one at a time."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.begun: float | None = time.perf_counter()
        super().__init__(*arguments, **options)

    def wait(self, timeout: float | None = None) -> int:
        """Wait, and stop the watch the first time."""
        global spent  # noqa: PLW0603 -- one sum for all processes
        code = super().wait(timeout)
        if self.begun is not None:
            spent += time.perf_counter() - self.begun
            self.begun = None
        return code


def main() -> int:
    """Run doit with the arguments after the report's name."""
    subprocess.Popen = TimedPopen  # type: ignore[misc]
    code = int(DoitMain().run(sys.argv[2:]))
    Path(sys.argv[1]).write_text(json.dumps({"tools": spent}))
    return code


if __name__ == "__main__":
    sys.exit(main())
