"""Why here: every mistake a user can mend derives from one class, so `main` catches one class and shows no traceback."""


class UserError(Exception):
    """A mistake the user can mend: shown as its message alone, never as a traceback.  exit_code is the process's."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code


class CommandLineError(UserError):
    """What was asked for does not exist, or cannot be asked for here: nothing was run."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=3)
