"""Tables on a terminal, and as wide as they need where they go elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

_WIDE = 10_000


def print_table(table: Table) -> None:
    """Print it without blanks at the ends of its lines."""
    console = Console(highlight=False)
    wide = console if console.is_terminal else Console(highlight=False, width=_WIDE)
    with wide.capture() as captured:
        wide.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))
