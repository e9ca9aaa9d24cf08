"""What the command line asks for: which crate, which config, which keys; and what is none of these."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pipeline import config, request
from pipeline.config import ConfigError
from pipeline.digests import Digests
from pipeline.request import Request
from pipeline.targets import Choice


def read_request(variables: Mapping[str, str]) -> Request:
    """The request, with nothing remembered of another."""
    return request.read_request(variables, Digests(Path(os.devnull)))


@pytest.fixture(autouse=True)
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder; doit itself is in another."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("CRATEGRAD_CWD", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def refusal() -> Callable[..., str]:
    def message(**variables: str) -> str:
        with pytest.raises(ConfigError) as error:
            read_request({name.replace("__", "."): value for name, value in variables.items()})
        return error.value.message

    return message


# ---- The points of gradcheck


def test_points() -> None:
    assert read_request({}).points == request.Points(count=3, seed=1, length=4)
    assert read_request({"n": "7", "seed": "0", "length": "12"}).points == request.Points(count=7, seed=0, length=12)
    assert [read_request({"levels": said}).points.levels for said in ("3,1,1", "")] == [(1, 3), ()]


@pytest.mark.parametrize(("name", "value"), [("n", "0"), ("length", "-1"), ("seed", "x"), ("n", "٣"), ("seed", str(2**32))])
def test_points_are_whole_numbers(refusal: Callable[..., str], name: str, value: str) -> None:
    assert f"command line: {name}={value}: expected a whole number from" in refusal(**{name: value})


@pytest.mark.parametrize("value", ["4", "-1", "0;1", "0,", "x"])
def test_levels_are_those_of_opt(refusal: Callable[..., str], value: str) -> None:
    assert f"command line: levels={value}: expected some of 0, 1, 2, 3" in refusal(levels=value)


# ---- The crate


@pytest.mark.parametrize(
    ("crate", "folder"),
    [
        ("demo", "user/demo"),
        ("./demo/", "user/demo"),
        ("../demo", "demo"),
        (".", "user"),
        ("{root}/demo", "demo"),
        ("~/demo", "home/demo"),
        ("two words", "user/two words"),
    ],
)
def test_crate_is_relative_to_where_the_user_started(tmp_path: Path, crate: str, folder: str) -> None:
    assert read_request({"crate": crate.format(root=tmp_path)}).folder == tmp_path / folder


def test_where_doit_was_started_counts_where_nobody_says_better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRATEGRAD_CWD")
    assert read_request({"crate": "demo"}).folder == tmp_path / "demo"


def test_crate_of_nobody_is_the_users_to_mend(refusal: Callable[..., str]) -> None:
    assert "~nobody-of-this-name" in refusal(crate="~nobody-of-this-name/demo")


def test_without_a_crate_the_example_is_built() -> None:
    assert read_request({}).folder == request.EXAMPLE
    assert (request.EXAMPLE / "Cargo.toml").is_file()


# ---- What of it

ARTIFACTS: dict[str, Choice] = {
    "": Choice(),
    "bin=tool": Choice(kind="bin", name="tool"),
    "example=show package=demo": Choice(kind="example", name="show", package="demo"),
    "test=whole": Choice(kind="test", name="whole"),
    "bench=speed": Choice(kind="bench", name="speed"),
    "lib=1": Choice(kind="lib"),
    "lib=0": Choice(),
    "lib=1 crate-type=staticlib": Choice(kind="lib", crate_type="staticlib"),
    "lib=1 tests=1": Choice(kind="lib", unit_tests=True),
    "bin=tool tests=1": Choice(kind="bin", name="tool", unit_tests=True),
    "features=b,a": Choice(flags=("--features=a,b",)),
    "features=a;b all-features=1": Choice(flags=("--features=a,b", "--all-features")),
    "features= no-default-features=1 locked=1": Choice(flags=("--no-default-features", "--locked")),
}


@pytest.mark.parametrize("words", ARTIFACTS)
def test_choices_are_called_as_cargo_calls_them(words: str) -> None:
    variables = dict(word.replace(";", " ").split("=", 1) for word in words.split())
    assert read_request(variables).choice == ARTIFACTS[words]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bin=a test=b", "bin=a and test=b: a build makes one artifact"),
        ("bin=", "bin=: which one?"),
        ("lib=yes", "lib=yes: expected 1 or 0"),
        ("all-features=", "all-features=: expected 1 or 0"),
        ("tests=1", "tests=1: whose unit tests are meant?"),
        ("test=a tests=1", "tests=1: whose unit tests are meant?"),
        ("crate-type=cdylib", "crate-type=cdylib: expected cdylib or staticlib, of lib=1"),
        ("lib=1 crate-type=rlib", "crate-type=rlib: expected cdylib or staticlib, of lib=1"),
        ("lib=1 tests=1 crate-type=cdylib", "crate-type=cdylib: expected"),
        ("exmaple=x", "did you mean `example`?"),
        ("feature=x", "did you mean `features`?"),
    ],
)
def test_choice_that_is_none_is_refused(words: str, said: str) -> None:
    with pytest.raises(ConfigError, match="command line: ") as error:
        read_request(dict(word.split("=", 1) for word in words.split()))
    assert said in error.value.message
    assert error.value.exit_code == 3


def test_arguments_of_the_program_are_none_of_doits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert request.arguments() == []
    monkeypatch.setenv("CRATEGRAD_ARGUMENTS", '["--release", "a=b", ""]')
    assert request.arguments() == ["--release", "a=b", ""]


# ---- The config


def test_without_a_config_the_default_is_taken() -> None:
    assert read_request({}).config == config.load("default")


def test_config_by_name() -> None:
    assert read_request({"config": "fat-lto"}).config == config.load("fat-lto")


def test_config_by_path_is_relative_to_where_the_user_started(started: Path) -> None:
    (started / "mine.yaml").write_text("extends: default\nopt2:\n  level: 1\n")
    found = read_request({"config": "mine.yaml"}).config
    assert (found.name, found.opt2.level) == ("mine", 1)


def test_overrides_reach_the_config() -> None:
    overrides = {"opt2.level": "1", "codegen.cpu": "skylake", "enzyme.flags.enzyme-print-perf": "true"}
    found = read_request({"config": "fat-lto", **overrides}).config
    assert found == config.load("fat-lto", overrides)
    assert (found.opt2.level, found.codegen.cpu, found.enzyme.flags) == (1, "skylake", {"enzyme-print-perf": True})


def test_crate_and_config_are_no_overrides(started: Path) -> None:
    assert read_request({"crate": ".", "config": "default"}).config == config.load("default")


# ---- What is wrong


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("crat", "crate"),
        ("confg", "config"),
        ("opt2__levl", "opt2.level"),
        ("strateg", "strategy"),
        ("enzyme__fast_maths", "enzyme.fast_math"),
    ],
)
def test_variable_that_is_none_is_refused_with_the_nearest(refusal: Callable[..., str], name: str, near: str) -> None:
    message = refusal(**{name: "x"})
    assert f"{name.replace('__', '.')}=x" in message
    assert f"did you mean `{near}`?" in message


def test_variable_that_is_near_to_none_is_refused_with_what_there_is(refusal: Callable[..., str]) -> None:
    message = refusal(zzzzzz="x")
    assert "zzzzzz=x" in message
    assert "did you mean" not in message
    assert all(word in message for word in ("crate", "config", "keys"))


def test_value_that_is_wrong_is_refused(refusal: Callable[..., str]) -> None:
    assert "opt2.level=7" in refusal(opt2__level="7")


def test_wrong_variable_is_told_before_a_wrong_config(refusal: Callable[..., str]) -> None:
    assert "crat=x" in refusal(crat="x", config="none")


def test_errors_of_a_request_have_the_exit_code_of_configs() -> None:
    with pytest.raises(ConfigError) as error:
        read_request({"zzzzzz": "x"})
    assert error.value.exit_code == 3


# ---- The environment


@pytest.mark.parametrize(("value", "offline"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_offline(monkeypatch: pytest.MonkeyPatch, value: str | None, offline: bool) -> None:
    monkeypatch.delenv("CRATEGRAD_OFFLINE", raising=False)
    if value is not None:
        monkeypatch.setenv("CRATEGRAD_OFFLINE", value)
    assert request.offline() == offline


@pytest.mark.parametrize("unset", [None, ""])
def test_cache_is_in_the_checkout_unless_it_is_elsewhere(monkeypatch: pytest.MonkeyPatch, unset: str | None) -> None:
    monkeypatch.setenv("CRATEGRAD_CACHE", "/elsewhere")
    assert request.cache_folder() == Path("/elsewhere")
    monkeypatch.delenv("CRATEGRAD_CACHE") if unset is None else monkeypatch.setenv("CRATEGRAD_CACHE", unset)
    assert request.cache_folder() == request.ROOT / "cache"


def test_paths_are_shown_as_the_user_would_write_them(started: Path, tmp_path: Path) -> None:
    assert request.shown(started / "demo/target/x") == "demo/target/x"
    assert request.shown(tmp_path / "elsewhere") == str(tmp_path / "elsewhere")


def test_config_is_remembered_until_a_file_of_it_changes(started: Path, tmp_path: Path) -> None:
    (started / "base.yaml").write_text("extends: default\nopt1:\n  level: 1\n")
    (started / "mine.yaml").write_text("extends: base.yaml\n")
    os.utime(started / "base.yaml", (1, 1))
    time.sleep(0.05)

    def level() -> int:
        digests = Digests(tmp_path / "digests.json")
        found = request.read_request({"config": "mine.yaml"}, digests).config.opt1.level
        digests.save()
        return found

    assert [level(), level()] == [1, 1]
    assert "mine.yaml" in (tmp_path / "digests.json").read_text()
    (started / "base.yaml").write_text("extends: default\nopt1:\n  level: 3\n")
    assert level() == 3
