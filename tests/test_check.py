"""`autodiff::check`: the crate's own tests, what `gradcheck!` refuses, and `docs/check.md` beside a run of its examples."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.frontend_build import CARGO, run
from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

GUIDE = (ROOT / "docs/check.md").read_text()
EXAMPLES = ROOT / "examples/checks"
FRONTEND = ROOT / "rust/autodiff"


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("target")


@pytest.fixture(scope="module")
def frontend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frontend in a folder where cargo may write a lock: a new file beside its sources would count as one of them."""
    copy = tmp_path_factory.mktemp("frontend")
    shutil.copytree(FRONTEND.parent, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    return copy / FRONTEND.name


def cargo(*arguments: str, target: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run([str(CARGO), *arguments, f"--target-dir={target}"], folder, **environment)


def test_the_crates_own_tests(target: Path, frontend: Path) -> None:
    done = cargo("test", "--features=check", target=target, folder=frontend)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [int(count) for count in re.findall(r"test result: ok. (\d+) passed", done.stdout)]
    assert len(passed) == 3, "of the differences, of the macro, of the documentation"
    assert sum(passed) >= 20
    assert "warning" not in done.stderr


@pytest.mark.parametrize("flags", ["", "--cfg crategrad --cfg crategrad_gradcheck", "--cfg crategrad --cfg crategrad_verify"])
def test_clippy_has_no_warnings(target: Path, frontend: Path, flags: str) -> None:
    if not CARGO.with_name("cargo-clippy").exists():
        pytest.skip(f"no cargo-clippy beside {CARGO}")
    allowed = [f"-Aclippy::{lint}" for lint in ("must_use_candidate", "inline_always", "manual_assert")]
    command = [str(CARGO), "clippy", "--features=check", f"--target-dir={target / 'clippy'}"]
    done = run([*command, "--", "-Wclippy::pedantic", *allowed], frontend, RUSTFLAGS=flags)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


def test_the_documentation_has_no_broken_links(target: Path, frontend: Path) -> None:
    done = cargo("doc", "--no-deps", "--features=check", target=target, folder=frontend, RUSTDOCFLAGS="-Dwarnings")
    assert done.returncode == 0, done.stderr


REFUSED = {
    "gradcheck!(#[autodiff_reverse(df, Duplicated, Active)] f(x))": "`Duplicated` is for a reference, and `x` is none",
    "gradcheck!(#[autodiff_reverse(df, Active, Active)] f(&x))": "`Active` is for a value, and `&x` is none",
    "gradcheck!(#[autodiff_reverse(df, Active)] f(x, x, x))": "`df` has 1 activities, and the call 3 arguments",
    "gradcheck!(#[autodiff_forward(df, Duplicated, Dual)] f(&x))": "`Duplicated` cannot be used in forward mode",
    "gradcheck!(#[autodiff_reverse(df, Duplicated, Active)] x.f())": "this is no call of a function by its path",
    "gradcheck!(f(&x))": "there is no derivative to check",
    "gradcheck!(#[autodiff_reverse(df, Duplicated, Active)])": "a call is missing here",
    "gradcheck!(#[inline(never)] f(&x))": "unknown attribute `inline`",
    "gradcheck!(#[check(atol = 1.0)] #[autodiff_reverse(df, Duplicated, Active)] f(&x))": "there is no setting `atol`",
    "gradcheck!(#[autodiff_reverse(df, Duplicated, Active)] f(&x); f(&x))": "one call at a time",
    "gradcheck!(#[autodiff_reverse(df, Duplicated, Active)] f(&Opaque))": "which numbers a `Opaque` is made of",
    "#[derive(Numbers)] enum E { A(f64) }": "`Numbers` is derived for structs only",
    "#[domain(a = 1.0..2.0)] #[autodiff_reverse(dg, Active, Active)] fn g(a: f64) -> f64 { a }": "stands above this attribute",
    "#[domain(a = 1.0..)] fn g(a: f64) -> f64 { a }": "a range with two ends is wanted here",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_refused_says_why(code: str, target: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    dependency = f'autodiff = {{ path = "{FRONTEND}", features = ["check"] }}'
    package = '[package]\nname = "refused"\nversion = "0.0.0"\nedition = "2024"\n'
    (tmp_path / "Cargo.toml").write_text(f"{package}[dependencies]\n{dependency}\n[workspace]\n")
    before = "#![allow(unused)]\nuse autodiff::*; use autodiff::check::Numbers;\n#[derive(Clone)] struct Opaque;\n"
    (tmp_path / "src/main.rs").write_text(f"{before}fn main() {{ let x = 1.0; {code}; }}\n")
    done = cargo("check", target=target / "refused", folder=tmp_path)
    assert done.returncode != 0
    assert REFUSED[code] in done.stderr


# ---- The guide


def test_every_example_is_in_the_program() -> None:
    sources = [(EXAMPLES / file).read_text() for file in ("src/main.rs", "tests/gradients.rs")]
    source = "".join("".join(sources).split())
    blocks = re.findall(r"```rust\n(.*?)```", GUIDE, re.DOTALL)
    assert len(blocks) >= 4
    assert [block for block in blocks if "".join(block.split()) not in source] == []


def test_derivatives_are_checked_by_a_test_and_by_one_that_fails(tmp_path: Path) -> None:
    ran = doit("run", f"crate={EXAMPLES}", "test=gradients")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test result: ok. 2 passed; 0 failed" in ran.stdout
    shutil.copytree(EXAMPLES, tmp_path / "checks", ignore=shutil.ignore_patterns("target"))
    for path, here, there in (
        ("Cargo.toml", "../..", str(ROOT)),
        ("tests/gradients.rs", "(d_spread, Duplicated, Active)] spread(", "(by_hand, Duplicated, Active)] spread("),
    ):
        text = (tmp_path / "checks" / path).read_text()
        (tmp_path / "checks" / path).write_text(text.replace(here, there))
    failed = doit("run", f"crate={tmp_path / 'checks'}", "test=gradients")
    assert failed.returncode == 1
    assert "test spread_has_the_right_gradient ... FAILED" in failed.stdout
    assert "gradcheck of `spread`: 10 numbers compared, 3 wrong" in failed.stdout


def test_plain_cargo_passes_what_it_has_no_derivatives_for(target: Path, tmp_path: Path) -> None:
    copy = tmp_path / "checks"
    shutil.copytree(EXAMPLES, copy, ignore=shutil.ignore_patterns("target"))
    (copy / "Cargo.toml").write_text((copy / "Cargo.toml").read_text().replace("../..", str(ROOT)))
    done = cargo("test", "--test=gradients", target=target / "plain", folder=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_the_output_is_that_of_a_run() -> None:
    built = doit("build", f"crate={EXAMPLES}")
    assert built.returncode == 0, built.stderr
    binary = EXAMPLES / "target/crategrad/default/checks"
    printed = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    shown = [textwrap.dedent(block) for block in re.findall(r"```\n\n((?:    .*\n)+)", GUIDE)]
    assert len(shown) >= 3
    for block in shown:
        assert block in printed, printed
