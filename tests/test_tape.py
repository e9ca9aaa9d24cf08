"""The memory of derivatives: whose functions they call for it, what is kept of it, and what is said where there is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import process
from pipeline.tape import Tape
from pipeline.toolchain import find_tools
from tests.test_no_std import PANICS
from tests.workbench import ROOT, Workbench, doit

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
CRATE = ROOT / "tests/crates/tape"
OUTPUT = CRATE / "target/crategrad/default"
MiB = 2**20


# ---- A module, before and after


DERIVATIVE = """
declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) nounwind
    willreturn "alloc-family"="malloc"
declare noalias ptr @calloc(i64, i64) allockind("alloc,zeroed") allocsize(0, 1) memory(inaccessiblemem: readwrite) nounwind
    willreturn "alloc-family"="malloc"
declare ptr @realloc(ptr allocptr, i64)
declare void @free(ptr allocptr captures(none)) allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite)
    nounwind willreturn "alloc-family"="malloc"

define void @df(i64 %n, ptr %to) {
  %tape = call nonnull dereferenceable(8) ptr @malloc(i64 %n)
  %longer = call ptr @realloc(ptr %tape, i64 %n)
  store double 1.0, ptr %longer
  call void @shared(i64 %n)
  store ptr %longer, ptr %to
  ret void
}
define void @dg.1(i64 %n) {
  call void @shared(i64 %n)
  ret void
}
define internal void @shared(i64 %n) noinline {
  %unused = call ptr @calloc(i64 %n, i64 8)
  call void @free(ptr %unused)
  ret void
}
define ptr @other(i64 %n) {
  %memory = call ptr @malloc(i64 %n)
  ret ptr %memory
}
"""


def provided(folder: Path, *, pooled: bool = False, passes: str = "") -> str:
    """The module above, of which `df` and `dg` are derivatives, as text."""
    module = folder / "part.bc"
    subprocess.run([TOOLS.llvm_as.path, "-o", module, "-"], input=DERIVATIVE, text=True, check=True)
    Tape(TOOLS.libllvm, pooled).provide(module, {"df": "`df` of `f`", "dg": "`dg` of `g`"}, module)
    return process.ask([TOOLS.opt, "-S", f"-passes={passes}", module]).output


def called(text: str, function: str) -> list[str]:
    """What a function calls."""
    body = re.search(rf"^define [^\n]*@{re.escape(function)}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert body, text
    return re.findall(r"call [^@\n]*@(\w+)", body[0])


def test_all_memory_that_a_derivative_is_given_is_looked_at_and_no_other(tmp_path: Path) -> None:
    text, check = provided(tmp_path), "crategrad_memory_is_there"
    assert called(text, "df") == ["malloc", check, "realloc", check, "shared"]
    assert called(text, "shared") == ["calloc", check, "free"]
    assert called(text, "other") == ["malloc"]


def test_with_a_pool_whoever_is_reached_is_served_by_it_and_nobody_else(tmp_path: Path) -> None:
    text, check = provided(tmp_path, pooled=True), "crategrad_memory_is_there"
    assert called(text, "df") == ["__crategrad_pooled_malloc", check, "__crategrad_pooled_realloc", check, "shared"]
    assert called(text, "shared") == ["__crategrad_pooled_calloc", check, "__crategrad_pooled_free"]
    assert re.search(r"call noalias [^@\n]*@__crategrad_pooled_malloc\(i64", text)
    assert called(text, "other") == ["malloc"]


def test_each_allocation_says_which_derivatives_it_is_of(tmp_path: Path) -> None:
    said = re.findall(r'c"(`[^"]*)\\00"', provided(tmp_path))
    assert sorted(said) == ["`df` of `f`", "`df` of `f`", "`df` of `f` or `dg` of `g`"]


@pytest.mark.parametrize(("pooled", "ours"), [(False, ""), (True, "__crategrad_pooled_")])
def test_what_nobody_needs_llvm_leaves_out_all_the_same(tmp_path: Path, *, pooled: bool, ours: str) -> None:
    """What it knows of a call of `malloc` it knows of one of the pool."""
    text, end = provided(tmp_path, pooled=pooled, passes="default<O2>"), "crategrad_no_memory"
    assert called(text, "df") == [f"{ours}malloc", end, f"{ours}realloc", end]
    assert "shared" not in text
    assert "@crategrad_memory_is_there" not in text


# ---- A program


@pytest.fixture(scope="module")
def program() -> Path:
    """`tests/crates/tape` with the pool, as nothing else is said."""
    return built("bin=tape") / "tape"


def built(*arguments: str) -> Path:
    finished = doit("build", f"crate={CRATE}", *arguments)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return OUTPUT


def soaked(program: Path, seconds: int, threads: int, most: int) -> dict[str, int]:
    argv: list[str | Path] = [program, *map(str, (seconds, threads, most))]
    finished = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return dict(json.loads(finished.stdout))


@pytest.mark.parametrize(("seconds", "most"), [(1, 20 * MiB), pytest.param(600, 100 * MiB, marks=pytest.mark.full)])
def test_threads_that_end_share_what_is_kept(program: Path, seconds: int, most: int) -> None:
    """Gradients at random sizes against closed forms; eight threads at a time, each of which lives for some gradients."""
    said = soaked(program, seconds, 8, most)
    assert said["threads"] >= 8
    assert said["gradients"] >= 100 * said["threads"]
    assert 0 < said["most_held"] <= most + 8 * 4 * MiB  # each thread may be about to give something back
    # In use: a gradient of 200,000 numbers takes up to six tapes and vectors, and twice that where one is grown.
    assert said["most_resident"] <= most + 8 * 32 * MiB
    assert said["left"] == 0


def test_nothing_is_kept_where_nothing_may_be(program: Path) -> None:
    assert soaked(program, 1, 2, 0)["most_held"] <= 2 * 4 * MiB


def test_without_the_pool_all_is_right_and_nothing_kept(tmp_path: Path) -> None:
    """In a folder of its own: other processes may be running the program with the pool."""
    (tmp_path / "system.yaml").write_text("extends: default\ntape: system\n")
    program = built("bin=tape", f"config={tmp_path / 'system.yaml'}").with_name("system") / "tape"
    assert soaked(program, 1, 2, 100 * MiB)["most_held"] == 0


# ---- A library that comes and goes


@pytest.fixture(scope="module")
def library() -> Path:
    """The same as a library for others than Rust."""
    return built("lib=1", "crate-type=cdylib") / "libtape.so"


UNLOADED = """\
import ctypes, _ctypes, sys, threading
from pathlib import Path

N, LIBRARY = 1_000_000, sys.argv[1]
x, dx = (ctypes.c_double * N)(*[0.5] * N), (ctypes.c_double * N)()

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

def gradient(library):
    ctypes.memset(dx, 0, ctypes.sizeof(dx))
    value = library.gradient(x, dx, ctypes.c_size_t(N))
    assert abs(dx[7] / (value / (N + 0.5)) - 1) < 1e-10, dx[7]

def once(waiting):
    library = ctypes.CDLL(LIBRARY)
    library.gradient.restype, library.kept.restype = ctypes.c_double, ctypes.c_size_t
    gradient(library)
    threads = [threading.Thread(target=gradient, args=[library]) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    lasting = threading.Thread(target=lambda: (gradient(library), called.set(), waiting.wait()))
    called = threading.Event()
    lasting.start()
    called.wait()
    assert library.kept() >= 8 * N, library.kept()
    _ctypes.dlclose(library._handle)
    assert LIBRARY not in Path("/proc/self/maps").read_text(), "it is still there"
    return lasting

waiting, sizes, lasting = threading.Event(), [], []
for _ in range(12):
    lasting.append(once(waiting))
    sizes.append(resident())
waiting.set()
for thread in lasting:
    thread.join()
print(max(sizes) - sizes[1])
"""


def test_library_that_is_unloaded_leaves_nothing(tmp_path: Path, library: Path) -> None:
    """Twelve times; each keeps 8 MB while it is loaded, and has been called by threads that ended, and by one that goes on."""
    (tmp_path / "unloaded.py").write_text(UNLOADED)
    argv: list[str | Path] = [sys.executable, tmp_path / "unloaded.py", library]
    finished = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert int(finished.stdout) < 12 * MiB


def test_library_shows_nothing_of_ours(library: Path) -> None:
    names = process.ask([TOOLS.llvm_nm, "--dynamic", "--defined-only", "--format=just-symbols", library]).output.split()
    assert sorted(names) == ["gradient", "kept"]


# ---- No memory

HUGE = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(d_long, Duplicated, Const, Active)]
fn long(x: &[f64], steps: usize) -> f64 {
    let mut y = x[0];
    for i in 0..steps {
        y += 0.25 * x[i % x.len()] * y;
    }
    y
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let mut dx = [0.0; 2];
    let y = d_long(&[0.5, 1.0], &mut dx, if argc == 1 { 2 } else { 10_000_000_000_000 }, 1.0);
    // y = x0 (1 + x0/4) (1 + x1/4)
    let is_right = (y - 0.703125).abs() < 1e-15 && (dx[0] - 1.5625).abs() < 1e-15 && (dx[1] - 0.140625).abs() < 1e-15;
    i32::from(!is_right)
}
"""


@pytest.mark.parametrize(
    ("strategy", "tape"),
    [
        ("slice", "system"),
        ("slice", "pooled"),
        pytest.param("single-module-merge", "pooled", marks=pytest.mark.full),
        pytest.param("single-module-merge", "system", marks=pytest.mark.full),
        pytest.param("fat-lto", "pooled", marks=pytest.mark.full),
        pytest.param("fat-lto", "system", marks=pytest.mark.full),
    ],
)
def test_where_there_is_no_memory_the_derivative_is_told(
    tmp_path_factory: pytest.TempPathFactory, strategy: str, tape: str
) -> None:
    bench = Workbench(tmp_path_factory.getbasetemp() / "huge")
    bench.write(HUGE)
    bench.build(f"strategy={strategy}", f"tape={tape}")
    program = bench.output() / "bench"
    assert subprocess.run([program], check=False).returncode == 0
    finished = subprocess.run([program, "huge"], capture_output=True, text=True, check=False)
    assert finished.stderr == "memory allocation of 80000000000000 bytes failed in the derivative `d_long` of `bench::long`\n"
    assert finished.returncode == -6  # SIGABRT, as Rust's own


def test_without_std_there_is_a_pool_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The C library is in the link line before the frontend: what is in its archive alone would be missing."""
    bench = Workbench(tmp_path_factory.getbasetemp() / "huge")
    bench.write(HUGE.replace("#![no_main]", "#![no_std]\n#![no_main]") + PANICS)
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0


ANY = """\
#![no_main]
use autodiff::*;

trait Rate: Sync {
    fn at(&self, y: f64) -> f64;
}
struct Same;
struct Half;
impl Rate for Same {
    fn at(&self, y: f64) -> f64 {
        y
    }
}
impl Rate for Half {
    fn at(&self, y: f64) -> f64 {
        0.5 * y
    }
}
static RATES: [&dyn Rate; 2] = [&Same, &Half];

#[autodiff_reverse(d_grown, Duplicated, Const, Active)]
fn grown(x: &[f64], rate: &dyn Rate) -> f64 {
    let mut y = 1.0;
    for x in x {
        y += x * rate.at(y);
    }
    y
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (x, mut dx) = (vec![0.25; 10_000 * argc as usize], vec![0.0; 10_000 * argc as usize]);
    let y = d_grown(&x[..4], &mut dx[..4], RATES[argc as usize], 1.0);
    let is_right = y == 1.125_f64.powi(4) && dx[..4].iter().all(|dx| (dx - 0.5 * y / 1.125).abs() < 1e-15);
    d_grown(&x, &mut dx, RATES[argc as usize], 0.0);
    i32::from(!is_right || autodiff::tape::held() == 0)
}
"""


@pytest.mark.full
def test_where_a_slice_is_not_enough_the_pool_is_in_the_module(tmp_path_factory: pytest.TempPathFactory) -> None:
    bench = Workbench(tmp_path_factory.getbasetemp() / "huge")
    bench.write(ANY)
    bench.build()
    assert (bench.output() / "stages/03-llvm_link/whole").exists()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
