"""What cargo took for each package, by the times of its files: with each toolchain that is here, and where they cannot tell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pipeline.cargo_units import seconds_by_package
from pipeline.toolchain import rustup_toolchains

pytestmark = pytest.mark.toolchain

TOOLCHAINS = [Path("/usr"), *sorted({folder.resolve() for folder in rustup_toolchains()})]
NAP_S = 0.3
SCRIPT = f"fn main() {{ std::thread::sleep(std::time::Duration::from_secs_f64({NAP_S})) }}\n"
MACRO = '#[proc_macro]\npub fn one(_: proc_macro::TokenStream) -> proc_macro::TokenStream { "1".parse().unwrap() }\n'
MAIN = "fn main() { assert_eq!(twin::f() + older::f() + shared::g() + macros::one!(), 4) }\n"
LIBRARY = "pub fn f() -> i32 { 1 }\n"

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["app"]\nexclude = ["older"]\nresolver = "3"\n',
    "app/Cargo.toml": '[package]\nname = "the-app"\n[dependencies]\nshared = { path = "../shared" }\n'
    'twin = { path = "../twin" }\nolder = { package = "twin", path = "../older" }\nmacros = { path = "../macros" }\n',
    "app/src/main.rs": MAIN,
    "app/examples/show.rs": MAIN,
    "app/tests/whole.rs": "#[test]\nfn right() { assert_eq!(shared::g(), 1) }\n",
    "twin/Cargo.toml": '[package]\nname = "twin"\nversion = "2.0.0"\n',
    "twin/src/lib.rs": LIBRARY,
    "twin/build.rs": SCRIPT,
    "older/Cargo.toml": '[package]\nname = "twin"\nversion = "1.0.0"\n',
    "older/src/lib.rs": LIBRARY,
    "shared/Cargo.toml": '[package]\nname = "shared"\n[lib]\ncrate-type = ["rlib", "cdylib"]\n',
    "shared/src/lib.rs": LIBRARY.replace("f()", "g()"),
    "macros/Cargo.toml": '[package]\nname = "macros"\n[lib]\nproc-macro = true\n',
    "macros/src/lib.rs": MACRO,
}
ALL = {"app", "twin", "older", "shared", "macros"}


class Cargo:
    """Cargo of a toolchain, in a workspace with two packages of one name, a build script, a macro and a `cdylib`."""

    def __init__(self, folder: Path, toolchain: Path) -> None:
        self.folder, self.toolchain = folder, toolchain
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def build(self, *flags: str, code: int = 0) -> list[dict[str, Any]]:
        """What it says of each unit."""
        command: list[str | Path] = [self.toolchain / "bin/cargo", "build", "--offline", "--message-format=json", *flags]
        environment = {**os.environ, "RUSTC": str(self.toolchain / "bin/rustc")}
        built = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert built.returncode == code, built.stderr
        told = [json.loads(line) for line in built.stdout.splitlines()]
        return [message for message in told if message.get("package_id") and message["reason"] != "compiler-message"]

    def took(self, messages: list[dict[str, Any]]) -> dict[str, float]:
        """The seconds by the folder of the package."""
        return {Path(id_.partition("#")[0]).name: seconds for id_, seconds in seconds_by_package(messages).items()}


@pytest.fixture
def cargo(tmp_path: Path, request: pytest.FixtureRequest) -> Cargo:
    """Debian's, or that of the toolchain which the test is given."""
    return Cargo(tmp_path, getattr(request, "param", TOOLCHAINS[0]))


@pytest.mark.parametrize("cargo", TOOLCHAINS, indirect=True, ids=lambda folder: folder.name)
def test_each_package_has_its_time(cargo: Cargo) -> None:
    took = cargo.took(cargo.build())
    assert set(took) == ALL
    assert min(took.values()) > 0
    assert took["twin"] > NAP_S
    assert cargo.took(cargo.build()) == took, "nothing was compiled again"
    assert set(cargo.took(cargo.build("--release", "--target=x86_64-unknown-linux-gnu", "--example=show"))) == ALL
    assert set(cargo.took(cargo.build("--test=whole"))) == ALL


def test_what_is_compiled_again_has_another_time_and_all_else_its_own(cargo: Cargo) -> None:
    before = cargo.took(cargo.build())
    (cargo.folder / "shared/src/lib.rs").write_text("pub fn g() -> i32 { 2 - 1 }\n")
    after = cargo.took(cargo.build())
    assert {name for name in ALL if before[name] == after[name]} >= {"twin", "older", "macros"}
    assert set(after) == ALL


def test_what_was_copied_without_its_times_is_not_told(cargo: Cargo) -> None:
    messages = cargo.build()
    for files in (cargo.folder / "target/debug").glob(".fingerprint/twin-*"):
        shutil.copytree(files, cargo.folder / "scratch", copy_function=shutil.copyfile)
        shutil.rmtree(files)
        (cargo.folder / "scratch").rename(files)
    assert set(cargo.took(messages)) == ALL - {"twin", "older"}


def test_what_failed_or_is_gone_is_not_told(cargo: Cargo) -> None:
    messages = cargo.build()
    (cargo.folder / "shared/src/lib.rs").write_text("pub fn g() -> i32 { 2 - }\n")
    cargo.build(code=101)
    assert set(cargo.took(messages)) == {"twin", "older", "macros"}
    shutil.rmtree(cargo.folder / "target")
    assert cargo.took(messages) == {}
