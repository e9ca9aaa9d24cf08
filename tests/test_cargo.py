"""Cargo's environment: what is ours is set, what is the user's own way of building does not get in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import cargo, link_recorder, rustc_wrapper
from pipeline.toolchain import Rust

UNWANTED = {
    "RUSTFLAGS": "-g",
    "CARGO_BUILD_RUSTFLAGS": "-g",
    "CARGO_BUILD_TARGET": "wasm32-unknown-unknown",
    "CARGO_BUILD_TARGET_DIR": "/mine",
    "CARGO_BUILD_RUSTC": "/mine",
    "CARGO_BUILD_RUSTC_WRAPPER": "sccache",
    "CARGO_TARGET_DIR": "/mine",
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER": "mold",
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS": "-g",
    "CARGO_PROFILE_RELEASE_LTO": "fat",
    "CARGO_UNSTABLE_BUILD_STD": "std",
    "RUSTUP_TOOLCHAIN": "nightly",
    "RUSTC_BOOTSTRAP": "1",
    "RUSTC_LOG": "debug",
    "RUST_TARGET_PATH": "/mine",
    "LD_PRELOAD": "",
    "MAKEFLAGS": "-j9",
    "HOMEBREW": "1",
}

OURS = {
    "RUSTC": "/mine",
    "RUSTC_WRAPPER": "sccache",
    "RUSTC_WORKSPACE_WRAPPER": "sccache",
    "CARGO_ENCODED_RUSTFLAGS": "-g",
    "CARGO_INCREMENTAL": "1",
}

PASSED = {
    "HOME": "/home/user",
    "TMPDIR": "/scratch",
    "CARGO_HOME": "/home/user/cargo",
    "CARGO_NET_GIT_FETCH_WITH_CLI": "true",
    "CARGO_HTTP_PROXY": "proxy",
    "CARGO_REGISTRIES_OURS_TOKEN": "token",
    "CARGO_REGISTRY_DEFAULT": "ours",
    "SSL_CERT_FILE": "/certificates",
    "https_proxy": "proxy",
}


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    return tmp_path / "two words" / "hooks"


def set_all(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


# ---- The environment


def test_users_own_way_of_building_does_not_get_in(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, UNWANTED)
    assert UNWANTED.keys() & cargo.environment(rust, [], hooks, {}) == set()


def test_what_is_ours_is_ours_whatever_the_user_has_set(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, OURS)
    environment = cargo.environment(rust, ["-Ca=b c", "-Cd"], hooks, {})
    assert {name: environment[name] for name in OURS} == {
        "RUSTC": str(rust.rustc.path),
        "RUSTC_WRAPPER": str(hooks / "rustc-wrapper"),
        "RUSTC_WORKSPACE_WRAPPER": "/usr/bin/env",
        "CARGO_ENCODED_RUSTFLAGS": "-Ca=b c\x1f-Cd",
        "CARGO_INCREMENTAL": "0",
    }


def test_what_cargo_needs_to_fetch_is_passed_on(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_all(monkeypatch, PASSED)
    environment = cargo.environment(rust, [], hooks, {})
    assert {name: environment.get(name) for name in PASSED} == PASSED


def test_toolchain_comes_first_in_the_path_and_only_once(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = str(rust.rustc.path.parent)
    monkeypatch.setenv("PATH", f"/mine:{binaries}:/usr/bin")
    assert cargo.environment(rust, [], hooks, {})["PATH"] == f"{binaries}:/mine:/usr/bin"


def test_without_a_flag_there_are_no_flags(rust: Rust, hooks: Path) -> None:
    assert cargo.environment(rust, [], hooks, {})["CARGO_ENCODED_RUSTFLAGS"] == ""


@pytest.mark.parametrize("asked", ["always", "never"])
def test_colour_is_the_users_choice(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setenv("CARGO_TERM_COLOR", asked)
    assert cargo.environment(rust, [], hooks, {})["CARGO_TERM_COLOR"] == asked


# ---- What build scripts go by


def test_compilers_of_build_scripts_are_the_users(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CXX", "AR", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    set_all(monkeypatch, UNWANTED | {"CC": "clang", "CFLAGS": "-O1"})
    building = cargo.building_environment()
    assert building == {"CC": "clang", "CFLAGS": "-O1"}
    assert cargo.environment(rust, [], hooks, building)["CC"] == "clang"


def test_what_the_sources_ask_for_is_the_users_but_for_what_others_go_by(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"SCALE": "2", "PATH": "/x", "HOME": "/x", "CARGO_BUILD_JOBS": "1", "RUSTFLAGS": "-g", "https_proxy": "x"}
    set_all(monkeypatch, asked)
    monkeypatch.delenv("SHIFT", raising=False)
    assert cargo.building_environment([*asked, "SHIFT"]).items() - cargo.building_environment().items() == {("SCALE", "2")}


def test_compilers_get_in_only_by_way_of_the_key(rust: Rust, hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is passed on without being in the stage's `environment` field would not be in its key."""
    set_all(monkeypatch, {"CC": "clang", "CFLAGS": "-O1"})
    assert {"CC", "CFLAGS"} & cargo.environment(rust, [], hooks, {}).keys() == set()


# ---- The launchers


def test_launcher_is_written_once(rust: Rust, hooks: Path) -> None:
    """Cargo builds everything again when the time of its wrapper changes."""
    launchers = {cargo.linker(hooks), Path(cargo.environment(rust, [], hooks, {})["RUSTC_WRAPPER"])}
    for launcher in launchers:
        os.utime(launcher, ns=(1, 1))
    cargo.linker(hooks)
    cargo.environment(rust, [], hooks, {})
    assert {launcher.stat().st_mtime_ns for launcher in launchers} == {1}
    assert set(hooks.iterdir()) == launchers


def test_launcher_is_written_again_for_another_python(hooks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cargo.linker(hooks).read_text()
    monkeypatch.setattr(sys, "executable", "/another/python")
    after = cargo.linker(hooks).read_text()
    assert "/another/python" in after
    assert "/another/python" not in before


def test_launchers_are_written_again_where_links_are_recorded_otherwise(
    rust: Rust, hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an older recorder has left is not read by us: cargo builds it anew."""
    cargo.environment(rust, [], hooks, {})
    before = (hooks / "rustc-wrapper").read_text()
    (tmp_path / "recorder.py").write_text("another")
    monkeypatch.setattr(link_recorder, "__file__", str(tmp_path / "recorder.py"))
    cargo._version.cache_clear()
    cargo.environment(rust, [], hooks, {})
    cargo._version.cache_clear()
    assert (hooks / "rustc-wrapper").read_text() != before


def test_launcher_runs_the_wrapper(rust: Rust, hooks: Path) -> None:
    launcher = cargo.environment(rust, [], hooks, {})["RUSTC_WRAPPER"]
    asked = subprocess.run([launcher, "/bin/echo", "-vV", "two words"], capture_output=True, text=True, check=True)
    assert asked.stdout == "-vV two words\n"


def test_launcher_runs_the_link_recorder(hooks: Path, tmp_path: Path) -> None:
    subprocess.run([cargo.linker(hooks), "-lm", "-o", tmp_path / "program"], check=True)
    assert (tmp_path / "program").is_file()


@pytest.mark.parametrize(
    "folder",
    [
        "two words",
        "it's",
        "$HOME",
        '"',
    ],
)
def test_launcher_runs_wherever_the_pipeline_lies(
    rust: Rust, hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.setattr(rustc_wrapper, "__file__", shutil.copy(rustc_wrapper.__file__, tmp_path / folder))
    launcher = cargo.environment(rust, [], hooks, {})["RUSTC_WRAPPER"]
    subprocess.run([launcher, "/bin/true"], check=True)
