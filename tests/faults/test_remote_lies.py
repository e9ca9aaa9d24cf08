"""F15, F20: a remote cache that is slow, broken, lying or malicious fails no build, and spoils none."""

from __future__ import annotations

import http.server
import random
import socket
import socketserver
import stat
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.build import Build
from pipeline.digests import file_digest
from pipeline.remote import Record, Remote, pack
from pipeline.remote import http as transport
from pipeline.remote.action_result import ActionResult
from pipeline.remote.folder import Folder
from pipeline.remote.http import Http
from pipeline.store import Store, tree_digest
from tests.conftest import Rounds
from tests.faults.scene import bring_up_to_date, build, right, torn
from tests.faults.test_damage import flipped
from tests.workbench import doit

# ---- A server that does not keep to the protocol

Trouble = Callable[[Any, bytes], None]
"""What it does when it is asked for something that has these bytes."""


def answering(status: int, **headers: str) -> Trouble:
    def trouble(asked: Any, _content: bytes) -> None:
        asked.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            asked.send_header(name, value)
        asked.end_headers()

    return trouble


def sending(length: Callable[[int], int], content: Callable[[bytes], bytes], pause_s: float = 0.0) -> Trouble:
    def trouble(asked: Any, whole: bytes) -> None:
        asked.send_response(200)
        asked.send_header("Content-Length", str(length(len(whole))))
        asked.end_headers()
        changed = content(whole)
        for place in range(0, len(changed), 100 if pause_s else 1 << 20):
            asked.wfile.write(changed[place : place + (100 if pause_s else 1 << 20)])
            time.sleep(pause_s)
        asked.close_connection = True

    return trouble


def hang_up(asked: Any, _content: bytes) -> None:
    asked.close_connection = True
    asked.connection.close()


def be_silent(_asked: Any, _content: bytes) -> None:
    time.sleep(1.5)


def say_nonsense(asked: Any, _content: bytes) -> None:
    asked.wfile.write(b"\x00\xffnonsense\r\n\r\n" * 50)
    asked.close_connection = True


LONGER = 5000
TROUBLES: dict[str, Trouble] = {
    **{str(status): answering(status) for status in (204, 206, 400, 401, 403, 405, 410, 413, 429, 500, 502, 503)},
    "a redirect": answering(302, Location="http://127.0.0.1:9/elsewhere"),
    "a redirect to itself": answering(307, Location="/ac"),
    "nothing": sending(lambda size: 0, lambda whole: b""),
    "cut off": sending(lambda size: size, lambda whole: whole[: len(whole) // 2]),
    "shorter than it is": sending(lambda size: size - 1, lambda whole: whole[:-1]),
    "longer than it is": sending(lambda size: size + LONGER, lambda whole: whole + b"x" * LONGER),
    "without an end": sending(lambda size: 1 << 60, lambda whole: whole + b"x" * LONGER),
    "other bytes": sending(lambda size: size, lambda whole: bytes(reversed(whole))),
    "zeros": sending(lambda size: size, lambda whole: bytes(len(whole))),
    "slow": sending(lambda size: size, lambda whole: whole, pause_s=0.1),
    "silent": be_silent,
    "hangs up": hang_up,
    "nonsense": say_nonsense,
}


class Server(http.server.BaseHTTPRequestHandler):
    """Keeps what is put there, and then does what the trouble is."""

    protocol_version = "HTTP/1.1"
    kept: dict[str, bytes]
    trouble: Trouble | None
    at: str

    def _is_in_trouble(self) -> bool:
        return self.trouble is not None and self.path.startswith(self.at)

    def do_GET(self) -> None:
        content = self.kept.get(self.path)
        if content is None:
            answering(404)(self, b"")
        elif self._is_in_trouble():
            type(self).trouble(self, content)  # type: ignore[misc]
        else:
            sending(lambda size: size, lambda whole: whole)(self, content)

    def do_HEAD(self) -> None:
        answering(200 if self.path in self.kept and self.at != "PUT" else 404)(self, b"")

    def do_PUT(self) -> None:
        if self.at == "PUT" and self.trouble is not None:
            type(self).trouble(self, b"some bytes")  # type: ignore[misc]
            self.close_connection = True
            return
        self.kept[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        answering(201)(self, b"")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Threading(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that hang up."""


@pytest.fixture
def server() -> Iterator[type[Server]]:
    """What `Server` is to a server that runs: its `address` is added."""
    handler = type("Running", (Server,), {"kept": {}, "trouble": None, "at": "/"})
    with Threading(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        handler.address = f"http://127.0.0.1:{running.server_address[1]}"  # type: ignore[attr-defined]
        yield handler
        running.shutdown()


def over_http(server: Any) -> Remote:
    return Remote(Http(server.address))


@pytest.mark.parametrize("at", ["/ac/", "/cas/", "PUT"])
def test_a_server_in_trouble_is_one_warning(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], at: str, rounds: Rounds
) -> None:
    monkeypatch.setattr(transport, "SILENCE_S", 0.5)
    monkeypatch.setattr(transport, "SLOWEST", 10_000)
    program = right(tmp_path)
    bring_up_to_date(build(tmp_path / "first", tmp_path / "first" / "cache", remote=over_http(server)))
    assert len(server.kept) == 6
    kept = dict(server.kept)
    server.at = at
    for number, (name, trouble) in enumerate(TROUBLES.items()):
        server.trouble = staticmethod(trouble)
        folder = tmp_path / str(number)
        capfd.readouterr()
        assert bring_up_to_date(build(folder, folder / "cache", remote=over_http(server))) == program, name
        said = capfd.readouterr().err
        assert said.count("\n") == said.count("warning: the remote cache") <= 1, (name, said)
        assert list(torn(folder / "cache")) == []
        server.kept.update(kept)
    rounds.tell(f"F15: {len(TROUBLES)} troubles of a server at {at}: all builds right, a warning at most")


@pytest.mark.toolchain
def test_a_server_that_breaks_off_ends_no_run(tmp_path: Path) -> None:
    """Who writes to a connection that is gone is sent a SIGPIPE, of which processes die that have nothing to say to that."""
    folder, made = tmp_path / "cache", tmp_path / "made"
    made.mkdir()
    (made / "random").write_bytes(random.Random(4).randbytes(20_000_000))  # more than a socket takes in unread
    log = tmp_path / "log"
    log.touch()
    Store(folder).publish("4" * 64, made, log, 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=break_off, args=[listening], daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        finished = doit("cache", "push", environment={"CRATEGRAD_CACHE": str(folder), "CRATEGRAD_REMOTE": address})
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"warning: the remote cache {address}: ")
    assert "error: 0 of 1 entries were sent, then nothing more" in finished.stderr


def break_off(listening: socket.socket) -> None:
    """Say that there is nothing, and of what is sent read the beginning."""
    with suppress(OSError):  # the server is closed
        while True:
            connection, _ = listening.accept()
            with connection:
                if connection.recv(1000).startswith(b"HEAD"):
                    connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                else:
                    connection.shutdown(socket.SHUT_WR)
                    time.sleep(0.5)


def test_whoever_lies_is_not_asked_for_long(tmp_path: Path, server: Any, capfd: pytest.CaptureFixture[str]) -> None:
    bring_up_to_date(build(tmp_path / "first", tmp_path / "first" / "cache", remote=over_http(server)))
    server.at, server.trouble = "/cas/", staticmethod(TROUBLES["zeros"])
    remote = over_http(server)
    for crate in range(4):
        bring_up_to_date(build(tmp_path / "second", tmp_path / f"cache{crate}", crate=f"crate{crate}", remote=remote))
    assert remote.is_out_of_use
    assert capfd.readouterr().err.count("\n") == 1


# ---- What is there is not what it should be


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder with what one build has left there."""
    shared = tmp_path / "shared"
    shared.mkdir()
    bring_up_to_date(build(tmp_path / "first", tmp_path / "first" / "cache", remote=Remote(Folder(shared))))
    return shared


def other_machine(tmp_path: Path, number: int) -> Build:
    folder = tmp_path / f"other{number}"
    return build(folder, folder / "cache", remote=Remote(Folder(tmp_path / "shared")))


def test_flipped_bits_of_what_is_shared_are_noticed(tmp_path: Path, shared: Path, rounds: Rounds) -> None:
    dice, program = random.Random(15), right(tmp_path)
    files = sorted(path for path in shared.rglob("*") if path.is_file())
    flips = rounds(24, 2000)
    for number in range(flips):
        path = dice.choice(files)
        whole = path.read_bytes()
        path.write_bytes(flipped(whole, dice.randrange(8 * len(whole))))
        made = other_machine(tmp_path, number)
        assert bring_up_to_date(made) == program
        assert list(torn(made.store.store.root)) == []
        path.write_bytes(whole)
    rounds.tell(f"F15: {flips} flipped bits of what is shared: 0 wrong outputs")


def test_records_cut_at_every_length_are_a_miss(tmp_path: Path, shared: Path, rounds: Rounds) -> None:
    program = right(tmp_path)
    path = min(shared.glob("ac/*/*"))
    whole = path.read_bytes()
    lengths = range(0, len(whole), rounds(53, 1))
    for length in lengths:
        path.write_bytes(whole[:length])
        assert bring_up_to_date(other_machine(tmp_path, length)) == program
    rounds.tell(f"F15: records cut at {len(lengths)} lengths: 0 wrong outputs")


def forge(shared: Path, write: Callable[[Path, bytes], None], **other: Any) -> int:
    """Have every record name a pack of somebody who means harm, all digests of it right; and tell how many these are."""
    for path in shared.glob("ac/*/*"):
        result = ActionResult.decode(path.read_bytes())
        record = msgspec.json.decode(result.stdout, type=Record)
        blob = shared / "forged"
        write(blob, (shared / "cas" / record.pack[:2] / record.pack).read_bytes())
        name, size = file_digest(blob), blob.stat().st_size
        (shared / "cas" / name[:2]).mkdir(exist_ok=True)
        blob.rename(shared / "cas" / name[:2] / name)
        record = msgspec.structs.replace(record, **{"pack": name, "size": size, **other})
        path.write_bytes(ActionResult(pack.NAME, name, size, msgspec.json.encode(record)).encode())
    return len(list(shared.glob("ac/*/*")))


def holding(name: str, mode: int = stat.S_IFREG | 0o644, content: bytes = b"harm") -> Callable[[Path, bytes], None]:
    """A pack with a file of this name in the place of what should be in it."""

    def write(blob: Path, _whole: bytes) -> None:
        with zipfile.ZipFile(blob, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("log", b"")
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            packed.writestr(info, content)

    return write


def twice(blob: Path, _whole: bytes) -> None:
    with zipfile.ZipFile(blob, "w", zipfile.ZIP_DEFLATED) as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("log", "tree/a", "tree/a"):
            packed.writestr(name, b"ha")


def no_zip(blob: Path, _whole: bytes) -> None:
    blob.write_bytes(b"harm")


def empty(blob: Path, _whole: bytes) -> None:
    blob.touch()


def as_it_was(blob: Path, whole: bytes) -> None:
    blob.write_bytes(whole)


HARM: dict[str, tuple[Callable[[Path, bytes], None], dict[str, Any]]] = {
    "a path out of the folder": (holding("tree/../../../../harm"), {"bytes": 4}),
    "a path out of the tree": (holding("harm"), {"bytes": 4}),
    "an absolute path": (holding("tree//tmp/harm"), {"bytes": 4}),
    "a link": (holding("tree/link", stat.S_IFLNK | 0o777, b"/etc/passwd"), {"bytes": 11}),
    "a device": (holding("tree/null", stat.S_IFCHR | 0o666), {"bytes": 4}),
    "an endless name": (holding("tree/" + "a" * 5000), {"bytes": 4}),
    "endless folders": (holding("tree/" + "a/" * 5000 + "a"), {"bytes": 4}),
    "more than it says": (holding("tree/module.bc", content=bytes(50_000_000)), {"bytes": 3000}),
    "a file twice": (twice, {"bytes": 4}),
    "no zip": (no_zip, {}),
    "an empty file": (empty, {}),
    "a size beyond all": (as_it_was, {"bytes": 2**62}),
    "a negative size": (as_it_was, {"size": -1}),
    "a tree that leads elsewhere": (as_it_was, {"tree": "../../harm"}),
    "another tree": (as_it_was, {"tree": "0" * 64}),
    "another key": (as_it_was, {"key": "0" * 64}),
}


@pytest.mark.parametrize("what", HARM)
def test_harm_that_is_meant_is_refused(tmp_path: Path, shared: Path, capfd: pytest.CaptureFixture[str], what: str) -> None:
    write, other = HARM[what]
    assert forge(shared, write, **other) == 3
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "other0")}
    made = other_machine(tmp_path, 0)
    assert bring_up_to_date(made) == (tmp_path / "first/crate/target/crategrad/default/program").read_bytes()
    assert [made.made(name).how for name in made.steps] == ["ran"] * 3  # type: ignore[union-attr]
    said = capfd.readouterr().err
    assert said.count("\n") == said.count("warning: the remote cache") == 1
    after = {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "other0")}
    assert {path for path in after - before if not path.is_relative_to(shared)} == set()
    assert list(tmp_path.rglob("harm")) == []
    assert list((made.store.store.root / "tmp").iterdir()) == []


def test_a_folder_full_of_half_written_files_is_no_trouble(tmp_path: Path, shared: Path) -> None:
    for path in list(shared.glob("*/*/*")):
        path.with_name(f".{path.name}.0a1b2c3d").write_bytes(path.read_bytes()[:50])
    made = other_machine(tmp_path, 0)
    bring_up_to_date(made)
    assert [made.made(name).how for name in made.steps] == ["fetched"] * 3  # type: ignore[union-attr]
    assert tree_digest(made.output("link")) == made.made("link").tree  # type: ignore[union-attr]
