"""The disk is full in the middle of build_std, for real: the cache and the crate's target folder are small file systems."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.workbench import ROOT, Workbench

NAMESPACE = ("unshare", "--map-root-user", "--mount")
SMALL = 'mount -t tmpfs -o size=40m tmpfs "$1" && mount -t tmpfs -o size=40m tmpfs "$2"'
STORES = ("$1", "$2/crategrad/.cache")
LEFT = " -o ".join(
    ['find "$1" "$2" -name "*.entry"', *(f'-path "{store}/{part}/*"' for store in STORES for part in ("tmp", "trees"))]
)


@pytest.mark.toolchain
@pytest.mark.full
def test_a_disk_that_is_full_while_std_is_built_leaves_nothing(bench: Workbench, tmp_path: Path) -> None:
    crate = bench.copy(tmp_path / "crate")
    cache, target = tmp_path / "cache", crate.folder / "target"
    cache.mkdir()
    target.mkdir()

    def on_small_disks(script: str, *more: Path) -> subprocess.CompletedProcess[str]:
        argv: list[str | Path] = [
            *NAMESPACE,
            "env",
            f"CRATEGRAD_CACHE={cache}",
            "sh",
            "-c",
            f"{SMALL} && {script}",
            "sh",
            cache,
            target,
            *more,
        ]
        return subprocess.run(argv, capture_output=True, text=True, check=False)

    if on_small_disks("true").returncode != 0:
        pytest.skip("nobody may mount a file system here")
    ended = on_small_disks(f'"$3" build crate="$4"; echo "ended with $?"; {LEFT}', ROOT / "doit", crate.folder)
    assert ended.stdout == "ended with 1\n", ended.stderr
    assert ended.stderr.count(f"warning: the cache cannot be used (No space left on device: {cache})") == 1
    assert "Traceback" not in ended.stderr
    assert "No space left on device" in ended.stderr.splitlines()[-1]
    crate.build()  # there is room again
    assert subprocess.run([crate.output() / "bench"], check=False).returncode == 0
