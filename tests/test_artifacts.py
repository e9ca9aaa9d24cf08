"""What cargo makes, made with derivatives: programs, examples, tests, benches, and libraries for others than Rust."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from pipeline.stages import NAMES
from pipeline.toolchain import rustup_toolchains
from tests.workbench import CUBE, MANIFEST, ROOT, Finished, Workbench, doit, every_strategy

pytestmark = pytest.mark.toolchain

WORKSPACE = ROOT / "tests" / "crates" / "artifacts"


def build(package: str, *arguments: str, command: str = "build") -> Finished:
    """Build something of a package, and insist that it succeeds."""
    finished = doit(command, f"crate={WORKSPACE}", f"package={package}", *arguments)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished


def output(package: str, config: str = "default") -> Path:
    return WORKSPACE / package / "target/crategrad" / config


# ---- Programs


@every_strategy
def test_derivatives_of_a_library_of_the_program_and_of_both(strategy: str) -> None:
    summary = build("app", "bin=app", f"config={strategy}").stdout
    assert subprocess.run([output("app", strategy) / "app"], check=False).returncode == 0
    for derivative in ("d_energy: reverse mode of physics::energy", "d_stretched: reverse mode of physics::stretched", "t_own"):
        assert derivative in summary


def test_binaries_of_a_package_stay_beside_each_other() -> None:
    build("app", "bin=app")
    build("app", "bin=arguments")
    assert build("app", "bin=app").stages == dict.fromkeys(NAMES, "fresh")
    assert build("app", "bin=arguments").stages == dict.fromkeys(NAMES, "fresh")
    assert subprocess.run([output("app") / "arguments", "one", "two"], check=False).returncode == 2
    assert (output("app") / "stages/arguments/06-enzyme/module.bc").exists()


def test_features_chosen_and_left_again() -> None:
    build("app", "bin=app", "features=doubled", command="run")
    assert build("app", "bin=app", "features=doubled").ran == []
    build("app", "bin=app", command="run")
    assert build("app", "bin=app", "all-features=1").stages["enzyme"] == "hit"


def test_feature_that_is_none_is_cargos_to_refuse() -> None:
    finished = doit("build", f"crate={WORKSPACE}", "bin=app", "features=trebled")
    assert finished.returncode == 1
    assert "trebled" in finished.stderr
    assert "error: `app` does not build" in finished.stderr


@pytest.mark.parametrize("kind", ["example=show", "bench=speed"])
def test_example_and_bench(kind: str) -> None:
    build("physics", kind, command="run")


def test_package_where_more_than_one_is_meant() -> None:
    finished = doit("build", f"crate={WORKSPACE}/app")
    assert finished.returncode == 1
    assert "`app` has 2 binaries: app, arguments" in finished.stderr
    assert "bin=app" in finished.stderr


# ---- Tests


def test_tests_of_a_package_and_what_fails_in_them() -> None:
    """One program, run twice: each test is a process of its own, so that a panic ends no other."""
    passed = build("physics", "test=whole", command="run")
    assert "3 passed; 0 failed; 1 ignored" in passed.stdout
    failed = cargo("test", "--test", "whole", "fails", "--", "--ignored", folder=WORKSPACE / "physics/tests")
    assert failed.returncode == 101
    assert "test fails ... FAILED" in failed.stdout
    assert "target/crategrad/default/tests/whole ended with exit 101" in failed.stderr


@pytest.mark.full
def test_unit_tests_of_a_library_by_the_other_strategy() -> None:
    """All of std's test harness is in the module, and nothing in it is asked for what optimising makes of it."""
    ran = build("physics", "lib=1", "tests=1", "config=fat-lto", "opt2.level=0", "codegen.level=0", command="run")
    assert "1 passed; 0 failed" in ran.stdout


@pytest.mark.parametrize("config", ["default", "slice"])
def test_test_starts_binaries_of_its_package(config: str) -> None:
    """The stages are the same in both configs; the paths that are compiled in are not."""
    for name in ("app", "arguments"):
        (output("app", config) / name).unlink(missing_ok=True)
    ran = cargo("test", "--test", "starts", f"config={config}", folder=WORKSPACE / "app")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout
    again = build("app", "test=starts", f"config={config}")
    assert again.ran == []
    assert "binary `app`" not in again.stderr


def test_a_cell_of_a_matrix_has_the_binaries_that_its_test_starts(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text("cells: {starting: }")
    for name in ("app", "arguments"):
        (output("app", "starting") / name).unlink(missing_ok=True)
    asked = ["matrix", "--json", f"crate={WORKSPACE}", "package=app", "test=starts", f"matrix={tmp_path / 'm.yaml'}"]
    for how in ("ran", "fresh"):
        built = doit(*asked)
        assert built.returncode == 0, built.stdout + built.stderr
        (cell,) = json.loads(built.stdout)["cells"]
        assert (cell["stages"][-1]["stage"], cell["stages"][-1]["how"]) == ("binaries", how)
    told = os.environ | {"CARGO_BIN_EXE_app": str(output("app", "starting") / "app")}
    started = subprocess.run([ROOT / cell["product"]], env=told, capture_output=True, text=True, check=False)
    assert "3 passed" in started.stdout, started.stdout + started.stderr


def test_binaries_are_built_for_a_test_that_asks_for_them_alone(tmp_path: Path) -> None:
    """Without derivatives: it is cargo that says which there are."""
    write(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "starter"\nedition = "2024"\n[workspace]\n[features]\nmore = []\n'
            '[[bin]]\nname = "starter"\npath = "src/main.rs"\n'
            '[[bin]]\nname = "another"\npath = "src/main.rs"\nrequired-features = ["more"]\n',
            "src/main.rs": "fn main() {}\n",
            "tests/alone.rs": "#[test]\nfn alone() {}\n",
            "tests/starts.rs": '#[test]\nfn starts() {\n    std::env::var("CARGO_BIN_EXE_starter").unwrap();\n}\n',
        },
    )
    made = tmp_path / "target/crategrad/default"
    for test, there in {"alone": [], "starts": ["starter"]}.items():
        ran = doit("execute", f"crate={tmp_path}", f"test={test}", "autodiff=false", "build_std=none")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert [name for name in ("another", "starter") if (made / name).exists()] == there


def test_what_is_wrong_with_a_binary_is_said_before_the_test_runs(bench: Workbench, tmp_path: Path) -> None:
    crate = bench.copy(tmp_path / "crate")
    crate.write(
        CUBE.replace("x * x * x\n", "unsafe { of_nobody(x) }\n") + 'unsafe extern "C" { fn of_nobody(x: f64) -> f64; }\n'
    )
    write(crate.folder, {"tests/starts.rs": '#[test]\nfn starts() {\n    panic!("{}", env!("CARGO_BIN_EXE_bench"));\n}\n'})
    refused = crate.doit("run", "test=starts")
    assert refused.returncode == 1
    assert "enzyme (binary `bench`)\nerror: `of_nobody` has no body in the program's bitcode" in refused.stderr
    assert "running 1 test" not in refused.stdout


# ---- Libraries


@every_strategy
def test_python_function_has_a_gradient(strategy: str) -> None:
    build("physics", "lib=1", "crate-type=cdylib", f"config={strategy}")
    shared = output("physics", strategy) / "libphysics.so"
    assert exported(shared) == ["energy_and_gradient"]
    function = ctypes.CDLL(str(shared)).energy_and_gradient
    array = ctypes.c_double * 3
    function.restype = ctypes.c_double
    function.argtypes = [array, array, ctypes.c_size_t, ctypes.c_double]
    x, dx = array(1.0, 2.0, 3.0), array()
    assert function(x, dx, 3, 2.0) == 14.0
    assert list(dx) == [2.0, 4.0, 6.0]


HEADER = "double energy_and_gradient(const double *x, double *dx, size_t length, double stiffness);\n"

C_PROGRAM = """\
#include <stddef.h>
#include "physics.h"

int main(void) {
    double x[3] = {1, 2, 3}, dx[3] = {0, 0, 0};
    double energy = energy_and_gradient(x, dx, 3, 2.0);
    return !(energy == 14 && dx[0] == 2 && dx[1] == 4 && dx[2] == 6);
}
"""


@every_strategy
def test_c_program_is_linked_with_a_static_library(strategy: str, tmp_path: Path) -> None:
    summary = build("physics", "lib=1", "crate-type=staticlib", f"config={strategy}").stdout
    (libraries,) = (line.split()[4:] for line in summary.splitlines() if line.startswith("   to be linked with "))
    assert "-lm" in libraries
    write(tmp_path, {"physics.h": HEADER, "main.c": C_PROGRAM})
    archive = output("physics", strategy) / "libphysics.a"
    subprocess.run(["cc", "-o", "program", "main.c", archive, *libraries], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 0


def test_library_in_two_forms_wants_a_choice_and_does_not_run() -> None:
    finished = doit("build", f"crate={WORKSPACE}/physics")
    assert finished.returncode == 1
    assert "the library `physics` is made as cdylib and staticlib" in finished.stderr
    assert "lib=1 crate-type=cdylib" in finished.stderr
    started = doit("execute", f"crate={WORKSPACE}/physics", "lib=1", "crate-type=cdylib")
    assert started.returncode == 1
    assert "error: lib `physics` does not run" in started.stderr
    assert "crate_bitcode" not in started.stderr


def test_library_for_rust_alone_is_no_artifact_unless_it_is_asked_for() -> None:
    finished = doit("build", f"crate={WORKSPACE}/plain")
    assert finished.returncode == 1
    assert "`plain` (" in finished.stderr
    assert "is a library: there is no binary to build" in finished.stderr
    build("plain", "lib=1", "crate-type=cdylib")
    assert exported(output("plain") / "libplain.so") == ["twice"]


def test_clean_takes_away_an_artifact_and_its_views() -> None:
    build("plain", "lib=1", "crate-type=cdylib")
    finished = doit("clean", f"crate={WORKSPACE}/plain", "lib=1", "crate-type=cdylib")
    assert finished.returncode == 0, finished.stderr
    assert not output("plain").exists()


# ---- From cargo


def test_cargo_runs_a_program_with_its_arguments() -> None:
    ran = cargo("run", "--bin", "arguments", "--", "--release", "a=b", "", *"1234", folder=WORKSPACE / "app/src/bin")
    assert "app/target/crategrad/default/arguments ended with exit 7" in ran.stderr
    assert ran.returncode == 7


ENDING = CUBE.replace("= df(x, 1.0)", "= if available() { df(x, 1.0) } else { (f(x), 3.0 * x * x) }").replace(
    "i32::from(!right)", 'if std::env::var("END").unwrap() == "7" { 6 + i32::from(right) } else { std::process::abort() }'
)


@pytest.mark.parametrize("line", ["run", "test --test own", "test --test own --no-fail-fast"])
@pytest.mark.parametrize("end", ["7", "SIGABRT"])
def test_exit_code_is_that_of_plain_cargo(bench: Workbench, line: str, end: str) -> None:
    bench.write(ENDING, f'{MANIFEST}[[test]]\nname = "own"\nharness = false\n')
    write(bench.folder, {"tests/own.rs": ENDING})
    plain = run_cargo(*line.split(), folder=bench.folder, END=end)
    ours = run_cargo("autodiff", *line.split(), folder=bench.folder, END=end)
    assert f"ended with {'exit 7' if end == '7' else end}" in ours.stderr
    assert ours.returncode == (plain.returncode if plain.returncode >= 0 else 128 - plain.returncode)  # as a shell has it


PANICKING = """\
use autodiff::*;

#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {
    let x = std::env::args().count() as f64;
    let slope = if available() { df(x, 1.0).1 } else { 2.0 * x };
    panic!("f({x}) = {}, its slope is {slope}", f(x));
}
"""


@pytest.mark.parametrize(
    ("panic", "words", "code"), [("unwind", ["panic=unwind", "build_std=prebuilt"], 101), ("abort", [], 128 + signal.SIGABRT)]
)
def test_exit_code_of_a_panic_is_that_of_plain_cargo(bench: Workbench, panic: str, words: list[str], code: int) -> None:
    bench.write(PANICKING)
    plain = run_cargo("run", "--config", f'profile.dev.panic="{panic}"', folder=bench.folder)
    ours = cargo("run", *words, folder=bench.folder)
    assert "f(1) = 1, its slope is 2" in plain.stderr
    assert "f(1) = 1, its slope is 2" in ours.stderr
    assert ours.returncode == code == (plain.returncode if plain.returncode >= 0 else 128 - plain.returncode)


def test_cargo_builds_all_that_a_package_has() -> None:
    built = cargo("build", "-p", "app", "--release", "config=default", folder=WORKSPACE)
    assert built.returncode == 0, built.stderr
    assert [line.partition(":")[0] for line in built.stdout.splitlines() if "target/crategrad" in line] == ["app", "arguments"]


def test_cargo_runs_benches_with_its_harness_and_without() -> None:
    ran = cargo("bench", folder=WORKSPACE / "physics")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "test right ... ignored" in ran.stdout
    tested = cargo("bench", "--bench", "harness", "--", "--test", folder=WORKSPACE / "physics")
    assert "test right ... ok" in tested.stdout, tested.stdout + tested.stderr


def test_what_is_unstable_is_refused_in_benches_by_a_stable_compiler() -> None:
    """As by plain cargo, though rustc is asked for an unstable flag."""
    refused = cargo("bench", "--bench", "harness", "--features", "measured", folder=WORKSPACE / "physics")
    assert refused.returncode == 1
    assert re.search(r"error.*feature.*\n --> physics/benches/harness.rs:2:", refused.stderr)


NIGHTLY = next((each.name for each in sorted(rustup_toolchains()) if each.name.startswith("nightly")), None)


@pytest.mark.skipif(NIGHTLY is None, reason="rustup has no nightly toolchain here")
def test_nightlys_benches_are_measured() -> None:
    command = ["bench", "--bench", "harness", "--features", "measured", f"toolchain={NIGHTLY}", "build_std=prebuilt"]
    ran = cargo(*command, folder=WORKSPACE / "physics")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"test measured::speed ... bench: .* ns/iter", ran.stdout)


def test_toolchain_that_rustups_cargo_is_told(bench: Workbench, tmp_path: Path) -> None:
    rustup, toolchains = shutil.which("rustup"), sorted(rustup_toolchains())
    said = subprocess.run([rustup, "--version"], capture_output=True, text=True, check=True).stdout if rustup else ""
    if not (rustup and toolchains and tuple(map(int, said.split()[1].split(".")[:2])) >= (1, 29)):
        pytest.skip("there is no rustup 1.29 with a toolchain")
    crate, proxy = bench.copy(tmp_path / "crate"), str(Path(rustup).with_name("cargo"))
    command = [f"+{toolchains[0].name}", "autodiff", "run", "build_std=prebuilt"]
    ran = run_cargo(*command, folder=crate.folder, program=proxy)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rustc = subprocess.run([toolchains[0] / "bin/rustc", "--version"], capture_output=True, text=True, check=True).stdout
    assert rustc.strip().replace("rustc", "rustc version").encode() in (crate.output() / "bench").read_bytes()


def cargo(*arguments: str, folder: Path) -> Finished:
    """`cargo autodiff`, as cargo starts it for a user who has .venv/bin on PATH."""
    finished = run_cargo("autodiff", *arguments, folder=folder)
    assert "Traceback" not in finished.stdout + finished.stderr
    return finished


def run_cargo(*arguments: str, folder: Path, program: str = "/usr/bin/cargo", **variables: str) -> Finished:
    """Debian's cargo, or another one, which finds what is in .venv/bin."""
    environment = {**os.environ, **variables, "PATH": f"{ROOT / '.venv/bin'}:/usr/bin:/bin"}
    finished = subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Finished(finished.returncode, finished.stdout, finished.stderr)


def exported(library: Path) -> list[str]:
    """The symbols that a shared library defines for others."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in listed.stdout.splitlines()]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
