"""F9, F13: of a stage that fails, ends well with nothing made, or is interrupted, nothing is published."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.key import location
from tests.faults.scene import bring_up_to_date, build


@dataclass(frozen=True)
class Doing:
    """A stage that does anything."""

    what: Callable[[Path], None] = location()

    def run(self, _inputs: Mapping[str, Path], out: Path, _log: Path) -> None:
        self.what(out)


def nothing(_out: Path) -> None:
    """Ends well."""


def only_a_folder(out: Path) -> None:
    (out / "bitcode").mkdir()


def an_empty_module(out: Path) -> None:
    (out / "module.bc").touch()
    (out / "more.json").write_text("[]")


def a_part(out: Path) -> None:
    (out / "module.bc").write_text("a half")
    raise UserError("error: no")


def a_surprise(out: Path) -> None:
    (out / "module.bc").write_text("a half")
    raise SystemExit(130)


def doing(tmp_path: Path, what: Callable[[Path], None]) -> Build:
    made = build(tmp_path, tmp_path / "cache")
    made.steps["opt1"] = dataclasses.replace(made.steps["opt1"], stage=Doing(what))
    return made


@pytest.mark.parametrize("what", [nothing, only_a_folder, an_empty_module, a_part, a_surprise])
def test_nothing_is_published(tmp_path: Path, what: Callable[[Path], None]) -> None:
    made = doing(tmp_path, what)
    with pytest.raises((UserError, SystemExit)):
        bring_up_to_date(made)
    assert made.store.store.all_keys() == made.store.store.all_trees() == []
    assert list((tmp_path / "cache" / "tmp").iterdir()) == []
    assert made.made("opt1") is None


@pytest.mark.parametrize(
    ("what", "words"), [(nothing, "nothing"), (only_a_folder, "nothing"), (an_empty_module, "an empty module.bc")]
)
def test_it_is_said_what_is_missing(tmp_path: Path, what: Callable[[Path], None], words: str) -> None:
    with pytest.raises(UserError, match=f"the tools of opt1 ended well, but left {words}"):
        bring_up_to_date(doing(tmp_path, what))


def test_where_the_disk_of_the_cache_is_full_the_stage_runs_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    full = {tmp_path / "cache"}
    real = shutil.disk_usage

    def of(path: Path) -> SimpleNamespace:
        return SimpleNamespace(free=0 if path in full else real(path).free)

    def where_there_is_room(out: Path) -> None:
        if any(out.is_relative_to(folder) for folder in full):
            raise UserError("error: opt failed: No space left on device")
        (out / "module.bc").write_text("a module")

    monkeypatch.setattr(shutil, "disk_usage", of)
    bring_up_to_date(doing(tmp_path, where_there_is_room))
    assert capfd.readouterr().err.count("warning: the cache cannot be used (No space left on device") == 1
    full.add(tmp_path / "other/target/crategrad/.cache")
    made = build(tmp_path, tmp_path / "cache", seed=2, crate="other")
    made.steps["opt1"] = dataclasses.replace(made.steps["opt1"], stage=Doing(where_there_is_room))
    with pytest.raises(OSError, match="No space left on device"):
        bring_up_to_date(made)
