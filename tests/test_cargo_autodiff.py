"""`cargo autodiff`: which `./doit` each of cargo's command lines becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline import cargo_autodiff

pytestmark = pytest.mark.toolchain

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["app", "maths", "final"]\nresolver = "2"\n',
    "app/Cargo.toml": '[package]\nname = "app"\nedition = "2021"\n[features]\na = []\nb = []\n',
    "app/src/main.rs": "fn main() {}\n",
    "app/src/bin/other.rs": "fn main() {}\n",
    "maths/Cargo.toml": '[package]\nname = "maths"\nedition = "2021"\n[[test]]\nname = "off"\ntest = false\n',
    "final/Cargo.toml": '[package]\nname = "final"\nedition = "2021"\n[lib]\ncrate-type = ["cdylib"]\n',
    "final/src/lib.rs": "",
    "maths/src/lib.rs": "",
    "maths/tests/one.rs": "",
    "maths/tests/two.rs": "",
    "maths/tests/off.rs": "",
    "maths/examples/show.rs": "fn main() {}\n",
    "maths/benches/speed.rs": "",
}


@dataclass
class Cargo:
    """What `cargo autodiff` would start, in a workspace of the test's."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    code: int = 0
    failing: str = ""
    """What a `./doit` with this among its words ends with 1 for."""

    def autodiff(self, line: str, folder: str = ".") -> list[str]:
        """The command lines of `./doit`, without `crate=` where it is the folder that it was started for."""
        self.started: list[tuple[list[str], Mapping[str, str]]] = []
        self.monkeypatch.chdir(self.root / folder)
        self.code = cargo_autodiff.main(["autodiff", *line.split()])
        return [" ".join(word.replace(f"{self.root}/", "") for word in words[1:]) for words, _ in self.started]

    def run(self, words: Sequence[str], environment: Mapping[str, str]) -> int:
        self.started.append((list(words), environment))
        return int(bool(self.failing) and self.failing in words)


@pytest.fixture
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cargo:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = Cargo(tmp_path, monkeypatch)
    monkeypatch.setattr(cargo_autodiff, "ROOT", Path("/checkout"))
    monkeypatch.setattr(cargo_autodiff, "_run", found.run)
    monkeypatch.setenv("CRATEGRAD_CACHE", str(tmp_path / "cache"))
    return found


LINES = {
    "build --bin other": ["build crate=app bin=other"],
    "build -r --bin other -F b,a --all-features": ["build crate=app features=b,a profile=release all-features=1 bin=other"],
    "build --features a --features b --bin app": ["build crate=app features=a,b bin=app"],
    "build --bin app opt2.level=1 --profile dev config=fat-lto": [
        "build opt2.level=1 config=fat-lto crate=app profile=dev bin=app"
    ],
    "build": ["build crate=app package=app bin=app", "build crate=app package=app bin=other"],
    "build -p maths --examples": ["build crate=app package=maths example=show"],
    "build -p maths --lib crate-type=cdylib": ["build crate-type=cdylib crate=app package=maths lib=1"],
    "build -p maths": ["build crate=app package=maths"],
    "run": ["execute crate=app"],
    "run --bin other --locked": ["execute crate=app locked=1 bin=other"],
    "run -p maths --example show": ["execute crate=app package=maths example=show"],
    "test": ["execute crate=app package=app bin=app tests=1", "execute crate=app package=app bin=other tests=1"],
    "test -p maths": [
        "execute crate=app package=maths lib=1 tests=1",
        "execute crate=app package=maths test=one",
        "execute crate=app package=maths test=two",
    ],
    "test -p maths --test off --no-run": ["build crate=app package=maths test=off"],
    "test -p maths --lib": ["execute crate=app package=maths lib=1 tests=1"],
    "bench -p maths": ["execute crate=app package=maths bench=speed"],
    "bench": [],
    "test --bins": ["execute crate=app package=app bin=app tests=1", "execute crate=app package=app bin=other tests=1"],
    "build --bin app --target x86_64-unknown-linux-gnu": ["build crate=app target=host bin=app"],
    "run --bin app --target aarch64-unknown-linux-gnu": ["execute crate=app target=aarch64-unknown-linux-gnu bin=app"],
    "build -p app -p maths --features a": [
        "build crate=app features=a package=app bin=app",
        "build crate=app features=a package=app bin=other",
    ],
    "build -p maths -p app --example show --bin other": [
        "build crate=app package=maths example=show",
        "build crate=app package=app bin=other",
    ],
    "test -p app -p maths --lib": ["execute crate=app package=maths lib=1 tests=1"],
    "bench --all": ["execute crate=app package=maths bench=speed"],
    "test --workspace --exclude maths --exclude final": [
        "execute crate=app package=app bin=app tests=1",
        "execute crate=app package=app bin=other tests=1",
    ],
    "build --workspace --exclude app --exclude final --all-targets": [
        "build crate=app package=maths example=show",
        "build crate=app package=maths lib=1 tests=1",
        "build crate=app package=maths test=one",
        "build crate=app package=maths test=two",
        "build crate=app package=maths bench=speed",
    ],
    "build -p final --all-targets": [
        "build crate=app package=final lib=1 crate-type=cdylib",
        "build crate=app package=final lib=1 tests=1",
    ],
    "test --all-targets --no-default-features": [
        "execute crate=app no-default-features=1 package=app bin=app tests=1",
        "execute crate=app no-default-features=1 package=app bin=other tests=1",
    ],
    "test -p maths --tests": [
        "execute crate=app package=maths lib=1 tests=1",
        "execute crate=app package=maths test=one",
        "execute crate=app package=maths test=two",
    ],
    "build -p maths --benches --examples": [
        "build crate=app package=maths example=show",
        "build crate=app package=maths bench=speed",
    ],
    "build -p final --lib --tests": ["build crate=app package=final lib=1", "build crate=app package=final lib=1 tests=1"],
    "build --workspace --bins": ["build crate=app package=app bin=app", "build crate=app package=app bin=other"],
}


@pytest.mark.parametrize("line", LINES)
def test_line_becomes(cargo: Cargo, line: str) -> None:
    assert cargo.autodiff(line, "app/src/bin") == LINES[line]
    assert cargo.code == 0


def test_manifest_is_found_upwards_or_named(cargo: Cargo, capsys: pytest.CaptureFixture[str]) -> None:
    assert cargo.autodiff("run", "maths/src") == ["execute crate=maths"]
    assert cargo.autodiff("run --manifest-path ../app/Cargo.toml", "maths") == ["execute crate=app"]
    assert cargo.autodiff("run --manifest-path Cargo.toml", "app") == ["execute crate=app"]
    (cargo.root / "Cargo.toml").unlink()
    assert (cargo.autodiff("run"), cargo.code) == ([], 3)
    assert f"error: there is no Cargo.toml in {cargo.root}, nor above it\n  = help: " in capsys.readouterr().err


def test_what_follows_the_dashes_is_the_programs(cargo: Cargo) -> None:
    cargo.autodiff("run --bin other -- --release a=b -- x", "app")
    ((words, environment),) = cargo.started
    assert words == ["/checkout/doit", "execute", f"crate={cargo.root}/app", "bin=other"]
    assert json.loads(environment["CRATEGRAD_ARGUMENTS"]) == ["--release", "a=b", "--", "x"]
    assert "CRATEGRAD_OFFLINE" not in environment


def test_filter_is_the_first_argument_of_tests(cargo: Cargo) -> None:
    cargo.autodiff("test --test one --frozen some_name -- --nocapture", "maths")
    ((words, environment),) = cargo.started
    assert words[2:] == [f"crate={cargo.root}/maths", "locked=1", "test=one"]
    assert json.loads(environment["CRATEGRAD_ARGUMENTS"]) == ["some_name", "--nocapture"]
    assert environment["CRATEGRAD_OFFLINE"] == "1"


def test_target_folder_is_from_where_one_is(cargo: Cargo) -> None:
    assert cargo.autodiff("build --bin app --target-dir ../built", "app") == ["build crate=app target-dir=built bin=app"]


def test_how_cargo_goes_about_it_is_told_by_its_own_variables(cargo: Cargo) -> None:
    names = ("CARGO_BUILD_JOBS", "CARGO_TERM_VERBOSE", "CARGO_TERM_QUIET", "CARGO_TERM_COLOR")
    lines = {"-j 2": "2", "-v": "true", "-q": "true", "--color never": "never"}
    for line, said in {
        "": {},
        **{line: {name: value} for name, (line, value) in zip(names, lines.items(), strict=True)},
    }.items():
        cargo.autodiff(f"build --bin app {line}", "app")
        ((_, environment),) = cargo.started
        assert {name: environment[name] for name in names if name in environment} == said


DOCUMENTED = """\
//! ```
//! maths::f();
//! ```
//!
//! ```text
//! ```rust
//! ```

/// ~~~rust,no_run
/// let text = "
/// ```
/// ";
/// ~~~
///
/// ```ignore
/// ```
/// ```should_panic, edition2021
/// panic!();
/// ```
pub fn f() {}

// ```
// ```
"""


def test_doc_tests_are_said_not_to_be_run(cargo: Cargo, capsys: pytest.CaptureFixture[str]) -> None:
    (cargo.root / "maths/src/lib.rs").write_text(DOCUMENTED)
    said = "note: maths has doc tests (3), which are not run here\n  = help: `cargo test --doc -p maths` runs them"
    cargo.autodiff("test", "maths")
    assert said in capsys.readouterr().err
    assert cargo.code == 0
    cargo.autodiff("test --workspace", "app")
    assert said in capsys.readouterr().err
    for line in ("test --lib", "test --tests", "test --no-run", "test --quiet", "build --examples", "test -p app"):
        cargo.autodiff(line, "maths")
        assert "doc tests" not in capsys.readouterr().err


def test_of_all_targets_it_is_said_which_are_not_run(cargo: Cargo, capsys: pytest.CaptureFixture[str]) -> None:
    cargo.autodiff("test --all-targets --workspace", "app")
    assert capsys.readouterr().err == (
        "note: maths has examples or benches, which are not run as tests here\n"
        "  = help: `cargo autodiff run --example NAME` and `cargo autodiff bench` run them\n"
    )


NAMED = {"RUSTUP_TOOLCHAIN": "/usr", "RUSTUP_TOOLCHAIN_SOURCE": "cli"}


def test_toolchain_of_rustups_command_line_is_the_one(cargo: Cargo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What rustup would take anyhow is no choice of the user's; what he says of ./doit's is."""
    for name, value in NAMED.items():
        monkeypatch.setenv(name, value)
    assert cargo.autodiff("run", "app") == ["execute toolchain=/usr crate=app"]
    assert cargo.autodiff("test --test one", "maths") == ["execute toolchain=/usr crate=maths test=one"]
    assert cargo.autodiff("run toolchain=debian", "app") == ["execute toolchain=debian crate=app"]
    for source in ("default", "env", ""):
        monkeypatch.setenv("RUSTUP_TOOLCHAIN_SOURCE", source)
        assert cargo.autodiff("run", "app") == ["execute crate=app"]


def test_what_fails_ends_it_unless_it_shall_not(cargo: Cargo) -> None:
    cargo.failing = "test=one"
    assert len(cargo.autodiff("test", "maths")) == 2
    assert cargo.code == 1
    for line in ("test --no-fail-fast", "build --tests --keep-going"):
        assert len(cargo.autodiff(line, "maths")) == 3
        assert cargo.code == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "required: command"),
        ("fly", "invalid choice: 'fly'"),
        ("build --exmple x", "unrecognized arguments: --exmple"),
        ("test --doc", "--doc: doc tests are not run here; `cargo test --doc` runs them, without derivatives"),
        ("test --doc=x", "--doc: doc tests are not run here"),
        ("build --message-format json", "--message-format: messages are for people here; `./doit why --json` and"),
        ("build --message-format=json", "--message-format: messages are for people here"),
        ("run --timings", "--timings: the summary of a build has"),
        ("build -Zunstable-options", "-Z: unstable options of cargo's"),
        ("+nightly build", "+nightly: a toolchain is named by `cargo +nightly autodiff` (rustup's) or by toolchain=nightly"),
        ("build --color blue", "argument --color: invalid choice: 'blue'"),
        ("run --all-targets", "--all-targets: run is of --bin and --example"),
        ("run --workspace", "--workspace: run is of --bin and --example"),
        ("run --bins", "--bins: run is of --bin and --example"),
        ("run -p app -p maths", "run is of one program: one -p, one --bin or --example"),
        ("run --bin app --bin other", "run is of one program"),
        ("build --exclude app", "--exclude: it is of --workspace"),
        ("build --workspace --exclude zebra", "package=zebra: "),
        ("build --workspace --bin zebra", "error: --bin zebra: there is none in app, final, maths"),
        ("build -p app -p maths --lib", "error: --lib: there is none in app, maths"),
        ("build -p app -p zebra", "package=zebra: "),
        ("run --lib", "--lib: run is of --bin and --example"),
        ("test --example show", "--example: test is of --bin and --test"),
        ("bench --tests", "--tests: bench is of --bench"),
        ("build what", "error: what: what is for the program comes after `--`"),
        ("build --release --profile dev", "--release is --profile release"),
        ("build -p zebra", "package=zebra: "),
        ("build --target sparc-sun-solaris", "`target` cannot be `sparc-sun-solaris`"),
        ("build colour=red", "colour=red: there is no such variable"),
    ],
)
def test_wrong_words(cargo: Cargo, capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    try:
        cargo.autodiff(line, "app")
        code = cargo.code
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 3
    assert said in capsys.readouterr().err
    assert cargo.started == []
