"""C libraries that build scripts make: they are linked as cargo links them, and an edit of C alone is an edit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.toolchain import LLVM_MAJOR, find_tools
from tests.workbench import CUBE, ROOT, Workbench, every_strategy

pytestmark = pytest.mark.toolchain

MANIFEST = '[package]\nname = "plain"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'

WITH_AUTODIFF = f'{MANIFEST}[dependencies]\nautodiff = {{ path = "{ROOT}/rust/autodiff" }}\n'

# What the crate `cc` does, of each C file in the folder `c`: one library of all.
BUILD = """\
use std::process::Command;
fn run(program: &str, arguments: &[&str]) {
    assert!(Command::new(program).args(arguments).status().unwrap().success());
}
fn compile(arguments: &[&str]) {
    let given = |name: &str, other: &str| std::env::var(name).unwrap_or(other.into());
    let flags = given("CFLAGS", "");
    run(&given("CC", "cc"), &[&flags.split_whitespace().collect::<Vec<_>>(), arguments].concat());
}
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    println!("cargo::rerun-if-env-changed=CC");
    println!("cargo::rerun-if-env-changed=CFLAGS");
    println!("cargo::rerun-if-changed=c");
    @MAKE@
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-lib=@KIND@=foo");
}
"""
STATIC = """\
compile(&["-fPIC", "-O1", "-c", "c/foo.c", "-o", &format!("{out}/foo.o")]);
    run("ar", &["crs", &format!("{out}/libfoo.a"), &format!("{out}/foo.o")]);"""

CALLED = 'unsafe extern "C" { safe fn number() -> i32; }'
MAIN = """\
unsafe extern "C" { fn number() -> i32; }
fn main() { println!("{}", unsafe { number() }); }
"""


def script(kind: str = "static", make: str = STATIC) -> str:
    return BUILD.replace("@MAKE@", make).replace("@KIND@", kind)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def plain(tmp_path: Path) -> Workbench:
    """A crate of one file, without derivatives."""
    bench = Workbench(tmp_path / "plain")
    bench.write(MAIN, MANIFEST)
    return bench


def says(bench: Workbench) -> str:
    """What the program says."""
    program = bench.output() / "plain"
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("kind", ["static", "static:+whole-archive", "static:-bundle"])
def test_an_edit_of_c_alone(plain: Workbench, kind: str) -> None:
    write(plain.folder, {"build.rs": script(kind)})
    for number in ("1", "2"):
        write(plain.folder, {"c/foo.c": f"int number(void) {{ return {number}; }}\n"})
        plain.build()
        assert says(plain) == number


SYS = "foo-sys"
DEPENDING = f'{MANIFEST}[dependencies]\n{SYS} = {{ path = "{SYS}" }}\n'


@pytest.mark.parametrize("kind", ["static", "static:+whole-archive", "static:-bundle"])
def test_an_edit_of_c_alone_in_a_dependency(plain: Workbench, kind: str) -> None:
    """rustc has the library in the dependency's own, or beside it."""
    sys = {"Cargo.toml": MANIFEST.replace("plain", SYS).replace("[workspace]\n", ""), "build.rs": script(kind)}
    calling = 'unsafe extern "C" { fn number() -> i32; }\npub fn called() -> i32 { unsafe { number() } }\n'
    write(plain.folder / SYS, sys | {"src/lib.rs": calling})
    plain.write('fn main() { println!("{}", foo_sys::called()); }\n', DEPENDING)
    for number in ("1", "2"):
        write(plain.folder / SYS, {"c/foo.c": f"int number(void) {{ return {number}; }}\n"})
        plain.build()
        assert says(plain) == number


SHARED = 'compile(&["-fPIC", "-shared", "c/foo.c", "-o", &format!("{out}/libfoo.so")]);'


def test_shared_library_that_a_build_script_makes(plain: Workbench) -> None:
    write(plain.folder, {"build.rs": script("dylib", SHARED), "c/foo.c": "int number(void) { return 3; }\n"})
    assert plain.doit("run").stdout.splitlines()[-1] == "3"
    link = (plain.output() / "stages/02-crate_bitcode/link.json").read_text()
    assert str(plain.folder) not in link


def test_gradcheck_finds_a_shared_library_that_a_build_script_makes(plain: Workbench) -> None:
    write(plain.folder, {"build.rs": script("dylib", SHARED), "c/foo.c": "int number(void) { return 3; }\n"})
    plain.write(CUBE.replace("use autodiff::*;", f"use autodiff::*;\n{CALLED}").replace("argc)", "number())"), WITH_AUTODIFF)
    checked = plain.doit("gradcheck")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "2 right" in checked.stdout


def test_library_that_is_given_by_its_path(plain: Workbench) -> None:
    by_path = script().replace(
        'println!("cargo::rustc-link-lib=static=foo");', 'println!("cargo::rustc-link-arg={out}/libfoo.a");'
    )
    write(plain.folder, {"build.rs": by_path})
    for number in ("1", "2"):
        write(plain.folder, {"c/foo.c": f"int number(void) {{ return {number}; }}\n"})
        plain.build()
        assert says(plain) == number


# A C library that calls Rust, and of which nothing is called by its name: it is there by `+whole-archive` alone.
CALLS_RUST = """\
extern void note(void);
static void __attribute__((constructor)) begin(void) { note(); }
"""
CALLED_FROM_C = """\
#![no_main]
use autodiff::*;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
static NOTED: AtomicI32 = AtomicI32::new(0);
#[unsafe(no_mangle)]
pub extern "C" fn note() { NOTED.fetch_add(1, Relaxed); }
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { x * x * x }
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc);
    i32::from(!(df(x, 1.0).1 == 3.0 * x * x && NOTED.load(Relaxed) == 1))
}
"""


@every_strategy
def test_whole_archive(plain: Workbench, strategy: str) -> None:
    write(plain.folder, {"build.rs": script("static:+whole-archive"), "c/foo.c": CALLS_RUST})
    plain.write(CALLED_FROM_C, WITH_AUTODIFF)
    plain.build(f"config={strategy}")
    assert subprocess.run([plain.output(strategy) / "plain"], check=False).returncode == 0


@pytest.mark.parametrize("strategy", ["slice", "fat-lto"])
def test_static_library_has_the_crates_own_c(plain: Workbench, strategy: str) -> None:
    """Whoever links it needs no library of the crate's."""
    write(
        plain.folder, {"build.rs": script(), "c/foo.c": "int number(void) { return 4; }\n", "src/lib.rs": FOR_C, "use.c": IN_C}
    )
    plain.build(f"config={strategy}", "lib=1", "crate-type=staticlib")
    library = plain.output(strategy) / "libplain.a"
    use = plain.folder / "use"
    subprocess.run(["cc", f"{use}.c", library, "-lgcc_s", "-lpthread", "-lm", "-ldl", "-o", use], check=True)
    assert subprocess.run([use], check=False).returncode == 5


FOR_C = """\
unsafe extern "C" { fn number() -> i32; }
#[unsafe(no_mangle)]
pub extern "C" fn more() -> i32 { unsafe { number() + 1 } }
"""
IN_C = "int more(void);\nint main(void) { return more(); }\n"


# ---- C and derivatives

SQUARED = "double squared(double x) { return x * x; }\n"
OF_C = """\
unsafe extern "C" { fn squared(x: f64) -> f64; }
pub fn square(x: f64) -> f64 { unsafe { squared(x) } }
"""
USING_C = """\
#![no_main]
use autodiff::*;
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { @BODY@ }
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    i32::from(!(df(x, 1.0).1 == 3.0 * x * x && foo_sys::square(x) == x * x))
}
"""


@pytest.fixture
def using_c(plain: Workbench) -> Workbench:
    """A crate with derivatives that depends on one with C."""
    manifest = MANIFEST.replace("plain", SYS).replace("[workspace]\n", "")
    write(plain.folder / SYS, {"Cargo.toml": manifest, "build.rs": script(), "c/foo.c": SQUARED, "src/lib.rs": OF_C})
    return plain


def differentiating(bench: Workbench, body: str, folder: str = SYS) -> None:
    bench.write(USING_C.replace("@BODY@", body), f'{WITH_AUTODIFF}{SYS} = {{ path = "{folder}" }}\n')


@every_strategy
def test_c_outside_of_derivatives(using_c: Workbench, strategy: str) -> None:
    differentiating(using_c, "x * x * x")
    using_c.build(f"config={strategy}")
    assert subprocess.run([using_c.output(strategy) / "plain"], check=False).returncode == 0


@every_strategy
def test_c_that_a_derivative_needs_is_refused(using_c: Workbench, strategy: str) -> None:
    """In a crate of the user's at its own line; in any other where the user calls it."""
    differentiating(using_c, "foo_sys::square(x) * x")
    refused = using_c.doit("build", f"config={strategy}", "c_bitcode=false")
    assert f"--> {SYS}/src/lib.rs:2:" in refused.stderr
    (using_c.folder / SYS).rename(using_c.folder.parent / SYS)
    differentiating(using_c, "foo_sys::square(x) * x", f"../{SYS}")
    refused = using_c.doit("build", f"config={strategy}", "c_bitcode=false")
    assert refused.returncode == 1
    assert "error: `squared` has no body in the program's bitcode" in refused.stderr
    assert "--> src/main.rs:4:23" in refused.stderr
    assert f"it is in what is called here, at {SYS}-0.1.0/src/lib.rs:2:" in refused.stderr


# ---- C that clang compiles

ASSEMBLY = """\
#[inline(never)]
pub fn square(mut x: f64) -> f64 {
    unsafe { core::arch::asm!("mulsd {0}, {0}", inout(xmm_reg) x) };
    x
}
"""


def test_what_the_audit_refuses_in_another_crate_is_told_where_the_user_calls_it(using_c: Workbench) -> None:
    write(using_c.folder / SYS, {"src/lib.rs": ASSEMBLY})
    (using_c.folder / SYS).rename(using_c.folder.parent / SYS)
    differentiating(using_c, "foo_sys::square(x) * x", f"../{SYS}")
    refused = using_c.doit("build")
    assert refused.returncode == 1
    assert "error: inline assembly cannot be differentiated\n  --> src/main.rs:4:23\n" in refused.stderr
    assert f"it is in what is called here, at {SYS}-0.1.0/src/lib.rs:3:" in refused.stderr


CLANG = find_tools().clang.path
with_clang = pytest.mark.skipif(not CLANG.exists(), reason=f"there is no {CLANG.name} of LLVM {LLVM_MAJOR}")

SUMMED = """\
#include <math.h>
#include <stddef.h>
static double weight(double x) { return sin(x); }
double summed(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight(x[i]) * x[i];
    return sum;
}
"""
SUM_OF_C = """\
unsafe extern "C" {
    fn summed(x: *const f64, n: usize) -> f64;
}
pub fn sum(x: &[f64]) -> f64 { unsafe { summed(x.as_ptr(), x.len()) } }
"""
THROUGH_C = """\
#![no_main]
use autodiff::*;
#[autodiff_reverse(df, Duplicated, Active)]
fn f(x: &[f64]) -> f64 { foo_sys::sum(x) * x[0] }
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = [f64::from(argc) + 0.5, 2.0 * f64::from(argc)];
    let mut dx = [0.0; 2];
    let value = df(&x, &mut dx, 1.0);
    let sum = foo_sys::sum(&x);
    let slope = |x: f64| x.cos() * x + x.sin();
    let right = [sum + x[0] * slope(x[0]), x[0] * slope(x[1])];
    let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
    i32::from(!(close(dx[0], right[0]) && close(dx[1], right[1]) && close(value, sum * x[0])))
}
"""


@with_clang
@every_strategy
def test_derivative_through_c(using_c: Workbench, strategy: str) -> None:
    write(using_c.folder / SYS, {"c/foo.c": SUMMED, "src/lib.rs": SUM_OF_C})
    using_c.write(THROUGH_C, f'{WITH_AUTODIFF}{SYS} = {{ path = "{SYS}" }}\n')
    using_c.build(f"config={strategy}")
    program = using_c.output(strategy) / "plain"
    assert subprocess.run([program], check=False).returncode == 0
    assert b".llvmbc" not in program.read_bytes()


COUNTING = "int calls;\ndouble squared(double x) { calls += 1; return x * x; }\n"


@with_clang
def test_variable_of_c_that_changes_is_refused(using_c: Workbench) -> None:
    write(using_c.folder / SYS, {"c/foo.c": COUNTING})
    differentiating(using_c, "foo_sys::square(x) * x")
    refused = using_c.doit("build")
    assert refused.returncode == 1
    assert "cannot be differentiated: `calls`" in refused.stderr


STRUCTS_OF_C = """\
#include <stdarg.h>
#include <stddef.h>
typedef struct { double a, b; } pair;
typedef struct { long n; double x; } counted;
typedef struct { const double *x; size_t n; } list;
double product(pair p) { return p.a * p.a * p.b; }
double times(counted c) { return c.n * c.x * c.x; }
double sum(list l) { double sum = 0; for (size_t i = 0; i < l.n; i++) sum += l.x[i]; return sum; }
double first(int n, ...) { va_list all; va_start(all, n); double x = va_arg(all, double); va_end(all); return n * x; }
"""
BY_VALUE = """\
#[repr(C)] pub struct Pair { pub a: f64, pub b: f64 }
#[repr(C)] pub struct Counted { pub n: i64, pub x: f64 }
#[repr(C)] pub struct List { pub x: *const f64, pub n: usize }
unsafe extern "C" {
    pub fn product(p: Pair) -> f64;
    pub fn times(c: Counted) -> f64;
    pub fn sum(l: List) -> f64;
    pub fn first(n: i32, ...) -> f64;
}
"""
OF_STRUCTS = """\
#![no_main]
use autodiff::*;
use foo_sys::*;
#[autodiff_reverse(df, Active, Active)]
#[autodiff_forward(tf, Dual, Dual)]
fn f(x: f64) -> f64 { unsafe { @BODY@ } }
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let right = 6.0 * x * x + 6.0 * x; // of 2x³ + 3x²
    i32::from(!((df(x, 1.0).1 - right).abs() < 1e-12 && (tf(x, 1.0).1 - right).abs() < 1e-12))
}
"""


@with_clang
def test_structs_in_two_registers_are_handed_to_c_by_value(using_c: Workbench) -> None:
    """Member by member, where rustc and clang have the same members; else, and what is variadic, in words."""
    write(using_c.folder / SYS, {"c/foo.c": STRUCTS_OF_C, "src/lib.rs": BY_VALUE})
    manifest = f'{WITH_AUTODIFF}{SYS} = {{ path = "{SYS}" }}\n'
    using_c.write(OF_STRUCTS.replace("@BODY@", "product(Pair { a: x, b: 2.0 * x }) + times(Counted { n: 3, x })"), manifest)
    using_c.build()
    assert subprocess.run([using_c.output() / "plain"], check=False).returncode == 0
    for body, said in {
        "sum(List { x: &x, n: 1 })": "a function is called by another header than it has",
        "first(2, x)": "a variadic function cannot be differentiated: `first`",
    }.items():
        using_c.write(OF_STRUCTS.replace("@BODY@", body), manifest)
        refused = using_c.doit("build")
        assert refused.returncode == 1
        assert f"error: {said}" in refused.stderr
        assert "--> src/main.rs:6:32" in refused.stderr


BY_CC = 'fn main() { cc::Build::new().file("c/foo.c").compile("foo"); }\n'


@with_clang
def test_derivative_through_what_the_crate_cc_compiles(using_c: Workbench) -> None:
    manifest = using_c.folder / SYS / "Cargo.toml"
    manifest.write_text(f'{manifest.read_text()}[build-dependencies]\ncc = "1"\n')
    write(using_c.folder / SYS, {"build.rs": BY_CC})
    differentiating(using_c, "foo_sys::square(x) * x")
    using_c.build()
    assert subprocess.run([using_c.output() / "plain"], check=False).returncode == 0
    without = using_c.doit("build", "c_bitcode=false")
    assert "error: `squared` has no body in the program's bitcode" in without.stderr


@with_clang
@every_strategy
def test_derivative_through_what_the_crate_cc_compiles_for_the_crate_itself(plain: Workbench, strategy: str) -> None:
    """It reads which flags rustc is given, and would have clang do the same."""
    write(plain.folder, {"build.rs": BY_CC, "c/foo.c": SQUARED})
    body = 'unsafe { squared(x) * x } }\nunsafe extern "C" { fn squared(x: f64) -> f64;'
    source = USING_C.replace("@BODY@", body).replace(" && foo_sys::square(x) == x * x", "")
    plain.write(source, f'{WITH_AUTODIFF}[build-dependencies]\ncc = "1"\n')
    plain.build(f"config={strategy}")
    assert subprocess.run([plain.output(strategy) / "plain"], check=False).returncode == 0
