"""The wrapper around rustc: what cargo asks of it, made independent of the folder it is asked in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import rustc_wrapper
from pipeline.rustc_wrapper import rewrite

PACKAGE = {"CARGO_PKG_NAME": "demo-app", "CARGO_PKG_VERSION": "1.2.3"}


def compiling(
    source: str, metadata: str = "0123456789abcdef", features: tuple[str, ...] = (), crate: str = "demo_app"
) -> list[str]:
    """Arguments as cargo gives them, with its own hash of the package's folder."""
    arguments = ["--crate-name", crate, "--edition=2021", source, "--crate-type", "bin"]
    for feature in features:
        arguments += ["--cfg", f'feature="{feature}"']
    arguments += ["-C", f"metadata={metadata}", "-C", f"extra-filename=-{metadata}"]
    return [*arguments, "--out-dir", "/target/deps", "--target", "x86_64-unknown-linux-gnu"]


def in_folder(folder: str, **environment: str) -> dict[str, str]:
    return PACKAGE | {"CARGO_MANIFEST_DIR": folder} | environment


def metadata(arguments: list[str]) -> str:
    (found,) = (argument for argument in arguments if argument.startswith("metadata="))
    return found


def remaps(arguments: list[str]) -> list[str]:
    return [a.removeprefix("--remap-path-prefix=") for a in arguments if a.startswith("--remap-path-prefix=")]


# ---- What is run


def test_wrapper_of_the_workspace_is_passed_over() -> None:
    around = {"RUSTC_WORKSPACE_WRAPPER": "/usr/bin/env"}
    assert rustc_wrapper.of_rustc(["/usr/bin/env", "/bin/rustc", "-vV"], around, "/here") == ["/bin/rustc", "-vV"]
    assert rustc_wrapper.of_rustc(["/bin/rustc", "-vV"], around, "/here") == ["/bin/rustc", "-vV"]


def test_test_is_told_where_the_packages_binaries_will_be() -> None:
    """Rustc is given the paths, and nothing else of ours."""
    of_cargo = {"CARGO_BIN_EXE_app": "/target/release/app", "CARGO_BIN_NAME": "app"}
    given = ["/bin/rustc", *compiling("tests/starts.rs"), "--crategrad-binaries=/my crate/default"]
    assert rustc_wrapper.environment_of(given, of_cargo) == of_cargo | {"CARGO_BIN_EXE_app": "/my crate/default/app"}
    assert rustc_wrapper.environment_of(given[:-1], of_cargo) == of_cargo
    assert rustc_wrapper.of_rustc(given, {}, "/here") == given[:-1]


# ---- Debug info


def for_slice(*asked: str) -> list[str]:
    return [*compiling("src/main.rs"), *asked, "-Csave-temps", "-Cdebuginfo=2"]


@pytest.mark.parametrize("asked", [(), ("-C", "debuginfo=0"), ("-C", "debuginfo=line-tables-only")])
def test_objects_get_lines_alone_where_the_profile_asks_for_no_more(asked: tuple[str, ...]) -> None:
    assert rustc_wrapper.LINES_ALONE in rewrite(for_slice(*asked), in_folder("/home/one"), "/home/one")


def test_objects_get_the_debug_info_that_the_profile_asks_for() -> None:
    assert rustc_wrapper.LINES_ALONE not in rewrite(for_slice("-C", "debuginfo=2"), in_folder("/home/one"), "/home/one")
    merged = [each for each in for_slice() if each != "-Csave-temps"]
    assert rustc_wrapper.LINES_ALONE not in rewrite(merged, in_folder("/home/one"), "/home/one")


# ---- What is left as it is


@pytest.mark.parametrize("question", [["-vV"], ["-", "--crate-name", "___", "--print=file-names"], ["--print", "cfg"], []])
def test_questions_are_passed_on(question: list[str]) -> None:
    assert rewrite(question, {}, "/here") == question


def test_question_with_a_target_is_passed_on() -> None:
    question = ["-", "--crate-name", "___", "--print=file-names", "--target", "x86_64-unknown-linux-gnu"]
    assert rewrite(question, {}, "/here") == question


def test_crates_of_the_host_are_passed_on() -> None:
    """Build scripts and macros run at build time: no bitcode comes of them."""
    arguments = compiling("src/lib.rs")[:-2]
    assert "--target" not in arguments
    assert rewrite(arguments, in_folder("/here"), "/here") == arguments


def test_arguments_keep_their_order_and_only_metadata_is_replaced() -> None:
    arguments = compiling("src/main.rs", features=("fast",))
    rewritten = rewrite(arguments, in_folder("/here"), "/here")
    assert rewritten[: len(arguments)] == [metadata(rewritten) if a.startswith("metadata=") else a for a in arguments]
    assert "extra-filename=-0123456789abcdef" in rewritten


@pytest.mark.parametrize(("harness", "each_alone"), [([], False), (["--test"], True)])
def test_tests_run_each_in_a_process_of_its_own(harness: list[str], each_alone: bool) -> None:
    arguments = [*compiling("src/lib.rs"), *harness]
    assert ("-Zpanic_abort_tests" in rewrite(arguments, in_folder("/here"), "/here")) == each_alone
    assert rustc_wrapper.runs_each_alone(arguments) == each_alone


@pytest.mark.parametrize(
    ("version", "environment", "refuses"),
    [
        ("1.96.0 (ac68faa20 2026-05-25)", {}, True),
        ("1.96.0 (ac68faa20 2026-05-25)", {"RUSTC_BOOTSTRAP": "1"}, False),
        ("1.97.0-nightly (e50aa6fba 2026-05-19)", {}, False),
        ("1.97.0-beta.1", {}, True),
    ],
)
def test_tests_have_no_more_that_is_unstable_for_it(
    tmp_path: Path, version: str, environment: dict[str, str], refuses: bool
) -> None:
    rustc = tmp_path / "rustc"
    rustc.write_text(f"#!/bin/sh\necho 'rustc {version}'\n")
    rustc.chmod(0o755)
    given = [str(rustc), *compiling("src/lib.rs"), "--test"]
    assert ("-Zallow-features=" in rustc_wrapper.of_rustc(given, in_folder("/here") | environment, "/here")) == refuses


def test_tests_of_a_macro_run_as_ever() -> None:
    """They are the host's, which unwinds."""
    assert not rustc_wrapper.runs_each_alone([*compiling("src/lib.rs")[:-2], "--test"])
    assert not rustc_wrapper.runs_each_alone([*compiling("src/lib.rs"), "--test", "-Cpanic=unwind"])


# ---- Names


def test_metadata_does_not_depend_on_the_folder() -> None:
    here = rewrite(compiling("src/main.rs", "1111111111111111"), in_folder("/here"), "/here")
    there = rewrite(compiling("/there/src/main.rs", "2222222222222222"), in_folder("/there"), "/there")
    assert metadata(here) == metadata(there)
    assert metadata(here) not in ("metadata=1111111111111111", "metadata=2222222222222222")


def test_metadata_does_not_depend_on_the_order_of_features() -> None:
    one = rewrite(compiling("src/main.rs", features=("a", "b")), in_folder("/here"), "/here")
    other = rewrite(compiling("src/main.rs", features=("b", "a")), in_folder("/here"), "/here")
    assert metadata(one) == metadata(other)


def test_metadata_tells_packages_and_crates_apart() -> None:
    arguments, environment = compiling("src/main.rs"), in_folder("/here")
    every = [
        (arguments, environment),
        (arguments, environment | {"CARGO_PKG_NAME": "other"}),
        (arguments, environment | {"CARGO_PKG_VERSION": "1.2.4"}),
        (compiling("src/main.rs", features=("fast",)), environment),
        (compiling("src/main.rs", features=("faster",)), environment),
        (compiling("src/main.rs", crate="other"), environment),
        ([*arguments, "--test"], environment),
        (arguments, environment | {"CARGO_PKG_NAME": "demo-app1", "CARGO_PKG_VERSION": ".2.3"}),
    ]
    assert len({metadata(rewrite(a, e, "/here")) for a, e in every}) == len(every)


# ---- Paths


def test_crate_being_built_is_here() -> None:
    assert remaps(rewrite(compiling("src/main.rs"), in_folder("/here"), "/here")) == ["/here=."]


def test_members_of_a_workspace_are_here() -> None:
    """Cargo compiles members in the workspace's folder.  Of two that match rustc takes the last."""
    arguments = rewrite(compiling("member/src/main.rs"), in_folder("/here/member"), "/here")
    assert remaps(arguments) == ["/here/member=.", "/here=."]


def test_crates_in_the_workspaces_folder_are_here_but_for_the_frontend() -> None:
    """By a relative path cargo names what is a path dependency in there."""
    arguments = compiling("near/src/lib.rs")
    assert set(remaps(rewrite(arguments, in_folder("/here/near"), "/here", is_workspaces=False))) == {"/here/near=.", "/here=."}
    ours = in_folder("/here/near", CARGO_PKG_NAME="autodiff")
    assert set(remaps(rewrite(arguments, ours, "/here"))) == {"/here/near=autodiff-1.2.3", "/here=autodiff-1.2.3"}


def test_dependency_goes_by_its_name_and_version() -> None:
    folder = "/home/user/.cargo/registry/src/index/demo-app-1.2.3"
    arguments = rewrite(compiling(f"{folder}/src/lib.rs"), in_folder(folder), folder, is_workspaces=False)
    assert remaps(arguments) == [f"{folder}=demo-app-1.2.3"]


def test_dependency_that_is_compiled_elsewhere_is_mapped_in_both_folders() -> None:
    arguments = rewrite(compiling("/dep/src/lib.rs"), in_folder("/dep"), "/elsewhere", is_workspaces=False)
    assert sorted(remaps(arguments)) == ["/dep=demo-app-1.2.3", "/elsewhere=demo-app-1.2.3"]


def test_which_crates_are_the_workspaces_own_cargo_says_by_a_second_wrapper() -> None:
    environment = in_folder("/here") | {"RUSTC_WORKSPACE_WRAPPER": "/usr/bin/env"}
    of_workspace = rustc_wrapper.of_rustc(["/usr/bin/env", "rustc", *compiling("/a/lib.rs")], environment, "/here")
    of_others = rustc_wrapper.of_rustc(["rustc", *compiling("/a/lib.rs")], environment, "/here")
    assert (remaps(of_workspace), remaps(of_others)) == (["/here=."], ["/here=demo-app-1.2.3"])
    assert of_workspace[0] == of_others[0] == "rustc"


# ---- As cargo starts it


def test_wrapper_becomes_the_compiler(tmp_path: Path) -> None:
    """It hands on the arguments, the environment and the exit code; the compiler here only tells them."""
    rustc = tmp_path / "rustc"
    rustc.write_text('#!/bin/sh\nprintf "%s\\n" "$CARGO_PKG_NAME" "$@"\nexit 3\n')
    rustc.chmod(0o755)
    argv = [sys.executable, "-I", "-S", rustc_wrapper.__file__, str(rustc), *compiling("src/main.rs")]
    asked = subprocess.run(
        argv, cwd=tmp_path, env={**os.environ, **in_folder(str(tmp_path))}, capture_output=True, text=True, check=False
    )
    folder = os.fspath(tmp_path.resolve())
    expected = rewrite(compiling("src/main.rs"), in_folder(folder), folder)
    assert asked.stdout.splitlines() == ["demo-app", *expected]
    assert asked.returncode == 3
