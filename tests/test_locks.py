"""Locks between processes: who waits for one says so."""

from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest

from pipeline.locks import Lock


@pytest.mark.parametrize(("quiet", "said"), [("", "   waiting for it\n"), ("true", "")])
def test_who_waits_says_so_unless_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: str, said: str
) -> None:
    monkeypatch.setenv("CARGO_TERM_QUIET", quiet)
    first, second = (Lock(tmp_path / "lock") for _ in range(2))
    assert first.take(waiting="nobody waits here")
    assert not second.take(patient=False)
    release = Timer(0.2, first.release)
    release.start()
    assert second.take(waiting="waiting for it")
    release.join()
    second.release()
    assert capsys.readouterr() == ("", said)
