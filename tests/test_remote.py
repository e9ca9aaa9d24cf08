"""The remote cache: what one machine made another takes, from a folder or a real nginx; and secrets stay where they are."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import cache_commands, remote
from pipeline.build import Build
from pipeline.config import ConfigError
from pipeline.errors import UserError
from pipeline.remote import Remote, pack
from pipeline.remote.action_result import ActionResult
from pipeline.remote.folder import Folder
from pipeline.remote.http import Http
from pipeline.store import Store
from tests.faults.scene import bring_up_to_date, build, right, torn
from tests.nginx import PASSWORD, Nginx, serving
from tests.workbench import Workbench

MADE = ["opt1", "codegen", "link"]


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    with serving(tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(params=["folder", "nginx", "nginx by a token"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """What leads to a remote cache; that of nginx has what earlier tests have put there."""
    if request.param != "folder":
        server: Nginx = request.getfixturevalue("nginx")
        return server.environment() if request.param == "nginx" else server.environment_with_token()
    (tmp_path / "shared").mkdir()
    return {"CRATEGRAD_REMOTE": f"file://{tmp_path}/shared"}


def machine(tmp_path: Path, name: str, environment: dict[str, str], seed: int = 1) -> Build:
    """A build on a machine of its own, which shares nothing with others but the remote cache."""
    return build(tmp_path / name, tmp_path / name / "cache", seed, remote=remote.take_from(dict(environment)))


def how(made: Build) -> list[str]:
    return [made.made(name).how for name in made.steps]  # type: ignore[union-attr]


def test_what_one_machine_made_another_takes(tmp_path: Path, environment: dict[str, str]) -> None:
    seed = os.getpid()
    here, there = (machine(tmp_path, name, environment, seed) for name in ("here", "there"))
    assert bring_up_to_date(here) == bring_up_to_date(there) == right(tmp_path, seed)
    assert how(here) == ["ran"] * 3
    assert how(there) == ["fetched"] * 3
    assert not (tmp_path / "there" / "ran").exists()
    assert there.store.log(there.made("link").key) == b"made\n"  # type: ignore[union-attr]
    assert list(torn(tmp_path / "there" / "cache")) == []
    assert list((tmp_path / "there" / "cache" / "tmp").iterdir()) == []


def test_it_is_asked_only_for_what_is_not_here(tmp_path: Path, nginx: Nginx) -> None:
    made = machine(tmp_path, "here", nginx.environment(), seed=3)
    bring_up_to_date(made)
    before = nginx.log
    made.product.unlink()
    bring_up_to_date(machine(tmp_path, "here", nginx.environment(), seed=3))
    assert nginx.log == before


def test_who_may_only_read_sends_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    seed = os.getpid() + 1
    bring_up_to_date(machine(tmp_path, "reader", environment | {"CRATEGRAD_REMOTE_READONLY": "1"}, seed))
    other = machine(tmp_path, "other", environment, seed)
    bring_up_to_date(other)
    assert how(other) == ["ran"] * 3


def test_with_a_secret_only_what_is_signed_with_it_is_taken(tmp_path: Path, environment: dict[str, str]) -> None:
    seed = os.getpid() + 2
    bring_up_to_date(machine(tmp_path, "one", environment | {"CRATEGRAD_REMOTE_SECRET": "one"}, seed))
    for name, expected in {"one": "fetched", "two": "ran"}.items():
        again = machine(tmp_path, f"again {name}", environment | {"CRATEGRAD_REMOTE_SECRET": name}, seed)
        assert bring_up_to_date(again) == right(tmp_path, seed)
        assert how(again) == [expected] * 3
    bring_up_to_date(machine(tmp_path, "unsigned", environment, seed + 1))
    wary = machine(tmp_path, "wary", environment | {"CRATEGRAD_REMOTE_SECRET": "one"}, seed + 1)
    bring_up_to_date(wary)
    assert how(wary) == ["ran"] * 3


TROUBLE = {
    "a wrong password": ({"CRATEGRAD_REMOTE_AUTH": "builder:wrong-one"}, "answered with 401"),
    "no password": ({"CRATEGRAD_REMOTE_AUTH": ""}, "answered with 401"),
    "a token that is none": ({"CRATEGRAD_REMOTE_TOKEN": "wrong-one"}, "answered with 401"),
    "an authority that is not known": ({"CRATEGRAD_REMOTE_CA": ""}, "its certificate is refused"),
    "no file of an authority": ({"CRATEGRAD_REMOTE_CA": "/nowhere"}, "warning"),
    "nobody there": ({"CRATEGRAD_REMOTE": "https://localhost:1/"}, "it cannot be reached"),
    "no such folder": ({"CRATEGRAD_REMOTE": "file:///nowhere"}, "there is no such folder"),
    "a folder that is none": ({"CRATEGRAD_REMOTE": "file:///dev/null"}, "there is no such folder"),
}


@pytest.mark.parametrize("what", TROUBLE)
def test_trouble_with_it_is_one_warning(tmp_path: Path, nginx: Nginx, capfd: pytest.CaptureFixture[str], what: str) -> None:
    changed, words = TROUBLE[what]
    assert bring_up_to_date(machine(tmp_path, "here", nginx.environment() | changed)) == right(tmp_path)
    said = capfd.readouterr().err
    assert said.count("\n") == said.count("warning: the remote cache") == 1
    assert words in said
    assert PASSWORD not in said
    assert "wrong-one" not in said


def test_push_and_pull(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = os.getpid() + 4
    made = machine(tmp_path, "here", {}, seed)
    bring_up_to_date(made)
    there = remote.take_from(dict(environment))
    monkeypatch.setattr(remote, "of_this_run", lambda: there)
    cache_commands.run(["push"], made.store.store, lambda: made)
    cache_commands.run(["push"], made.store.store, lambda: made)
    other = machine(tmp_path, "there", environment, seed)
    cache_commands.run(["pull"], other.store.store, lambda: other)
    assert other.product.read_bytes() == made.product.read_bytes()
    assert how(other) == ["fetched"] * 3
    shutil.rmtree(other.store.store.root)  # what shows the outputs stays beside the crate
    other = machine(tmp_path, "there", environment, seed)
    cache_commands.run(["pull"], other.store.store, lambda: other)
    further = machine(tmp_path, "further", environment, seed + 100)
    cache_commands.run(["pull"], further.store.store, lambda: further)
    assert capsys.readouterr().out.splitlines() == [
        "3 of 3 entries were sent; the others are there already",
        "0 of 3 entries were sent; the others are there already",
        *["3 stages were fetched"] * 2,
        "0 stages were fetched; to be made here: opt1, codegen, link",
    ]
    made.store.store.in_use.release()


def test_push_without_a_remote_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "of_this_run", lambda: None)
    with pytest.raises(UserError, match="CRATEGRAD_REMOTE"):
        cache_commands.run(["push"], Store(tmp_path), lambda: machine(tmp_path, "here", {}))


# ---- What the environment says


def test_secrets_are_taken_out_of_the_environment() -> None:
    secrets = {f"CRATEGRAD_REMOTE_{name}": "x:y" for name in ("AUTH", "TOKEN", "SECRET")}
    environment = {"CRATEGRAD_REMOTE": "https://host/path/", "PATH": "/bin", **secrets}
    there = remote.take_from(environment)
    assert environment == {"CRATEGRAD_REMOTE": "https://host/path/", "PATH": "/bin"}
    assert there is not None
    assert not there.read_only
    assert "x:y" not in str(vars(there)["_transport"].name)


def test_offline_there_is_none_but_a_folder() -> None:
    for address, there in {"https://host/": False, "file:///folder": True}.items():
        assert bool(remote.take_from({"CRATEGRAD_REMOTE": address, "CRATEGRAD_OFFLINE": "1"})) == there


@pytest.mark.parametrize(
    "address",
    [
        "host",
        "ftp://host/x",
        "https://",
        "https://host:port/",
        "file://host/x",
        "file:x",
        "https://host/?x",
        "\n",
        "http://[",
        "http://a\nb",
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match=r"no address of a cache\n.*file:///a/folder"):
        remote.take_from({"CRATEGRAD_REMOTE": address})


@pytest.mark.parametrize("rest", ["@host/", "@host:99999/", "/5@host/", "\n@host/", "@[", "@"])
def test_a_password_in_the_address_is_refused_and_not_repeated(rest: str) -> None:
    with pytest.raises(ConfigError) as refused:
        remote.take_from({"CRATEGRAD_REMOTE": f"https://me:hunter2{rest}"})
    assert rest != "@host/" or "CRATEGRAD_REMOTE_AUTH" in refused.value.message
    assert "hunter2" not in refused.value.message


# ---- What is sent


def test_a_pack_is_the_same_for_the_same_tree_and_any_tool_opens_it(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / "deep").mkdir(parents=True)
        for file, content in {"z": b"", "deep/a": b"x" * 100_000, "ä b": b"1"}.items():
            (tmp_path / name / file).write_bytes(content)
        (tmp_path / name / "z").chmod(0o755)
        pack.pack(tmp_path / name, b"log\n", tmp_path / f"{name}.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as packed:
        assert packed.namelist() == ["log", "tree/deep/a", "tree/z", "tree/ä b"]
    (tmp_path / "out").mkdir()
    assert pack.unpack(tmp_path / "one.zip", tmp_path / "out", 100_001) == b"log\n"
    for path in (tmp_path / "one").rglob("*"):
        if path.is_file():
            copy = tmp_path / "out" / path.relative_to(tmp_path / "one")
            assert (copy.read_bytes(), copy.stat().st_mode) == (path.read_bytes(), path.stat().st_mode)


def test_an_action_result_is_written_as_protocol_buffers_are() -> None:
    """By hand, after the encoding's description: field numbers and kinds, lengths, numbers of seven bits."""
    written = ActionResult("f", "ab", 300, b"out").encode()
    assert written == b"\x12\x0c\x0a\x01f\x12\x07\x0a\x02ab\x10\xac\x02" + b"\x2a\x03out"
    more = b"\x20\x05" + written + b"\x4a\x00"  # exit_code, execution_metadata: of other writers
    assert ActionResult.decode(more) == ActionResult("f", "ab", 300, b"out")


@given(st.builds(ActionResult, st.text(), st.text(), st.integers(0, 2**63 - 1), st.binary()))
def test_an_action_result_is_read_as_it_was_written(result: ActionResult) -> None:
    assert ActionResult.decode(result.encode()) == result


@given(st.binary(max_size=60))
def test_whatever_is_no_action_result_is_a_value_error(message: bytes) -> None:
    try:
        ActionResult.decode(message)
    except ValueError:
        return


def test_transports_are_imported_only_when_they_are_wanted() -> None:
    assert isinstance(Remote(Folder(Path("/"))), Remote)
    assert "_pool" not in vars(Http("https://localhost"))


# ---- For real


@pytest.mark.toolchain
def test_a_fresh_checkout_builds_nothing_that_nginx_has(
    bench: Workbench, nginx: Nginx, own_cache: Path, tmp_path: Path
) -> None:
    bench.environment |= nginx.environment()
    here = bench.copy(tmp_path / "here")  # as cargo left files of other tests' where they were
    here.build("opt2.level=1")
    pushed = here.doit("cache", "push")  # build_std was in the cache before there was a remote one
    assert "1 of 9 entries were sent" in pushed.stdout, pushed.stderr
    there = bench.copy(tmp_path / "there")
    there.environment = bench.environment | {"CRATEGRAD_CACHE": str(tmp_path / "other cache")}
    built = there.build("opt2.level=1")
    assert built.ran == []
    assert {"fetched"} == set(built.stages.values())
    assert (there.output() / "bench").read_bytes() == (here.output() / "bench").read_bytes()
    everything = "".join(path.read_text(errors="replace") for path in (tmp_path / "there/target/crategrad").rglob("*.log"))
    assert PASSWORD not in everything + built.stdout + built.stderr
    assert own_cache.is_dir()
