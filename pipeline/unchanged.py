"""`./doit` begins here.  A run that did nothing but look, and said something, is remembered with all that it looked at: where
that is as it was, the same command line is answered with the same words, and nothing is planned, nor doit loaded.

    cache/unchanged/<command line>     a checksum; the words; each file, folder and missing file with its signature

Only of `build`, `why` and `matrix` without options, and for half an hour: after that a run notes what is used as used.
It is a hint, believed to the byte or not at all: where anything is else than it was, the run is carried out as ever.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import time

from pipeline import looked

TYPE_CHECKING = False  # `typing` takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Said = list[tuple[int, str]]

_COMMANDS = {"build": False, "why": True, "matrix": True}
"""Which commands, and whether words may follow."""

_FOR_NS = 1800 * 10**9
_KEPT = 50
"""How many command lines are remembered."""

_RACY_NS, _RACY_COARSE_NS = 20_000_000, 2_500_000_000
"""A file that was changed this shortly before it was looked at may change again within the step of the file system's clock;
the second is for those that count whole seconds."""

_SECRETS = ("CRATEGRAD_REMOTE_AUTH", "CRATEGRAD_REMOTE_TOKEN", "CRATEGRAD_REMOTE_SECRET")
"""Where nothing is to do nobody is shown them; in no file is anything made of them."""

_OF_SHELLS = ("_", "SHLVL", "OLDPWD", "PWD")
_HINT = "digests.json"
"""Known digests of files that are as they were: written by each run that learns one, and no run says anything else for it."""

_OF_CI = "GITHUB_STEP_SUMMARY"
"""A file in which more is told."""

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 -- as above: no `pathlib`


def main() -> None:
    """Answer the command line: by what is remembered, or by doit."""
    file = _file(sys.argv[1:])
    if file and (said := _remembered(file)) is not None:
        _say(said)
        return
    if file:
        _run_and_remember(file)
    else:
        _run()


def _say(said: Said) -> None:
    for handle, text in said:
        stream = sys.stderr if handle == sys.stderr.fileno() else sys.stdout
        rest = text.encode(stream.encoding, stream.errors or "strict")
        try:
            while rest:
                rest = rest[os.write(handle, rest) :]
        except OSError:  # nobody reads it
            os._exit(1)


def _run() -> None:
    from doit.__main__ import main as doit

    doit()


def _run_and_remember(file: str) -> None:
    begin, said = time.time_ns(), list[tuple[int, str]]()
    looked.watch()
    sys.stdout, sys.stderr = _Overheard(sys.stdout, said), _Overheard(sys.stderr, said)
    try:
        _run()
    except SystemExit as end:
        _look_at_own_code()
        looked.seen.pop(f"{_cache()}/{_HINT}", None)
        if not end.code and not looked.acts and _is_settled(begin):
            _remember(file, said, begin)
        raise


def _look_at_own_code() -> None:
    """Note the sources that were loaded: of modules that are compiled nobody opens them."""
    looked.at_each(file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None)))


class _Overheard:
    """A stream of which it is kept what is said there."""

    def __init__(self, stream: Any, said: Said) -> None:
        self._stream = stream
        self._said = said

    def write(self, text: str) -> int:
        self._said.append((self._stream.fileno(), text))
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


# ---- The memory


def _file(words: Sequence[str]) -> str:
    """Where the answer to a command line is remembered, as it is given here and now; empty where it is always carried out."""
    asked, names = words[:1], [word for word in words[1:] if "=" not in word]
    is_plain = bool(asked) and asked[0] in _COMMANDS and not any(word.startswith("-") for word in words)
    if not is_plain or (names and not _COMMANDS[asked[0]]) or _OF_CI in os.environ:
        return ""
    told = {name: "" if name in _SECRETS else value for name, value in os.environ.items() if name not in _OF_SHELLS}
    given = (sys.version, words, sorted(told.items()), os.getuid(), os.getgroups(), _width())
    return f"{_cache()}/unchanged/{hashlib.sha256(repr(given).encode(errors='surrogateescape')).hexdigest()}"


def _cache() -> str:
    return os.environ.get("CRATEGRAD_CACHE") or f"{_ROOT}/cache"


def _width() -> int:
    """Of the terminal, by which tables go; 0 where there is none."""
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0


def _remembered(file: str) -> Said | None:
    """What was said, if all that was looked at is as it was."""
    try:
        with open(file, "rb") as stream:  # noqa: PTH123
            checksum, _, content = stream.read().partition(b"\n")
    except OSError:
        return None
    if checksum != _checksum(content):
        return None
    when, said, seen = marshal.loads(content)  # noqa: S302 -- of our own, as the checksum says
    is_young = 0 <= time.time_ns() - when < _FOR_NS
    return said if is_young and all(looked.sign(path) == signature for path, signature in seen.items()) else None


def _remember(file: str, said: Said, when: int) -> None:
    """Keep what was said, and forget what is oldest; what cannot be written is no error."""
    content = marshal.dumps((when, said, looked.seen))
    scratch = f"{file}.{os.getpid()}"
    folder = os.path.dirname(file)  # noqa: PTH120
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(scratch, "wb") as stream:  # noqa: PTH123
            stream.write(_checksum(content) + b"\n" + content)
        os.replace(scratch, file)  # noqa: PTH105
        there = sorted(os.scandir(folder), key=lambda each: each.stat().st_mtime_ns)
        for each in there[:-_KEPT]:
            os.unlink(each)  # noqa: PTH108
    except OSError:  # another tidies it at the moment, or nobody may write there
        pass


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _is_settled(begin: int) -> bool:
    """True where a change after the beginning of this run will be seen by the times of what was looked at."""
    newest = max(map(looked.newest, looked.seen.values()), default=0)
    return newest < begin - (_RACY_NS if newest % 1_000_000_000 else _RACY_COARSE_NS)
