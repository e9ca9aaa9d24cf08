"""How what doit runs ends: well, with a failure, or refused before anything was run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from doit.exceptions import TaskFailed

from pipeline.build import Build
from pipeline.errors import UserError

Task = dict[str, Any]
"""A task, as doit has it from dodo.py."""


class Refused(TaskFailed):  # type: ignore[misc]
    """The failure of a task that ran nothing, because what was asked for makes no sense; the process ends with 3.

    It is told to doit, which knows 1 only: with `-n 2` the task is in another process than the one that ends.
    """


def fail(error: UserError) -> TaskFailed:
    """Say what went wrong; the task's failure, or its refusal where nothing was run."""
    sys.stdout.flush()
    print(error.message, file=sys.stderr, flush=True)
    return (TaskFailed if error.exit_code == 1 else Refused)(error.message, report=False)


def action_of(command: Callable[..., object]) -> Callable[..., TaskFailed | None]:
    """A command as doit's action, which goes by its parameters: what it raises is the task's failure."""

    @wraps(command)
    def action(build: Build, *given: Any, **options: Any) -> TaskFailed | None:
        try:
            command(build, *given, **options)
        except UserError as error:
            return fail(error)
        except OSError as error:
            return fail(UserError(f"error: {error.filename or 'what is asked for'}: {error.strerror}"))
        finally:
            build.digests.save()
        return None

    return action


def give_up(error: UserError) -> NoReturn:
    """Say what went wrong, and end the process."""
    print(error.message, file=sys.stderr, flush=True)
    sys.exit(error.exit_code)
