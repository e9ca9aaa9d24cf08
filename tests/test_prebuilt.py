"""`build_std: prebuilt`: std's bitcode out of the toolchain's own libraries, with a toolchain that has nothing else."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path

import pytest

from pipeline.digests import Digests
from pipeline.doctor import choices_of_std
from pipeline.errors import UserError
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.stages.build_std import sources_of_std
from pipeline.stages.prebuilt_std import libraries_of_std
from pipeline.toolchain import Rust, find_rust, find_tools, rustup_toolchains
from pipeline.unwinding import abort_on_panic
from tests.workbench import MANIFEST, Workbench, doit

toolchain = pytest.mark.toolchain

TOOLS = find_tools()
CARGO = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo"))


# ---- What is possible, and what is said where it is not


def possible(rust: Rust) -> dict[str, bool]:
    return {choice.name: choice.is_possible for choice in choices_of_std(rust)}


def std_without_bitcode(rust: Rust) -> None:
    rust.libraries.mkdir(parents=True)
    (rust.libraries / "libstd-0123456789abcdef.rlib").write_bytes(b"!<arch>\n")


def test_without_std_only_none_is_possible(rust: Rust) -> None:
    assert possible(rust) == {"full": False, "prebuilt": False, "none": True}


def test_with_stds_sources_full_is_possible(rust: Rust) -> None:
    rust.sources.mkdir(parents=True)
    std_without_bitcode(rust)
    assert possible(rust) == {"full": True, "prebuilt": False, "none": True}


def test_without_sources_the_error_names_what_does_without(rust: Rust, digests: Digests) -> None:
    with pytest.raises(UserError, match=r"std's sources are missing: .*/library\n.*help: .*`build_std: prebuilt`"):
        sources_of_std(rust, digests)


def test_without_bitcode_the_error_names_what_does_without(rust: Rust, digests: Digests) -> None:
    std_without_bitcode(rust)
    with pytest.raises(UserError, match=r"std carries no bitcode: .*\n.*help: `build_std: full`"):
        libraries_of_std(rust, digests)


@toolchain
def test_digest_is_of_every_library_by_name(rust: Rust, digests: Digests) -> None:
    real = find_rust("debian", digests)
    rust.libraries.mkdir(parents=True)
    (original,) = real.libraries.glob("libstd-*.rlib")
    std = rust.libraries / original.name
    std.write_bytes(original.read_bytes())
    known = {libraries_of_std(rust, digests)}
    other = rust.libraries / "libother-0.rlib"
    for content in (b"!<arch>\n", b"!<arch>\n!"):
        other.write_bytes(content)
        known.add(libraries_of_std(rust, digests))
    other.rename(other.with_name("libanother-0.rlib"))
    known.add(libraries_of_std(rust, digests))
    assert len(known) == 4
    assert possible(rust) == {"full": False, "prebuilt": True, "none": True}


# ---- Without unwinding

UNWINDING = """
declare i32 @rust_eh_personality(...)
declare void @may_panic()
declare void @clean_up()

define void @shim() personality ptr @rust_eh_personality {
  invoke void @may_panic() to label %done unwind label %pad
done:
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  call void @clean_up()
  resume { ptr, i32 } %caught
}
"""


@toolchain
def test_nothing_is_cleaned_up_after_a_panic(tmp_path: Path) -> None:
    (tmp_path / "given.ll").write_text(UNWINDING)
    with Module(TOOLS.libllvm, tmp_path / "given.ll") as module:
        abort_on_panic(Editor(module))
        module.write(tmp_path / "made.bc")
    dis = TOOLS.llvm_as.path.with_name("llvm-dis")
    made = subprocess.run([dis, "-o", "-", tmp_path / "made.bc"], capture_output=True, text=True, check=True).stdout
    assert "define void @shim() #0 {\ndone:\n  call void @may_panic()\n  ret void\n}" in made
    assert "attributes #0 = { nounwind }" in made


# ---- A toolchain without sources of std, and which takes no unstable flag

NOTED = """\
#!/bin/sh
{{ echo "\\$ $0 $*"; env; }} >>{seen}
[ -z "$RUSTC_BOOTSTRAP" ] || exit 9
for argument; do
    case $argument in -Z*) exit 9 ;; esac
done
exec {tool} "$@"
"""

SORTED = """\
use autodiff::*;

// ½ Σ i·x², the largest x last: std has the vector grow, and sorts it.
#[autodiff_reverse(reverse, Duplicated, Active)]
#[autodiff_forward(forward, Dual, Dual)]
fn weighted(x: &[f64]) -> f64 {
    let mut sorted = Vec::new();
    for x in x {
        sorted.push(*x);
    }
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sorted.iter().zip(1..).map(|(x, place)| 0.5 * f64::from(place) * x * x).sum()
}

fn main() {
    let x: Vec<f64> = std::env::args().skip(1).map(|number| number.parse().unwrap()).collect();
    let mut dx = vec![0.0; x.len()];
    assert_eq!(reverse(&x, &mut dx, 1.0), weighted(&x));
    let towards = |i| (0..x.len()).map(|j| f64::from(i == j)).collect::<Vec<_>>();
    let tangents: Vec<f64> = (0..x.len()).map(|i| forward(&x, &towards(i)).1).collect();
    println!("{dx:?} {tangents:?}");
}
"""


OF_RUSTUP = sorted({folder.resolve() for folder in rustup_toolchains()})
"""Each once, by whatever names rustup has it."""

each_of_rustup = pytest.mark.parametrize(
    "folder",
    [pytest.param(each, marks=[] if each.name.startswith("stable") else pytest.mark.full, id=each.name) for each in OF_RUSTUP]
    or [pytest.param(None, marks=pytest.mark.skip("rustup has no toolchain here"))],
)


@pytest.fixture
def bare(tmp_path: Path, digests: Digests) -> Path:
    """A toolchain as rustup installs a stable one: std as libraries and no more, its compiler a stable one."""
    return bared(find_rust(str(CARGO.parent.parent), digests), tmp_path)


def bared(real: Rust, tmp_path: Path) -> Path:
    """The toolchain without sources of std; it notes what is asked of it, and refuses what is unstable."""
    folder = tmp_path / "bare"
    (folder / "bin").mkdir(parents=True)
    for name, tool in {"cargo": f"{real.cargo.path}", "rustc": f"{real.rustc.path} --sysroot {folder}"}.items():
        (folder / "bin" / name).write_text(NOTED.format(seen=folder / "seen", tool=tool))
        (folder / "bin" / name).chmod(0o755)
    libraries = folder / real.libraries.relative_to(real.sysroot)
    libraries.parent.mkdir(parents=True)
    libraries.symlink_to(real.libraries)
    return folder


@toolchain
def test_without_sources_a_build_is_refused_in_one_message(bench: Workbench, bare: Path) -> None:
    refused = bench.doit("build", f"toolchain={bare}")
    assert refused.returncode == 1
    assert refused.stderr.count("error") == 1
    assert f"error: std's sources are missing: {bare}/" in refused.stderr
    assert "`build_std: prebuilt`" in refused.stderr


@toolchain
def test_doctor_says_what_is_possible_without_sources(bare: Path) -> None:
    for choice, healthy in {"full": False, "prebuilt": True, "none": True}.items():
        said = doit("doctor", f"toolchain={bare}", f"build_std={choice}", "autodiff=false")
        assert said.returncode == (0 if healthy else 1), said.stdout + said.stderr
        assert f"full       no        std's sources are not in {bare}/" in said.stdout
        assert f"prebuilt   yes       std carries bitcode in {bare}/" in said.stdout
        assert ("build_std: full is not possible: " in said.stdout) != healthy


@toolchain
@pytest.mark.parametrize(
    "strategy",
    ["slice", pytest.param("single-module-merge", marks=pytest.mark.full), pytest.param("fat-lto", marks=pytest.mark.full)],
)
def test_gradients_without_sources_and_without_unstable_flags(bench: Workbench, bare: Path, strategy: str) -> None:
    bench.write(SORTED)
    asked = (f"config={strategy}", f"toolchain={bare}", "build_std=prebuilt")
    bench.build(*asked)
    output = bench.output(strategy)
    argv: list[str | Path] = [output / "bench", "0.5", "-1.5", "2.5", "1.0", "-0.25"]
    right = "[1.5, -1.5, 12.5, 4.0, -0.5]"
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == f"{right} {right}\n"
    assert "cargo" not in (output / "stages/01-build_std.log").read_text()
    assert_stable(bare, "bench")
    assert bench.build(*asked).ran == []


def assert_stable(bare: Path, crate: str) -> None:
    """The crate was compiled by that toolchain, and nothing unstable asked of it, by whatever command line or environment."""
    seen = (bare / "seen").read_text()
    assert {"cargo", "rustc"} <= {Path(line.split()[1]).name for line in seen.splitlines() if line.startswith("$ ")}
    assert f"--crate-name {crate} " in seen
    unstable = r"^\$ .* (-Z.*|--config=unstable.*)$|^(RUSTC_BOOTSTRAP|CARGO_UNSTABLE\w*|__CARGO\w*)="
    assert re.findall(unstable, seen, re.MULTILINE) == []


EVERY = {
    "Cargo.toml": f"""{MANIFEST.replace("bench", "physics", 1)}
[lib]
crate-type = ["lib", "cdylib", "staticlib"]

[[bench]]
name = "plain"
harness = false
""",
    "src/lib.rs": """\
use autodiff::*;

#[autodiff_reverse(d_energy, Duplicated, Active)]
pub fn energy(x: &[f64]) -> f64 {
    x.iter().map(|x| 0.5 * x * x).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn slope(x: f64) -> f64 {
    let mut dx = [0.0];
    d_energy(&[x], &mut dx, 1.0);
    dx[0]
}

#[test]
fn right() {
    assert_eq!(slope(3.0), 3.0);
}

#[test]
#[should_panic(expected = "len is 0")]
fn panics() {
    let mut nothing: [f64; 0] = [];
    nothing[std::env::args().count() / 1000] = 1.0;
}
""",
    "tests/whole.rs": "#[test]\nfn right() { assert_eq!(physics::slope(3.0), 3.0); }\n",
    "benches/plain.rs": 'fn main() { assert_eq!(physics::slope(3.0), 3.0); println!("1 passed"); }\n',
}
"""A crate of artifacts of every kind."""


@toolchain
def test_no_artifact_wants_what_is_unstable(bare: Path, tmp_path: Path) -> None:
    """Tests among them, which rustc would have abort by an unstable flag alone."""
    crate = tmp_path / "physics"
    for name, text in EVERY.items():
        (crate / name).parent.mkdir(parents=True, exist_ok=True)
        (crate / name).write_text(text)
    asked = (f"crate={crate}", f"toolchain={bare}", "build_std=prebuilt")
    said = {"lib=1 tests=1": "2 passed", "test=whole": "1 passed", "bench=plain": "1 passed"}
    for which, words in said.items():
        ran = doit("run", *which.split(), *asked)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert words in ran.stdout
    for form, made in {"cdylib": "libphysics.so", "staticlib": "libphysics.a"}.items():
        built = doit("build", "lib=1", f"crate-type={form}", *asked)
        assert built.returncode == 0, built.stdout + built.stderr
        assert (crate / "target/crategrad/default" / made).exists()
    assert_stable(bare, "physics")
    assert_stable(bare, "whole")
    slope = ctypes.CDLL(str(crate / "target/crategrad/default/libphysics.so")).slope
    slope.restype, slope.argtypes = ctypes.c_double, [ctypes.c_double]
    assert slope(3.0) == 3.0
    refused = doit("build", "test=whole", "config=fat-lto", *asked)
    assert refused.returncode == 3
    assert refused.stderr == (
        "error: test `whole`: tests unwind with `build_std: prebuilt`, and cannot with `strategy: fat-lto`\n"
        "  = help: take `strategy: slice`, or `build_std: full`\n"
    )
    assert doit("build", "bench=plain", "config=fat-lto", "dry=1", *asked).returncode == 0


@toolchain
@each_of_rustup
def test_gradients_with_the_toolchains_of_rustup(bench: Workbench, digests: Digests, tmp_path: Path, folder: Path) -> None:
    test_gradients_without_sources_and_without_unstable_flags(bench, bared(find_rust(str(folder), digests), tmp_path), "slice")


@toolchain
def test_std_by_itself_and_std_of_its_sources_are_two_outputs(bench: Workbench) -> None:
    first = bench.build("build_std=full").stages
    assert bench.build("build_std=prebuilt").stages.keys() == first.keys()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    assert bench.build("build_std=full").ran == []
