"""`./doit replay` of what cargo does: the commands of rustc, which make the same bitcode anywhere, without cargo or us."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.test_replay import outputs, replayed, run
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PACKAGE = """\
[package]
name = "{name}"
version = "0.1.0"
edition = "2024"
"""

FILES = {
    "Cargo.toml": PACKAGE.format(name="outer")
    + 'default-run = "outer"\n[dependencies]\ninner = { path = "inner" }\n[workspace]\n',
    "src/main.rs": """\
#![no_main]
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    inner::scaled(argc, inner::number!()) - include_str!("three words here").split(' ').count() as i32 * argc
}
""",
    "src/three words here": "one two three",
    "inner/Cargo.toml": PACKAGE.format(name="inner") + '[dependencies]\nmarks = { path = "../marks" }\n',
    "inner/build.rs": """\
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/made.rs"), "pub const MADE: i32 = 1;").unwrap();
    println!("cargo::rustc-env=OF_BUILD_SCRIPT=it's $here");
}
""",
    "inner/src/lib.rs": """\
include!(concat!(env!("OUT_DIR"), "/made.rs"));
pub use marks::number;
pub fn scaled(x: i32, by: i32) -> i32 {
    x * by * MADE * (env!("OF_BUILD_SCRIPT").len() as i32 - 9)
}
""",
    "marks/Cargo.toml": PACKAGE.format(name="marks") + "[lib]\nproc-macro = true\n",
    "marks/src/lib.rs": """\
use proc_macro::TokenStream;
#[proc_macro]
pub fn number(_: TokenStream) -> TokenStream {
    "3".parse().unwrap()
}
""",
}


@pytest.fixture
def outer(tmp_path: Path) -> Workbench:
    """A crate with a dependency that has a build script and a proc macro."""
    for name, text in FILES.items():
        file = tmp_path / "outer crate" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Workbench(tmp_path / "outer crate")


def sent(bench: Workbench, stage: str, to: Path) -> Path:
    """The folder, somewhere else, with nothing left where it was."""
    folder = replayed(bench, stage)
    shutil.copytree(folder, to)
    shutil.rmtree(folder)
    return to


def test_rustc_makes_the_same_without_cargo(outer: Workbench, tmp_path: Path) -> None:
    settings = ("autodiff=false", "strategy=single-module-merge", "build_std=none", "debug_symbols=true")
    finished = outer.doit("replay", "crate_bitcode", *settings)
    assert finished.returncode == 0, finished.stderr
    folder = tmp_path / "sent to" / "somebody"
    shutil.copytree(next((outer.output() / "replay").glob("*-crate_bitcode")), folder)
    shutil.rmtree(outer.folder)
    ran = run(folder)
    assert (ran.returncode, ran.stdout) == (0, "all as it was recorded\n"), ran.stderr
    text = (folder / "repro.sh").read_text()
    assert text.count("\n( cd ") == 3, "marks, inner and outer; no build script"
    assert not any(word in text for word in ("python", "doit ", "cargo build", str(tmp_path)))
    assert text.count("\nholds ") + text.count("\nmade ") >= 2
    (folder / "input/sources").rename(folder / "kept")
    shutil.copytree(folder / "kept", folder / "input/sources")
    (library,) = folder.glob("input/sources/*/inner/src/lib.rs")
    library.write_text(library.read_text().replace("- 9", "- 8"))
    assert "is not what it was" in run(folder).stdout, "the check sees what differs"
    assert "ended with 1, and with 0 when it was recorded" in run(folder, RUSTC="/bin/false").stdout


def test_what_rustc_refuses_is_recorded_as_well(outer: Workbench) -> None:
    source = outer.folder / "src/main.rs"
    source.write_text(source.read_text().replace("argc, inner", "argc + nothing, inner"))
    finished = outer.doit("replay", "crate_bitcode", "autodiff=false", "build_std=none")
    assert finished.returncode == 0, finished.stderr
    assert "the stage fails; README says with which words" in finished.stdout
    ran = run(next((outer.output() / "replay").glob("*-crate_bitcode")))
    assert (ran.returncode, ran.stdout) == (0, "all as it was recorded\n")
    assert "cannot find value `nothing` in this scope" in ran.stderr, "for people to read"


@pytest.mark.full
@pytest.mark.parametrize("stage", ["build_std", "crate_bitcode"])
def test_so_it_is_of_std_and_of_what_is_compiled_with_it(bench: Workbench, tmp_path: Path, stage: str) -> None:
    bench.build()
    made = outputs(next((bench.output() / "stages").glob(f"*-{stage}")))
    folder = sent(bench, stage, tmp_path / "sent")
    assert outputs(folder / "output") == made
    ran = run(folder)
    assert (ran.returncode, ran.stdout) == (0, "all as it was recorded\n"), ran.stderr
    assert len(list((folder / "replayed").rglob("*.no-opt.bc"))) >= 2
