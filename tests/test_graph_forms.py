"""Forms of the graph of crates that cargo knows, each by local folders alone: vendored, patched, renamed, twice, by target."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.frontend_build import CARGO
from tests.test_setups import is_right, write
from tests.workbench import ROOT, Workbench

pytestmark = pytest.mark.toolchain

PACKAGE = '[package]\nname = "{name}"\nversion = "{version}"\nedition = "2024"\n'
MANIFEST = f"""\
{PACKAGE.format(name="bench", version="0.1.0")}
[workspace]
[dependencies]
{{frontend}} = {{{{ package = "autodiff", path = "{ROOT}/rust/autodiff" }}}}
"""
POWER = "pub fn power(x: f64) -> f64 {{ x.powi({exponent}) }}\n"

# The derivative of what `f` is, by its closed form.
MAIN = """\
#![no_main]
use @FRONTEND@::*;
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { @F@ }
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let right: f64 = @SLOPE@;
    i32::from((df(x, 1.0).1 - right).abs() > 1e-12 * right.abs())
}
"""
CUBE, SLOPE = "x * power::power(x)", "3.0 * x * x"


def crate(folder: str, exponent: int, name: str = "power", version: str = "1.0.0") -> dict[str, str]:
    """A crate with a function that gives a power of its argument."""
    manifest = PACKAGE.format(name=name, version=version)
    return {f"{folder}/Cargo.toml": manifest, f"{folder}/src/lib.rs": POWER.format(exponent=exponent)}


def vendored(files: Mapping[str, str]) -> dict[str, str]:
    """The same as `cargo vendor` leaves it: with the digest of each file, and of the package."""
    (folder,) = {name.split("/src/")[0] for name in files if "/src/" in name}
    digests = {name.removeprefix(f"{folder}/"): hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    return {**files, f"{folder}/.cargo-checksum.json": json.dumps({"files": digests, "package": PACKAGES_DIGEST})}


PACKAGES_DIGEST = hashlib.sha256(b"the package").hexdigest()
VENDORED = '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n'


def program(frontend: str = "autodiff", f: str = CUBE, slope: str = SLOPE) -> str:
    return MAIN.replace("@FRONTEND@", frontend).replace("@F@", f).replace("@SLOPE@", slope)


def build(folder: Path, dependencies: str, files: Mapping[str, str], frontend: str = "autodiff", **texts: str) -> None:
    """Build a program whose derivative is compared with the closed form, run it, and insist that it is right."""
    bench = Workbench(folder / "bench")
    write(bench.folder, dict(files))
    bench.write(program(frontend, **texts), MANIFEST.format(frontend=frontend) + dependencies)
    bench.build()
    assert is_right(bench)


BY_TARGET = """\
[target.'cfg(target_arch = "x86_64")'.dependencies]
power = { path = "power" }
[target.'cfg(target_arch = "wasm32")'.dependencies]
absent = { path = "absent" }
"""
BY_PATH = {
    "renamed": ('strength = { package = "power", path = "power" }\n', crate("power", 2), "x * strength::power(x)", SLOPE),
    "patched": (
        'power = "1"\n[patch.crates-io]\npower = { path = "mended" }\n',
        crate("mended", 2, version="1.0.7"),
        CUBE,
        SLOPE,
    ),
    "two versions": (
        'one = { package = "power", path = "../one" }\nother = { package = "power", path = "../other" }\n',
        crate("../one", 2) | crate("../other", 3, version="2.0.0"),
        "one::power(x) + other::power(x)",
        "2.0 * x + 3.0 * x * x",
    ),
    "by target": (BY_TARGET, crate("power", 2) | crate("absent", 4, name="absent"), CUBE, SLOPE),
}


@pytest.mark.parametrize("form", BY_PATH)
def test_form_of_a_dependency(tmp_path: Path, form: str) -> None:
    dependencies, files, function, slope = BY_PATH[form]
    build(tmp_path, dependencies, files, f=function, slope=slope)


def test_frontend_by_another_name(tmp_path: Path) -> None:
    build(tmp_path, 'power = { path = "power" }\n', crate("power", 2), frontend="ad")


def test_patched_where_a_dependency_depends_on_it(tmp_path: Path) -> None:
    """What was differentiated is differentiated anew after an edit of the patch."""
    above = crate("above", 1, name="above")
    above["above/Cargo.toml"] += '[dependencies]\npower = "1"\n'
    above["above/src/lib.rs"] = "pub fn scaled(x: f64) -> f64 { 2.0 * power::power(x) }\n"
    dependencies = 'above = { path = "above" }\n[patch.crates-io]\npower = { path = "mended" }\n'
    for exponent in (2, 4):
        slope = f"2.0 * {exponent}.0 * x.powi({exponent - 1})"
        build(tmp_path, dependencies, above | crate("mended", exponent), f="above::scaled(x)", slope=slope)


def test_vendored_offline_and_locked(tmp_path: Path) -> None:
    """All that the registry would give lies in `vendor`, the frontend's own dependencies by `cargo vendor`."""
    bench = Workbench(tmp_path / "bench", {"CRATEGRAD_OFFLINE": "1"})
    bench.write(program(), MANIFEST.format(frontend="autodiff"))
    subprocess.run([CARGO, "vendor"], cwd=bench.folder, check=True, capture_output=True)
    write(bench.folder, {".cargo/config.toml": VENDORED, **vendored(crate("vendor/power", 2))})
    bench.write(program(), MANIFEST.format(frontend="autodiff") + 'power = "1"\n')
    refused = bench.doit("build", "locked=1")
    assert refused.returncode == 1
    assert "--locked" in refused.stderr
    bench.build()
    lock = bench.folder / "Cargo.lock"
    locked = lock.read_bytes()
    assert PACKAGES_DIGEST.encode() in locked
    bench.write(
        program(f="2.0 * x * power::power(x)", slope="6.0 * x * x"), MANIFEST.format(frontend="autodiff") + 'power = "1"\n'
    )
    bench.build("locked=1")
    assert lock.read_bytes() == locked
    assert is_right(bench)
