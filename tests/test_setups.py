"""What crates bring along: profiles, flags, cargo's configuration, locks, C, names: works, or one message says what and where.

A `static` that the slice and the rest of the program share is in test_strategies, `rust-toolchain.toml` in test_toolchains.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_strategies import program
from tests.workbench import CUBE, MANIFEST, ROOT, Finished, Workbench, every_strategy

pytestmark = pytest.mark.toolchain

PLAIN = '[package]\nname = "plain"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'


@pytest.fixture
def plain(tmp_path: Path) -> Workbench:
    """A crate of one file, without derivatives: what goes wrong with it goes wrong before these matter."""
    bench = Workbench(tmp_path / "plain")
    bench.write("fn main() {}\n", PLAIN)
    return bench


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def refusal(bench: Workbench) -> str:
    """The message with which a build of the crate is refused."""
    finished = bench.doit("build")
    assert finished.returncode == 1, finished.stdout
    return finished.stderr


def is_right(bench: Workbench, config: str = "default") -> bool:
    return subprocess.run([bench.output(config) / "bench"], check=False).returncode == 0


def left_out(built: Finished) -> list[str]:
    lines = built.stdout.splitlines()
    return [line.removeprefix("   left out: ") for line in lines if line.startswith("   left out: ")]


# ---- Profiles

FAT = '\n[profile.fat]\ninherits = "release"\nlto = "fat"\ncodegen-units = 256\nstrip = true\npanic = "unwind"\n'

IN_MODULES = """
mod scaling {
    use autodiff::*;
    #[autodiff_reverse(d_scaled, Const, Active, Active)]
    pub fn scaled<const N: usize, F: Fn(f64) -> f64>(by: F, x: f64) -> f64 { by(x) * N as f64 }
}
mod one { pub fn slope(x: f64) -> f64 { super::scaling::d_scaled::<3, _>(|x| x * x, x, 1.0).1 } }
mod other { pub fn slope(x: f64) -> f64 { super::scaling::d_scaled::<5, _>(f64::sin, x, 1.0).1 } }
"""


@every_strategy
def test_fat_lto_and_many_codegen_units_of_the_crates_own(bench: Workbench, strategy: str) -> None:
    bench.write(program(IN_MODULES, "close(one::slope(x), 6.0 * x) && close(other::slope(x), 5.0 * x.cos())"), MANIFEST + FAT)
    bench.build(f"config={strategy}", "profile=fat")
    assert is_right(bench, strategy)


# ---- Code that is written as the crate is built

WRITING = """\
fn main() {
    let out = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("table.rs");
    let text = "static TABLE: [f64; 4] = [0.5, 1.5, 2.5, 3.5];
        pub fn weighed(x: f64, at: usize) -> f64 { TABLE[at % 4] * x * x }
        #[autodiff::autodiff_reverse(d_cube, Active, Active)]
        pub fn cube(x: f64) -> f64 { x * x * x }";
    std::fs::write(out, text).unwrap();
    println!("cargo::rustc-env=SCALE=7");
}
"""
MACROS = """\
use proc_macro::TokenStream;
#[proc_macro]
pub fn polynomial(coefficients: TokenStream) -> TokenStream {
    let terms = coefficients.to_string().split(',').enumerate().map(|(n, a)| format!("{a} * x.powi({n})")).collect::<Vec<_>>();
    terms.join(" + ").parse().unwrap()
}
#[proc_macro_attribute]
pub fn halved(_: TokenStream, item: TokenStream) -> TokenStream {
    item.to_string().replace("4.0", "2.0").parse().unwrap()
}
"""
WRITTEN = """
mod table { include!(concat!(env!("OUT_DIR"), "/table.rs")); }
#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, at: usize) -> f64 { table::weighed(x, at) * env!("SCALE").parse::<f64>().unwrap() }
#[autodiff_reverse(dg, Active, Active)]
fn g(x: f64) -> f64 { macros::polynomial!(1.0, 2.0, 3.0) }
#[macros::halved]
#[autodiff_reverse(dh, Active, Active)]
fn h(x: f64) -> f64 { 4.0 * x * x }
#[autodiff_reverse(dk, Active, Active)]
#[macros::halved]
fn k(x: f64) -> f64 { 4.0 * x * x }
"""
SLOPES = {
    "df(x, 2, 1.0).1": "35.0 * x",
    "dg(x, 1.0).1": "2.0 + 6.0 * x",
    "dh(x, 1.0).1": "4.0 * x",
    "dk(x, 1.0).1": "4.0 * x",
    "table::d_cube(x, 1.0).1": "3.0 * x * x",
}


def test_what_build_scripts_and_macros_write_is_differentiated(bench: Workbench) -> None:
    manifest = LIBRARY.format(name="macros") + "[lib]\nproc-macro = true\n"
    write(bench.folder, {"build.rs": WRITING, "macros/Cargo.toml": manifest, "macros/src/lib.rs": MACROS})
    bench.write(
        program(WRITTEN, " && ".join(f"close({of}, {is_})" for of, is_ in SLOPES.items())),
        MANIFEST.replace("[workspace]", 'macros = { path = "macros" }\n[workspace]'),
    )
    bench.build()
    assert is_right(bench)
    (bench.folder / "build.rs").unlink()
    shutil.rmtree(bench.folder / "macros")


# ---- What build scripts go by

SCRIPT = """\
fn main() {
    println!("cargo::rerun-if-changed=scale.txt");
    println!("cargo::rerun-if-env-changed=SCALE");
    let scale = std::env::var("SCALE").unwrap_or_else(|_| std::fs::read_to_string("scale.txt").unwrap());
    let out = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("scale.rs");
    std::fs::write(out, format!("pub const SCALE: f64 = {};", scale.trim())).unwrap();
}
"""
SCALED = """
include!(concat!(env!("OUT_DIR"), "/scale.rs"));
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { SCALE * x * x }
"""


def scaled(bench: Workbench, said: str = 'option_env!("SAID")') -> list[str]:
    """What the program says of its derivative at 1, and of a variable, after one command."""
    bench.write(program(SCALED, f'{{ println!("{{}} {{:?}}", df(x, 1.0).1 / x, {said}); true }}'))
    bench.build()
    return subprocess.run([bench.output() / "bench"], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture
def scripted(bench: Workbench) -> Iterator[Workbench]:
    write(bench.folder, {"build.rs": SCRIPT, "scale.txt": "3.0"})
    yield bench
    for name in ("build.rs", "scale.txt"):
        (bench.folder / name).unlink()


def test_what_a_build_script_writes_may_be_another_each_time(scripted: Workbench) -> None:
    assert scaled(scripted)[0] == "6"
    (scripted.folder / "scale.txt").write_text("4.0")
    assert scaled(scripted)[0] == "8"


def test_variables_that_the_sources_ask_for_are_the_users(scripted: Workbench) -> None:
    """Be they known from a build before or not, in the first build, in one that finds nothing new, and when they are gone."""
    shutil.rmtree(scripted.folder / "target")
    scripted.environment["SCALE"] = "5.0"
    assert scaled(scripted) == ["10", "None"]
    scripted.environment |= {"SCALE": "7.0", "SAID": "so"}
    assert scaled(scripted) == ["14", 'Some("so")']
    del scripted.environment["SCALE"]
    assert scaled(scripted) == ["6", 'Some("so")']
    assert scripted.build().ran == []


def test_a_variable_without_which_nothing_compiles_is_found_out_where_it_is_set(scripted: Workbench) -> None:
    shutil.rmtree(scripted.folder / "target")
    scripted.environment["SAID"] = "so"
    assert scaled(scripted, 'env!("SAID")') == ["6", '"so"']
    del scripted.environment["SAID"]
    assert "environment variable `SAID` not defined at compile time" in refusal(scripted)


# ---- Flags and cargo's configuration


def test_flags_of_the_environment_are_left_out_and_told(bench: Workbench) -> None:
    built = bench.build()
    assert left_out(built) == []
    bench.environment["RUSTFLAGS"] = "-C target-cpu=native"
    again = bench.build()
    assert again.ran == []
    (told,) = left_out(again)
    assert told.startswith("RUSTFLAGS of the environment: ")
    assert "`codegen.cpu`" in told


def test_what_else_of_the_environment_says_how_to_build_is_told(plain: Workbench) -> None:
    asked = {"CARGO_BUILD_TARGET": "none", "CARGO_TARGET_DIR": "/nowhere", "RUSTC_WRAPPER": "/nowhere/sccache"}
    plain.environment |= asked | {"CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true"}
    told = [each.partition(" of ")[0] for each in left_out(plain.build())]
    assert sorted(told) == sorted(plain.environment)


CONFIGURATION = """\
[build]
rustflags = ["-Cnonsense"]
target = "aarch64-apple-darwin"
[target.x86_64-unknown-linux-gnu]
linker = "{folder}/own-cc"
runner = "{folder}/own-runner"
[target.'cfg(unix)']
rustflags = ["--cfg=nonsense"]
"""


def test_linker_runner_and_flags_of_cargos_configuration_are_left_out_and_told(plain: Workbench) -> None:
    configuration = plain.folder / ".cargo/config.toml"
    write(plain.folder, {".cargo/config.toml": CONFIGURATION.format(folder=plain.folder)})
    keys = [
        "build.rustflags",
        "build.target",
        "target.x86_64-unknown-linux-gnu.linker",
        "target.x86_64-unknown-linux-gnu.runner",
        "target.cfg(unix).rustflags",
    ]
    told = left_out(plain.build())
    assert [each.partition(": ")[0] for each in told] == [f"{key} of {configuration}" for key in keys]
    assert plain.doit("run").returncode == 0


CATCHING = """\
// catch_unwind(|| is not called here
fn main() {
    std::process::exit(std::panic::catch_unwind(|| std::env::args().nth(9).unwrap()).is_ok().into());
}
"""


def test_panics_that_a_program_would_catch_are_told(plain: Workbench) -> None:
    plain.write(CATCHING, PLAIN)
    (told,) = left_out(plain.build())
    assert told.startswith("catch_unwind at src/main.rs:3: a panic ends the program")
    assert plain.doit("run").returncode != 0
    unwinding = ("panic=unwind", "build_std=prebuilt")  # a std of its sources that unwinds would be compiled for this alone
    assert left_out(plain.build(*unwinding)) == []
    assert plain.doit("run", *unwinding).returncode == 0


# ---- What cargo refuses

UNKNOWN = "nonesuch-crate"


def test_lock_that_needs_the_network_where_there_is_none(plain: Workbench) -> None:
    lock = (
        'version = 4\n[[package]]\nname = "plain"\nversion = "0.1.0"\n'
        f'dependencies = ["{UNKNOWN}"]\n[[package]]\nname = "{UNKNOWN}"\nversion = "0.0.17"\n'
        f'source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "{"0" * 64}"\n'
    )
    plain.write("fn main() {}\n", f'{PLAIN}[dependencies]\n{UNKNOWN} = "=0.0.17"\n')
    write(plain.folder, {"Cargo.lock": lock})
    plain.environment["CRATEGRAD_OFFLINE"] = "1"
    said = refusal(plain)
    assert f"`{UNKNOWN}`" in said
    assert "offline" in said
    assert "error: `plain` does not build: cargo says why above\n  = log: " in said
    assert (plain.folder / "Cargo.lock").read_text() == lock


# What the crate `cc` does.
C_COMPILER = """\
fn main() {
    let cc = std::env::var("CC").unwrap();
    let started = std::process::Command::new(&cc).args(["-c", "x.c"]).status();
    assert!(started.unwrap_or_else(|error| panic!("failed to find tool `{cc}`: {error}")).success());
}
"""


def test_c_dependency_without_a_compiler(plain: Workbench) -> None:
    write(plain.folder, {"build.rs": C_COMPILER, "x.c": ""})
    plain.environment["CC"] = "/nowhere/cc"
    said = refusal(plain)
    assert "failed to run custom build command for `plain v0.1.0" in said
    assert "failed to find tool `/nowhere/cc`" in said
    assert "error: `plain` does not build: cargo says why above\n  = log: " in said


MEMBER = '[package]\nname = "member"\nedition = "2024"\n'
CIRCLES = {
    "a member is a workspace that has this as a member": (
        {"crates/member/Cargo.toml": f'{MEMBER}[workspace]\nmembers = ["../../crates/*", "../.."]\n'},
        "multiple workspace roots found in the same workspace",
    ),
    "a member depends on who depends on it": (
        {"crates/member/Cargo.toml": f'{MEMBER}[dependencies]\nplain = {{ path = "../.." }}\n'},
        "cyclic package dependency",
    ),
}


@pytest.mark.parametrize("circle", CIRCLES)
def test_circular_workspace_globs(plain: Workbench, circle: str) -> None:
    files, words = CIRCLES[circle]
    depends = '[dependencies]\nmember = { path = "crates/member" }\n'
    plain.write("fn main() {}\n", PLAIN.replace("[workspace]\n", f'{depends}[workspace]\nmembers = ["crates/*"]\n'))
    write(plain.folder, {"crates/member/src/lib.rs": "", **files})
    assert words in refusal(plain)


def test_glob_that_leads_back_by_a_link(plain: Workbench) -> None:
    plain.write("fn main() {}\n", PLAIN + 'members = ["crates/*"]\n')
    (plain.folder / "crates").mkdir()
    (plain.folder / "crates/loop").symlink_to("..")
    said = refusal(plain)
    assert said.startswith(f"error: cargo cannot read {plain.folder}/Cargo.toml\n")
    assert "two packages named `plain` in this workspace" in said


# ---- Names, and what nobody calls

LIBRARY = f"""\
[package]
name = "{{name}}"
version = "0.1.0"
edition = "2024"
[dependencies]
autodiff = {{{{ path = "{ROOT}/rust/autodiff" }}}}
"""

POWER = """\
use autodiff::*;
#[autodiff_reverse(df, Active, Active)]
pub fn f(x: f64) -> f64 {{ x.powi({power}) }}
pub fn slope(x: f64) -> f64 {{ df(x, 1.0).1 }}
"""


@pytest.fixture
def libraries(bench: Workbench) -> Iterator[Workbench]:
    """The crate with two others, of which each has a function and a derivative by the same names."""
    import shutil

    powers = {"one": 2, "other": 4}
    for name, power in powers.items():
        write(bench.folder / name, {"Cargo.toml": LIBRARY.format(name=name), "src/lib.rs": POWER.format(power=power)})
    yield bench
    for name in powers:
        shutil.rmtree(bench.folder / name)


@every_strategy
def test_two_crates_with_a_derivative_of_the_same_name(libraries: Workbench, strategy: str) -> None:
    both = 'one = { path = "one" }\nother = { path = "other" }\n\n[workspace]'
    right = "close(df(x, 1.0).1, 1.0) && close(one::slope(x), 2.0 * x) && close(other::slope(x), 4.0 * x * x * x)"
    own = "#[autodiff_reverse(df, Active, Active)]\nfn f(x: f64) -> f64 { x }\n"
    libraries.write(program(own, right), MANIFEST.replace("[workspace]", both))
    libraries.build(f"config={strategy}")
    assert is_right(libraries, strategy)


@every_strategy
def test_derivative_that_nobody_calls(bench: Workbench, strategy: str) -> None:
    bench.write(CUBE.replace("= df(x, 1.0)", "= (f(x), 3.0 * x * x)"))
    built = bench.build(f"config={strategy}")
    assert is_right(bench, strategy)
    assert "no #[autodiff…] derivative is used in bench" in built.stdout


# ---- Where it goes, and how it is told


def test_target_folder_elsewhere(plain: Workbench, tmp_path: Path) -> None:
    plain.build(f"target-dir={tmp_path}/built")
    assert (tmp_path / "built/crategrad/default/plain").is_file()
    assert not (plain.folder / "target").exists()
    assert plain.build(f"target-dir={tmp_path}/built").ran == []


def test_target_folder_among_the_sources_is_refused(plain: Workbench) -> None:
    refused = plain.doit("build", f"target-dir={plain.folder}/built")
    assert refused.returncode == 3
    assert "what is built there would be among the sources of" in refused.stderr
    assert not (plain.folder / "built").exists()


def test_quiet_and_verbose_as_cargo_has_them(plain: Workbench) -> None:
    plain.environment |= {"CARGO_TERM_QUIET": "true", "CARGO_BUILD_JOBS": "1"}
    quiet = plain.build()
    assert (quiet.stdout, quiet.stderr) == ("", "")
    log = (plain.output() / "stages/02-crate_bitcode.log").read_text()
    assert "--jobs=1 --quiet" in log
    plain.environment |= {"CARGO_TERM_QUIET": "", "CARGO_TERM_VERBOSE": "true"}
    plain.write(f"fn main() {{}} // {time.time_ns()}: that is in no cache\n", PLAIN)
    assert "--crate-name plain" in plain.build().stderr
