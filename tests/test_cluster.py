"""`./doit matrix on=…`: what is refused, and a Dask scheduler with two workers, of which one is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pipeline.config import ConfigError
from pipeline.digests import Digests
from pipeline.request import read_request
from tests.machines import Machine, machine
from tests.workbench import ROOT, Workbench, doit

MATRIX = """\
axes:
  opt2.level: [1, 2]
cells:
  wrong: {profile: nowhere}
"""


@pytest.mark.parametrize("address", ["", "here", "http://localhost:1", "tcp://localhost", "tcp:// x:1", "tcp://a:b"])
def test_what_is_no_address_is_refused(address: str, digests: Digests) -> None:
    with pytest.raises(ConfigError, match=r"on=.*expected a Dask scheduler's address, as tcp://HOST:PORT"):
        read_request({"on": address}, digests)


def test_what_is_lacking_is_told(tmp_path: Path) -> None:
    away = {"CRATEGRAD_REMOTE": ""}
    without = doit("matrix", "on=tcp://127.0.0.1:1", environment=away)
    assert without.returncode == 1
    assert "CRATEGRAD_REMOTE names none" in without.stderr
    with_one = doit("matrix", "on=tcp://127.0.0.1:1", environment={"CRATEGRAD_REMOTE": tmp_path.as_uri()})
    assert with_one.returncode == 1
    assert "Dask is not installed here" in with_one.stderr or "there is no Dask scheduler" in with_one.stderr
    assert "Traceback" not in without.stderr + with_one.stderr


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what requirements-cluster.lock has, to be put on Python's path."""
    folder = tmp_path_factory.mktemp("dask")
    lock: list[str | Path] = ["--no-deps", "--require-hashes", "--only-binary=:all:", "-r", ROOT / "requirements-cluster.lock"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, *lock], check=True)
    return folder


@pytest.mark.full
@pytest.mark.toolchain
def test_a_worker_that_is_killed_loses_nothing(own_cache: Path, bench: Workbench, tmp_path: Path, dask: Path) -> None:
    """Three checkouts, a shared folder; the worker that compiles the crate is killed while it does."""
    (tmp_path / "shared").mkdir()
    environment = {"CRATEGRAD_REMOTE": (tmp_path / "shared").as_uri()}
    assert doit("cache", "push", environment={**environment, "CRATEGRAD_CACHE": str(own_cache)}).returncode == 0  # std
    client, *workers = [machine(tmp_path / name, bench.folder / "Cargo.lock", environment) for name in ("client", "one", "two")]
    for each in (client, *workers):
        (each.folder / "matrix.yaml").write_text(MATRIX)
    with (
        scheduler(tmp_path, dask) as address,
        worker(workers[0], address, dask) as one,
        worker(workers[1], address, dask) as two,
    ):
        running = {one.pid: one, two.pid: two}
        argv = [*as_doit(), "matrix", "--json", "crate=crates/bench", "matrix=matrix.yaml", f"on={address}"]
        shown = {**client.shown, **of_doit(client, dask)}
        with subprocess.Popen(argv, cwd=client.folder, env=shown, stdout=-1, stderr=-1, text=True) as asked:
            victim, task = wait_for(lambda: task_of(running, "until=crate_bitcode"), asked)
            time.sleep(2)  # cargo is at work
            running[victim].kill()
            wait_for(lambda: not Path(f"/proc/{task}").exists(), asked)
            out, err = asked.communicate()
    assert asked.returncode == 1, err
    cells = {cell["cell"]: cell for cell in json.loads(out)["cells"]}
    assert [name for name, cell in cells.items() if cell["failed"]] == ["wrong"]
    stages = [stage for name, cell in cells.items() if name != "wrong" for stage in cell["stages"]]
    ran = Counter(stage["key"] for stage in stages if stage["how"] == "ran")
    assert set(ran.values()) == {1}
    made = Counter(event.key for each in workers for event in each.records() if event.how == "ran")
    assert made == ran, "by the workers, and each once"
    assert not [event for event in client.records() if event.how == "ran"], "what is here came from there"
    for name in cells.keys() - {"wrong"}:
        assert subprocess.run([client.folder / cells[name]["product"]], check=False).returncode == 0


@contextmanager
def scheduler(folder: Path, dask: Path) -> Iterator[str]:
    """A scheduler on a port that is free; its address."""
    file = folder / "scheduler.json"
    options = ["--host=127.0.0.1", "--port=0", "--no-dashboard", f"--scheduler-file={file}"]
    argv = [sys.executable, "-m", "distributed.cli.dask_scheduler", *options]
    with subprocess.Popen(argv, cwd=folder, env={**os.environ, "PYTHONPATH": str(dask)}, stderr=subprocess.DEVNULL) as started:
        try:
            yield wait_for(lambda: file.exists() and file.read_text() and json.loads(file.read_text())["address"], started)
        finally:
            started.terminate()


@contextmanager
def worker(at: Machine, address: str, dask: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker with one thread, in a machine's checkout."""
    argv = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads=1", "--no-nanny", "--no-dashboard"]
    environment = {**at.shown, "PYTHONPATH": str(dask)}
    with subprocess.Popen(argv, cwd=at.folder, env=environment, stderr=subprocess.DEVNULL) as started:
        try:
            yield started
        finally:
            started.send_signal(signal.SIGTERM)


def as_doit() -> list[str]:
    """What `./doit` becomes; it takes PYTHONPATH out, by which Dask is found here."""
    return [sys.executable, "-c", "import sys; sys.argv[0] = 'doit'; from doit.__main__ import main; main()"]


def of_doit(at: Machine, dask: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(dask), "DOIT_FILE": str(at.folder / "dodo.py"), "CRATEGRAD_CWD": str(at.folder)}


def task_of(workers: dict[int, subprocess.Popen[bytes]], word: str) -> tuple[int, int] | None:
    """The worker of these that has started a `./doit` with this word, and what it has started."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if parent in workers and word in words:
            return parent, int(folder.name)
    return None


def wait_for(found: Callable[[], Any], process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> Any:
    """What there is before long, while a process runs."""
    for _ in range(6000):
        assert process.poll() is None, process.communicate()
        if now := found():
            return now
        time.sleep(0.02)
    raise AssertionError("it did not come")
