"""The same sources give the same keys and the same bytes: wherever, whoever, whenever, and on how many processors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.stages import NAMES
from tests.workbench import ROOT, Workbench

pytestmark = pytest.mark.toolchain

NOBODY = 65534

OTHERS = {
    "PATH": "/usr/bin:/bin:/usr/sbin",
    "USER": "somebody",
    "TZ": "Pacific/Kiritimati",
    "LANG": "tr_TR.ISO-8859-9",
    "LC_ALL": "tr_TR.ISO-8859-9",
    "COLUMNS": "40",
    "PYTHONHASHSEED": "7",
    "CARGO_BUILD_JOBS": "1",
    "SOURCE_DATE_EPOCH": "7",
    "CRATEGRAD_SKIP_PACKAGES": "1",
}
"""The whole environment, but for where the user lives and how cargo reaches the registry."""


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that others may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="somewhere else ") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_another_user_elsewhere_in_another_zone_makes_the_same(bench: Workbench, own_cache: Path, elsewhere: Path) -> None:
    """Folder, user, home, host, zone, locale, umask, order of sets, processors, a terminal's width: all others at once."""
    there = bench.copy(elsewhere / "ein Ordner")
    cache, home = elsewhere / "cache", elsewhere / "home"
    shutil.copytree(own_cache, cache)  # nothing but std is in it
    bench.build()
    shutil.copytree(cargo_home() / "registry", home / ".cargo/registry", ignore=shutil.ignore_patterns("src"))
    command = ["sh", "-c", 'umask 077; exec "$@"', "sh", "taskset", "1", *as_somebody_else(elsewhere)]
    finished = subprocess.run(
        [*command, ROOT / "doit", "build", f"crate={there.folder}"],
        env=fetching() | OTHERS | {"HOME": str(home), "CRATEGRAD_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    ran = [name for name in NAMES if how(there, name) == "ran"]
    assert ran == list(NAMES[1:]), "nothing but std was there"
    assert {name: made(there, name) for name in NAMES} == {name: made(bench, name) for name in NAMES}
    product = (there.output() / "bench").read_bytes()
    assert product == (bench.output() / "bench").read_bytes()
    assert str(elsewhere).encode() not in product
    if os.getuid() == 0:
        assert (there.output() / "bench").stat().st_uid == NOBODY


def as_somebody_else(folder: Path) -> list[str]:
    """How a command is started by another user, who may write in the folder, on a host of another name; only root can."""
    if os.getuid() != 0:
        return []
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        os.chown(path, NOBODY, NOBODY)
    renamed = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "sh"]
    can_rename = subprocess.run([*renamed, "true"], capture_output=True, check=False).returncode == 0
    start = [*(renamed if can_rename else []), "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if subprocess.run([*start, "test", "-r", ROOT / "doit"], check=False).returncode != 0:
        pytest.skip(f"user {NOBODY} may not read {ROOT}")
    return start


def fetching() -> dict[str, str]:
    """What cargo needs to reach its registry from here."""
    needed = ("CARGO_HTTP", "CARGO_NET", "SSL_CERT", "http", "HTTP")
    return {name: value for name, value in os.environ.items() if name.startswith(needed)}


def cargo_home() -> Path:
    return Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")


def made(bench: Workbench, stage: str) -> tuple[str, str]:
    """The key and the tree of what a stage has made."""
    handle = handle_of(bench, stage)
    return handle["key"], handle["tree"]


def how(bench: Workbench, stage: str) -> str:
    return handle_of(bench, stage)["how"]


def handle_of(bench: Workbench, stage: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(next((bench.output() / "stages").glob(f"*-{stage}.json")).read_text())
    return found
