"""The whole line, for real: what runs again, what is kept, and what comes out."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pipeline.locks import Lock
from pipeline.stages import NAMES
from tests.workbench import CUBE, MANIFEST, ROOT, Workbench, doit

pytestmark = pytest.mark.toolchain

ALL = list(NAMES)


def test_the_default_task_builds_and_runs_the_example() -> None:
    finished = doit()
    assert finished.returncode == 0, finished.stderr
    assert "closed form" in finished.stdout


def test_a_program_with_its_gradient_is_built_and_run(bench: Workbench) -> None:
    assert bench.doit("run").returncode == 0
    program = bench.output() / "bench"
    assert subprocess.run([program, "another argument"], check=False).returncode == 0
    summary = bench.build().stdout
    assert str(program) in summary
    assert "df: reverse mode of bench::f (src/main.rs:5:4)" in summary


def test_a_failing_program_fails_the_task_and_says_how_it_ended(bench: Workbench) -> None:
    bench.write(CUBE.replace("i32::from(!right)", "i32::from(right) * 7"))
    finished = bench.doit("run")
    assert finished.returncode == 1
    assert "bench ended with exit 7" in finished.stderr


def test_a_second_build_builds_nothing(bench: Workbench) -> None:
    bench.build()
    again = bench.build()
    assert again.stages == dict.fromkeys(ALL, "fresh")
    assert again.stderr == ""


def test_touching_the_sources_rebuilds_nothing(bench: Workbench) -> None:
    bench.build()
    for path in (bench.folder / "src/main.rs", bench.folder / "Cargo.toml"):
        path.touch()
    assert bench.build().ran == []


def test_a_comment_on_a_line_stops_at_the_bitcode(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x\n", f"x * x * x // {time.time()}\n"))
    assert bench.build().ran == ["crate_bitcode"]


def test_an_edit_that_no_derivative_reaches_stops_at_the_slice(bench: Workbench) -> None:
    """Of code, and of a local's name; the program is linked anew, with the derivative that is there."""
    other = "fn other(n: i32) -> i32 {\n    let m = n * 7;\n    std::hint::black_box(m) - m\n}\n\n#[unsafe"
    reaching = CUBE.replace("i32::from(!right)", "i32::from(!right) + other(argc)").replace("#[unsafe", other)
    bench.write(reaching)
    bench.build()
    for edited in (reaching.replace("n * 7", "n * 9"), reaching.replace("let m", "let k").replace("(m) - m", "(k) - k")):
        bench.write(edited)
        again = bench.build()
        assert set(again.ran) <= {"crate_bitcode", "llvm_link", "link"}
        assert again.stages["enzyme"] == again.stages["codegen"] == "fresh"


INDEXED = """\
#![no_main]
use autodiff::*;

#[inline(never)]
fn scaled(row: &[f64], at: usize) -> f64 {
    let kept = row[at];
    kept * row[0]
}

#[autodiff_reverse(df, Duplicated, Const, Active)]
fn f(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    (0..n).for_each(|at| sum += scaled(x, at) * x[at]);
    sum
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (x, mut dx) = ([1.0, 2.0], [0.0; 2]);
    let value = df(&x, &mut dx, argc as usize, 1.0);
    i32::from(value != 1.0 || dx != [3.0, 0.0])
}
"""

# What changes no code, and where the index is out of bounds then.
HARMLESS = {
    "a comment above": (INDEXED.replace("#[inline", "// Of a row.\n// And more.\n#[inline"), "src/main.rs:8:16"),
    "a comment inside": (INDEXED.replace("    let kept", "    // The element.\n    let kept"), "src/main.rs:7:16"),
    "another name for a local": (INDEXED.replace("kept", "element"), "src/main.rs:6:19"),
    "another name for what a closure keeps": (INDEXED.replace("sum", "total"), "src/main.rs:6:16"),
    "another name for a parameter of what is called": (INDEXED.replace("row", "r"), "src/main.rs:6:16"),
    "code above": (INDEXED.replace("#[inline", "pub fn other() -> i32 {\n    7\n}\n\n#[inline"), "src/main.rs:10:16"),
}


@pytest.mark.parametrize("edit", HARMLESS)
def test_what_changes_no_code_stops_before_the_derivative(bench: Workbench, edit: str) -> None:
    """Places are told as they are now, by a derivative that is as it was: in the summary, and where the program panics."""
    bench.write(INDEXED)
    bench.build()
    bench.write(HARMLESS[edit][0])
    again = bench.build()
    assert set(again.ran) <= {"crate_bitcode", "llvm_link", "opt1", "link"}
    assert {again.stages[name] for name in ("abi_fixup", "enzyme", "opt2", "codegen")} == {"fresh"}
    line = HARMLESS[edit][0].splitlines().index("fn f(x: &[f64], n: usize) -> f64 {") + 1
    assert f"df: reverse mode of bench::f (src/main.rs:{line}:4)" in again.stdout
    program = bench.output() / "bench"
    assert subprocess.run([program], check=False).returncode == 0
    ended = subprocess.run([program, "2", "3"], capture_output=True, text=True, check=False)
    assert f"panicked at {HARMLESS[edit][1]}:\nindex out of bounds" in ended.stderr


def test_a_refusal_tells_the_place_as_it_is_now(bench: Workbench) -> None:
    refused = INDEXED.replace("kept * row[0]", "crate::opaque(kept)") + (
        "\n#[inline(never)]\nfn opaque(x: f64) -> f64 {\n    let mut y = x;\n"
        '    unsafe { std::arch::asm!("addsd {0}, {0}", inout(xmm_reg) y) };\n    y\n}\n'
    )
    for source in (refused, refused.replace("use autodiff", "// One more line.\nuse autodiff")):
        bench.write(source)
        finished = bench.doit("build")
        assert finished.returncode == 1
        line = next(number for number, text in enumerate(source.splitlines(), start=1) if "asm!" in text)
        log = (bench.output() / "stages/06-enzyme.log").read_text()
        for told in (finished.stderr, log):
            assert f"--> src/main.rs:{line}:" in told
            assert "src/main.rs:1000" not in told


def test_an_edit_of_the_function_keeps_std(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    assert bench.build().ran == ALL[1:]


def test_an_edit_that_keeps_the_time_is_compiled(bench: Workbench) -> None:
    """`mv`, `cp -p` and `rsync -t` leave such files: cargo goes by times, and has nothing to do."""
    bench.build()
    source = bench.folder / "src/main.rs"
    was = source.stat()
    bench.write(CUBE.replace("x * x * x", f"x - x * {time.time_ns()}.0"))  # that is in no cache
    os.utime(source, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert "crate_bitcode" in bench.build().ran
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 1


def test_what_is_written_in_the_crates_folder_as_it_is_built_is_named(bench: Workbench) -> None:
    script = bench.folder / "build.rs"
    script.write_text('fn main() { std::fs::write("notes.txt", format!("{:?}", std::time::SystemTime::now())).unwrap(); }')
    try:
        refused = bench.doit("build")
    finally:
        script.unlink()
        (bench.folder / "notes.txt").unlink()
    assert refused.returncode == 1
    assert "error: a source file changed while the crate was built: `notes.txt`" in refused.stderr
    assert "counts as a source" in refused.stderr


def test_an_edit_taken_back_is_found_in_the_cache(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x - {time.time()}"))
    bench.build()
    bench.write(CUBE)
    back = bench.build()
    assert back.ran == []
    assert "hit" in back.stages.values()
    assert bench.doit("run").returncode == 0


def test_a_setting_changed_and_changed_back_is_found_in_the_cache(bench: Workbench) -> None:
    bench.build()
    # Whether codegen and link run depends on whether level 1 makes other bytes of so small a program.
    assert set(bench.build("opt2.level=1").stages.items()) >= {("enzyme", "fresh")}
    assert bench.build().ran == []


@pytest.mark.full
def test_strategies_share_what_they_have_in_common(bench: Workbench) -> None:
    bench.build("config=single-module-merge")
    stages = bench.build("config=fat-lto").stages
    assert stages["build_std"] in {"hit", "fresh"}
    assert stages["crate_bitcode"] in {"hit", "fresh"}


def test_two_crates_share_std_and_come_out_alike_wherever_they_lie(bench: Workbench, own_cache: Path, tmp_path: Path) -> None:
    here = bench.build()
    assert here.stages["build_std"] == "hit"
    there = bench.copy(tmp_path / "deeper" / "down")
    stages = there.build().stages
    assert stages["build_std"] == "hit"
    for stage in ("02-crate_bitcode", "03-llvm_link", "06-enzyme", "09-link"):
        assert _tree(bench, stage) == _tree(there, stage), stage
    assert _digest(bench.output() / "bench") == _digest(there.output() / "bench")
    assert str(tmp_path).encode() not in (there.output() / "bench").read_bytes()
    assert own_cache.is_dir()


def test_a_program_removed_or_replaced_is_put_back(bench: Workbench) -> None:
    bench.build()
    program = bench.output() / "bench"
    good = program.read_bytes()
    program.unlink()
    assert bench.build().ran == []
    assert program.read_bytes() == good
    program.write_bytes(b"another")
    bench.build()
    assert program.read_bytes() == good


def test_clean_and_an_empty_cache_are_safe(bench: Workbench, own_cache: Path) -> None:
    bench.build()
    assert bench.doit("clean").returncode == 0
    assert not bench.output().exists()
    assert bench.build().ran == []
    subprocess.run(["rm", "-rf", own_cache / "digests.json", own_cache / "doit"], check=True)
    assert bench.build().ran == []
    subprocess.run(["rm", "-rf", *own_cache.glob("trees/*/program.o"), *own_cache.glob("tmp")], check=True)
    assert bench.build("opt2.level=2").returncode == 0


def test_a_damaged_output_is_made_again(bench: Workbench, own_cache: Path) -> None:
    bench.build()
    damaged = own_cache / "trees" / _tree(bench, "04-opt1") / "module.bc"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    refused = bench.doit("-s", "abi_fixup")
    assert refused.returncode == 1
    assert "what opt1 had made was damaged" in refused.stderr
    assert bench.build().ran == ["opt1"]


def test_a_stage_alone_runs_again_on_what_is_there(bench: Workbench) -> None:
    bench.build()
    before = json.loads(_handle(bench, "06-enzyme").read_text())
    assert bench.doit("-s", "enzyme").returncode == 0
    after = json.loads(_handle(bench, "06-enzyme").read_text())
    assert (after["how"], after["tree"]) == ("ran", before["tree"])
    assert after["when"] > before["when"]
    assert "--tool=llc" in (bench.output() / "stages/06-enzyme.log").read_text()


def test_a_stage_alone_says_what_it_lacks(bench: Workbench, tmp_path: Path) -> None:
    finished = bench.copy(tmp_path / "fresh").doit("-s", "enzyme")
    assert finished.returncode == 1
    assert "abi_fixup has made nothing for this crate and config yet" in finished.stderr


def test_always_execute_runs_every_tool(bench: Workbench) -> None:
    bench.build()
    assert bench.doit("-a", "-s", "opt1").returncode == 0
    assert json.loads(_handle(bench, "04-opt1").read_text())["how"] == "ran"


def test_stages_may_run_under_several_processes(bench: Workbench) -> None:
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))
    finished = bench.doit("-n", "2", "build")
    assert finished.returncode == 0, finished.stderr
    assert bench.build().ran == []


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_finished_stages_and_leaves_nothing_else(
    bench: Workbench, own_cache: Path, signum: signal.Signals
) -> None:
    code, said = _signalled_at("llvm_link", bench, signum)
    assert code == 128 + signum
    assert "interrupted: finished stages are kept" in said
    assert "Traceback" not in said
    assert list((own_cache / "tmp").iterdir()) == []
    assert _processes_naming(own_cache) == []
    assert "crate_bitcode" not in bench.build().ran


def test_a_reader_that_is_gone_ends_it_like_an_interrupt(bench: Workbench, own_cache: Path) -> None:
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))
    environment = {**os.environ, **bench.environment}
    command = [str(ROOT / "doit"), "build", f"crate={bench.folder}"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        while "crate_bitcode" not in child.stderr.readline():
            pass
        child.stderr.close()  # cargo has more to say
    assert child.returncode == 128 + signal.SIGPIPE
    assert list((own_cache / "tmp").iterdir()) == []
    assert _processes_naming(own_cache) == []


def test_a_killed_run_loses_no_finished_stage(bench: Workbench, own_cache: Path) -> None:
    code, _ = _signalled_at("opt1", bench, signal.SIGKILL)
    assert code == -signal.SIGKILL
    again = bench.build()
    assert {"build_std", "crate_bitcode"} & set(again.ran) == set()
    assert bench.doit("cache", "gc").returncode == 0
    assert list((own_cache / "tmp").iterdir()) == []


def test_without_doits_state_nothing_runs_again(bench: Workbench, own_cache: Path) -> None:
    bench.build()
    states = list((own_cache / "doit").iterdir())
    for damage in (b"", b"{", b"\xff\0", b"[]", b'{"opt1": 7}'):
        for state in states:
            state.write_bytes(damage)
        again = bench.build()
        assert again.ran == []
        assert "warning" not in again.stderr
    shutil.rmtree(own_cache / "doit")
    assert bench.build().ran == []


def test_two_builds_of_the_same_at_the_same_time(bench: Workbench, own_cache: Path) -> None:
    """Whoever comes second waits, and takes what the first has made."""
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))
    command = [str(ROOT / "doit"), "build", f"crate={bench.folder}"]
    environment = {**os.environ, **bench.environment, "CRATEGRAD_CACHE": str(own_cache)}
    both = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [each.communicate()[1] for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    assert "Traceback" not in "".join(said)
    assert "waiting for another ./doit" in "".join(said)
    assert bench.build().ran == []


def test_cargo_is_at_work_once_in_a_folder(bench: Workbench) -> None:
    """By another config there lies another artifact in the same place: who takes that apart has the folder until it is done."""
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))
    command, environment = [str(ROOT / "doit"), "build", f"crate={bench.folder}"], {**os.environ, **bench.environment}
    turn = Lock(bench.folder / "target/crategrad/cargo/turn")
    with turn.held(), subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        while "waiting for another ./doit, which has cargo at work" not in (said := child.stderr.readline()):
            assert "Compiling" not in said
            assert child.poll() is None
        turn.release()
        assert "Compiling bench" in child.stderr.read()
    assert child.returncode == 0


def test_a_cache_that_cannot_be_written_is_a_warning(bench: Workbench) -> None:
    bench.environment["CRATEGRAD_CACHE"] = "/dev/null/cache"
    plain = ("autodiff=false", "bitcode=false", "build_std=none")
    built = bench.build(*plain)
    assert built.ran == ["crate_bitcode", "link"]
    assert built.stderr.count("warning: the cache cannot be used (Not a directory: /dev/null/cache/tmp)") == 1
    assert (bench.output() / "bench").exists()
    assert bench.build(*plain).ran == []
    assert "left as it is" in bench.doit("cache", "gc").stderr


def test_a_crate_without_derivatives_is_built_as_by_cargo(bench: Workbench) -> None:
    bench.write('fn main() { println!("{}", std::env::args().count()) }\n')
    built = bench.build()
    assert "no #[autodiff…] derivative is used in bench: built as by plain cargo" in built.stdout
    assert subprocess.run([bench.output() / "bench"], capture_output=True, check=True).stdout == b"1\n"


@pytest.mark.parametrize(
    "overrides",
    [("autodiff=false",), ("autodiff=false", "build_std=none"), ("autodiff=false", "bitcode=false", "build_std=none")],
)
def test_without_autodiff_a_derivative_says_how_to_build_it(bench: Workbench, overrides: tuple[str, ...]) -> None:
    bench.write(
        "use autodiff::*;\n#[autodiff_reverse(df, Active, Active)]\nfn f(x: f64) -> f64 { x }\nfn main() { df(1.0, 1.0); }\n"
    )
    built = bench.build(*overrides)
    assert "built without derivatives" in built.stdout
    ended = subprocess.run([bench.output() / "bench"], capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGABRT
    assert "`df`" in ended.stderr
    assert "./doit build" in ended.stderr


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("enzyme-nonesuch=true", "Unknown command line argument '--enzyme-nonesuch=1'"),
        ("enzyme-print-perf=maybe", "for the --enzyme-print-perf option: 'maybe' is invalid value for boolean argument!"),
    ],
)
def test_a_flag_that_enzyme_does_not_know_is_not_the_functions_fault(bench: Workbench, flag: str, said: str) -> None:
    refused = bench.doit("build", f"enzyme.flags.{flag}")
    assert refused.returncode == 3
    assert f"error: enzyme: {said}" in refused.stderr
    assert "src/main.rs" not in refused.stderr


def test_other_toolchains_and_flags_on_the_way_do_not_get_in(bench: Workbench, tmp_path: Path) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    bench.build()
    right = (bench.output() / "bench").read_bytes()
    for name in ("cargo", "rustc", "cc", "collect2", "ld", "opt"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 99\n")
        (tmp_path / name).chmod(0o755)
    bench.environment |= {"PATH": f"{tmp_path}:{os.environ['PATH']}", "RUSTFLAGS": "-Cnonsense", "RUSTC": "/nowhere"}
    bench.environment |= {"CARGO_TARGET_DIR": str(tmp_path), "RUSTC_WRAPPER": "/nowhere", "CARGO_BUILD_TARGET": "nonsense"}
    bench.environment |= {"COMPILER_PATH": str(tmp_path), "LIBRARY_PATH": str(tmp_path), "LD_RUN_PATH": "/nowhere"}
    bench.environment |= {"LD_LIBRARY_PATH": str(tmp_path), "SOURCE_DATE_EPOCH": "7", "GCC_COMPARE_DEBUG": "1"}
    assert bench.build().ran == [], "none of these is in a key"
    for stage in ALL[1:]:
        finished = bench.doit("-s", stage)
        assert finished.returncode == 0, finished.stderr
    assert (bench.output() / "bench").read_bytes() == right
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    assert bench.build().ran == ALL[1:]


def test_a_file_read_from_outside_the_crate_is_an_input(bench: Workbench, tmp_path: Path) -> None:
    outside = tmp_path / "factor.txt"
    outside.write_text("three")
    text = f'include_str!("{outside}").len() as f64'
    bench.write(CUBE.replace("x * x * x\n", f"x * x * x * ({text} / {text})\n"))
    bench.build()
    assert bench.build().ran == []
    outside.write_text("four")
    assert "crate_bitcode" in bench.build().ran


def test_a_place_that_is_compiled_in_is_an_input(bench: Workbench, tmp_path: Path) -> None:
    """The same sources elsewhere, with the lock and all, and the same cache: each program knows its own folder."""
    named = 'println!("{}", env!("CARGO_MANIFEST_DIR"));'
    bench.write(f"fn main() {{\n    {named}\n}}\n")
    bench.build()
    there = bench.copy(tmp_path / "there")
    for crate in (there, bench, there):
        assert crate.doit("run").stdout == f"{crate.folder}\n"
        assert crate.build().ran == []


def test_paths_with_spaces_and_other_folders(bench: Workbench, tmp_path: Path) -> None:
    moved = bench.copy(tmp_path / "a folder" / "ein Ordner")
    finished = doit("build", "crate=ein Ordner", cwd=tmp_path / "a folder")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("bench: ein Ordner/target/crategrad/default/bench\n")
    assert moved.output().is_dir()


def test_a_config_of_ones_own_is_named_by_its_file(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "gentle.yaml").write_text("extends: default\nenzyme:\n  fast_math: false\n")
    finished = doit("build", f"crate={bench.folder}", "config=gentle.yaml", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert (bench.folder / "target/crategrad/gentle/bench").exists()
    log = bench.folder / "target/crategrad/gentle/stages/06-enzyme.log"
    assert "--enzyme-fast-math=0" in log.read_text()
    shutil.rmtree(bench.folder / "target/crategrad/gentle/stages")
    assert "enzyme" not in bench.build(f"config={tmp_path}/gentle.yaml").ran
    assert "--enzyme-fast-math=0" in log.read_text(), "what was said then is shown on a hit, too"


def test_a_program_of_forward_mode_alone(bench: Workbench) -> None:
    """Enzyme does nothing at all where no name asks for reverse mode."""
    bench.write(CUBE.replace("autodiff_reverse(df, Active, Active)", "autodiff_forward(df, Dual, Dual)"))
    assert bench.doit("run").returncode == 0


def test_dependencies_from_the_registry_and_by_path_are_merged(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "helper/src").mkdir(parents=True)
    (tmp_path / "helper/Cargo.toml").write_text('[package]\nname = "helper"\nversion = "0.1.0"\nedition = "2021"\n')
    (tmp_path / "helper/src/lib.rs").write_text("#[inline(never)]\npub fn square(x: f64) -> f64 {\n    x * x\n}\n")
    manifest = MANIFEST.replace("[workspace]", f'helper = {{ path = "{tmp_path}/helper" }}\nnum-traits = "0.2"\n\n[workspace]')
    cube = "num_traits::Float::abs(num_traits::Float::signum(x)) * x * helper::square(x)\n"
    bench.write(CUBE.replace("x * x * x\n", cube), manifest)
    assert bench.doit("run").returncode == 0
    modules = {path.name[3:] for path in (bench.output() / "stages/02-crate_bitcode/bitcode").iterdir()}
    assert {"bench", "helper", "num_traits"} <= modules
    (tmp_path / "helper/src/lib.rs").write_text(f"pub fn square(x: f64) -> f64 {{\n    x * x + {time.time()}\n}}\n")
    assert bench.build().ran == ALL[1:]
    bench.write(CUBE)
    bench.build()
    (tmp_path / "helper/src/lib.rs").write_text("one that is not used any more")
    assert bench.build().ran == []
    noted = json.loads((bench.folder / "target/crategrad/.read/bench.json").read_text())
    del noted["variables"]  # what the build scripts of others ask for
    assert noted == {"read": [], "places": []}


def _signalled_at(stage: str, bench: Workbench, signum: signal.Signals) -> tuple[int, str]:
    """How a build ended that got a signal when it came to a stage, and what it said."""
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))
    environment = {**os.environ, **bench.environment}
    command = [str(ROOT / "doit"), "build", f"crate={bench.folder}"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        said = ""
        while stage not in said:
            said += child.stderr.readline()
        child.send_signal(signum)
        said += child.stderr.read()
    return child.returncode, said


def _handle(bench: Workbench, stage: str) -> Path:
    return bench.output() / f"stages/{stage}.json"


def _tree(bench: Workbench, stage: str) -> str:
    return str(json.loads(_handle(bench, stage).read_text())["tree"])


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _processes_naming(path: Path) -> list[str]:
    """The command lines of processes that name the path."""
    lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(path) in line:
            lines.append(line)
    return lines
