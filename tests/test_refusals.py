"""What a user sees who asks for what cannot be: one message with the place, the right exit code, nothing half-written."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.workbench import CUBE, MERGED, ROOT, Workbench, doit, every_strategy

pytestmark = pytest.mark.toolchain

ASSEMBLY = CUBE.replace(
    "    x * x * x\n",
    """    let mut y = x;
    unsafe { std::arch::asm!("addsd {0}, {0}", inout(xmm_reg) y) };
    y * x
""",
)

FOREIGN = CUBE.replace(
    "    x * x * x\n}\n",
    """    x * outside(x)
}

unsafe extern "C" {
    fn gamma_of_nobody(x: f64) -> f64;
}

#[inline(never)]
fn outside(x: f64) -> f64 {
    unsafe { gamma_of_nobody(x) }
}
""",
)

USE = """
#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, argv: *const S) -> i32 {
    with(unsafe { std::ptr::read(argv) });
    0
}
"""

VARIADIC = FOREIGN.replace("gamma_of_nobody(x: f64)", "sum_of(n: i32, ...)").replace("gamma_of_nobody(x)", "sum_of(1, x)")

OUTSIDE = CUBE.replace(
    "(df, Active, Active)]\nfn f(x: f64)", '(df, Const, Active, Active)]\nfn f(g: extern "C" fn(f64) -> f64, x: f64)'
)
OUTSIDE = (
    OUTSIDE.replace("    x * x * x\n", "    g(x) * x\n")
    .replace("df(x, 1.0)", "df(found, x, 1.0)")
    .replace("f(x);", "f(found, x);")
)
OUTSIDE = (
    OUTSIDE.replace(
        "    let x",
        """    let found = unsafe { std::mem::transmute(dlsym(std::ptr::null(), c"cos".as_ptr())) };
    let x""",
    )
    + """
unsafe extern "C" {
    fn dlsym(library: *const u8, name: *const std::ffi::c_char) -> *const u8;
}
"""
)

MANY = CUBE.replace("    x * x * x\n", "    TABLE[x as usize](x, 2)\n") + (
    f"static TABLE: [fn(f64, u8) -> f64; 500] = [{', '.join(f'f{n}' for n in range(500))}];\n"
    + "".join(f"fn f{n}(x: f64, times: u8) -> f64 {{ {n}.0 * x * f64::from(times) }}\n" for n in range(500))
)

GENERIC = CUBE.replace("fn f(x: f64) -> f64 {\n    x * x * x", "fn f<T: Into<f64>>(x: T) -> f64 {\n    x.into()").replace(
    "df(x, 1.0)", "(0.0, 0.0)"
)


def test_a_crate_that_does_not_compile_shows_what_cargo_says(bench: Workbench) -> None:
    bench.write(CUBE.replace("x * x * x", "x * y * x"))
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "error[E0425]: cannot find value `y` in this scope" in finished.stderr
    assert "--> src/main.rs:6:9" in finished.stderr
    assert finished.stderr.count("error: `bench` does not build") == 1


def test_cargos_warnings_are_shown_too(bench: Workbench) -> None:
    name = f"unused_{time.time_ns()}"  # cargo warns while it compiles, and this must be no hit
    bench.write(f"{CUBE}fn {name}() {{}}\n")
    finished = bench.doit("build")
    assert finished.returncode == 0
    assert f"function `{name}` is never used" in finished.stderr


@pytest.mark.parametrize(
    ("source", "said", "place"),
    [
        (ASSEMBLY, "inline assembly cannot be differentiated", "src/main.rs:7:14"),
        (
            FOREIGN,
            "`gamma_of_nobody` has no body in the program's bitcode, and Enzyme knows no derivative of it",
            "src/main.rs:15:14",
        ),
        (VARIADIC, "a variadic function cannot be differentiated: `sum_of`", "src/main.rs:15:14"),
        (
            MANY,
            "what is called here through a pointer would count as constant: 500 functions of the program have that type",
            "src/main.rs:6:5",
        ),
        (
            OUTSIDE,
            "what is called here through a pointer comes from outside of the program: by `dlsym`, of which there is no bitcode",
            "src/main.rs:6:5",
        ),
    ],
    ids=["inline assembly", "foreign function", "variadic function", "500 candidates", "from a library"],
)
@every_strategy
def test_what_enzyme_cannot_differentiate_is_refused_at_its_place(
    bench: Workbench, source: str, said: str, place: str, strategy: str
) -> None:
    bench.write(source)
    finished = bench.doit("build", f"config={strategy}")
    assert finished.returncode == 1
    assert f"error: {said}\n  --> {place}\n" in finished.stderr
    assert "`df` was asked for, reverse mode of `bench::f` at src/main.rs:5:4" in finished.stderr
    assert "06-enzyme.log" in finished.stderr
    assert not (bench.output(strategy) / "stages/06-enzyme.json").exists() or "enzyme" not in _fresh(bench, strategy)
    # What came before is kept: the same refusal comes at once, from the same stage.
    again = bench.doit("build", f"config={strategy}")
    assert again.stderr.split()[0] == "enzyme"


def test_a_generic_function_that_nothing_instantiates_has_no_derivative(bench: Workbench) -> None:
    bench.write(GENERIC)
    assert "no #[autodiff…] derivative is used in bench: built as by plain cargo" in bench.build().stdout


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("&&f64", "`x` is shared (`&f64`)"),
        ("&[&f64]", "`x` is shared (`&f64`)"),
        ("&S", "`x.y.z` is shared (`&[f64]`)"),
        ("&Option<&[f64; 2]>", "`x.Some.0` is shared (`&[f64; 2]`)"),
    ],
)
def test_adjoints_are_not_written_to_what_is_shared(bench: Workbench, type_: str, said: str) -> None:
    """rustc takes for immutable what is behind `&`: in safe code, what Enzyme writes there would never be seen."""
    shadow = type_.replace("&", "&mut ", 1)
    bench.write(f"""#![no_main]
#![allow(dead_code)]
use autodiff::*;
struct S {{ x: f64, y: T }}
struct T {{ z: &'static [f64], n: &'static str }}
#[autodiff_reverse(df, Duplicated, Active)]
fn f(x: {type_}) -> f64 {{ std::mem::size_of_val(x) as f64 }}
#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, argv: *const *const u8) -> i32 {{
    let (x, dx) = unsafe {{ (std::ptr::read::<{type_}>(argv.cast()), std::ptr::read::<{shadow}>(argv.cast())) }};
    df(x, dx, 1.0) as i32
}}
""")
    finished = bench.doit("build")
    assert finished.returncode == 1
    words = f"`Duplicated` writes adjoints to whatever floats `x` leads to, and {said}"
    assert f"error: the derivative `df` is refused: {words}" in finished.stderr
    assert "--> src/main.rs:7:4" in finished.stderr


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("struct S { x: f64, y: *const u8 }", "`_p.y` is a pointer (`*const u8`)"),
        ("struct S { x: f64, y: Option<f64> }", "`_p.y` is an enum (`Option<f64>`)"),
        ("type S = usize;", "`_p` is `Active`, and there is no float in it"),
        ("type S = &'static f64;", "`_p` is a pointer (`&f64`)"),
    ],
    ids=["pointer", "enum", "integer", "reference"],
)
def test_a_value_that_has_no_adjoint_is_refused_at_its_place(bench: Workbench, header: str, said: str) -> None:
    """Behind a name the macro cannot look: debug info can."""
    function = "#[autodiff_reverse(df, Active)]\nfn f(_p: S) {}\nfn with(p: S) { df(p); }\n"
    bench.write(f"#![no_main]\nuse autodiff::*;\n{header}\n{function}{USE}")
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert said in finished.stderr
    assert "--> src/main.rs:5:4" in finished.stderr


def test_a_frontend_of_another_version_is_refused(bench: Workbench) -> None:
    bench.write(
        """#![no_main]
unsafe extern "C" { fn __crategrad_placeholder_v7(descriptor: *const u8, primal: *const (), ...); }
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 { unsafe { __crategrad_placeholder_v7(std::ptr::null(), std::ptr::null()) }; 0 }
"""
    )
    finished = bench.doit("build", MERGED)
    assert finished.returncode == 1
    assert "an `autodiff` of version 7; this pipeline reads version 2" in finished.stderr


def test_a_placeholder_that_does_not_fit_is_refused_at_its_place(bench: Workbench) -> None:
    bench.write(
        r"""#![no_main]
unsafe extern "C" { fn __crategrad_placeholder_v2(descriptor: *const u8, primal: *const (), ...); }
extern "C" fn shim(x: &f64, ret: &mut f64) { *ret = x * x; }
const DESCRIPTOR: *const u8 = concat!("{\"version\":2,\"derivative\":\"df\",\"primal\":\"bench::f\",\"mode\":\"reverse\",",
    "\"width\":1,\"arguments\":[{\"name\":\"x\",\"type\":\"f64\",\"activity\":\"Active\"}],",
    "\"result\":{\"type\":\"f64\",\"activity\":\"Active\"},\"file\":\"src/main.rs\",\"line\":3,\"column\":15}\0").as_ptr();
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let (mut x, mut value) = (1.0, 0.0);
    let shim = shim as extern "C" fn(_, _) as *const ();
    unsafe { __crategrad_placeholder_v2(DESCRIPTOR, shim, &raw mut x, &raw mut value) };
    value as i32
}
"""
    )
    finished = bench.doit("build", MERGED)
    assert finished.returncode == 1
    assert (
        "with activities Active, Active takes 4 pointers; the placeholder passes 2\n  --> src/main.rs:3:15" in finished.stderr
    )


def test_a_missing_folder_a_folder_without_a_crate_and_a_library(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "library/src").mkdir(parents=True)
    (tmp_path / "library/Cargo.toml").write_text('[package]\nname = "lib"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n')
    (tmp_path / "library/src/lib.rs").write_text("")
    for crate, said, code in (
        ("nowhere", "there is no such folder", 3),
        ("empty", "it has no Cargo.toml", 3),
        ("library", "is a library: there is no binary to build", 1),
    ):
        finished = doit("build", f"crate={tmp_path / crate}")
        assert finished.returncode == code, crate
        assert said in finished.stderr
        assert "Traceback" not in finished.stderr
        assert not (tmp_path / crate / "target").exists()


def test_a_broken_manifest_is_cargos_to_explain(bench: Workbench) -> None:
    bench.write(CUBE, manifest="[package]\nname = 7\n")
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "cargo cannot read" in finished.stderr
    assert "invalid type: integer `7`, expected a string" in finished.stderr


@pytest.mark.parametrize("command", ["build", "list", "clean"])
def test_a_wrong_config_is_refused_before_anything_runs(bench: Workbench, tmp_path: Path, command: str) -> None:
    (tmp_path / "x.yaml").write_text("extends: default\nopt1:\n  levle: 2\n")
    finished = doit(command, "config=x.yaml", f"crate={bench.folder}", cwd=tmp_path)
    assert finished.returncode == 3
    assert "x.yaml:3:3" in finished.stderr
    assert "did you mean `opt1.level`" in finished.stderr
    assert finished.stdout == ""


def test_wrong_words_on_the_command_line(bench: Workbench) -> None:
    for argument, said in {
        "crat=x": "did you mean `crate`",
        "opt2.level=9": "opt2.level=9",
        "config=nothing": "default",
    }.items():
        finished = bench.doit("build", argument)
        assert finished.returncode == 3, argument
        assert said in finished.stderr


def test_an_unknown_toolchain_names_those_that_are_there(bench: Workbench) -> None:
    finished = bench.doit("build", "toolchain=no-such-thing")
    assert finished.returncode == 3
    assert "there is no toolchain `no-such-thing` here" in finished.stderr
    assert "debian" in finished.stderr


def test_list_and_help_work_whatever_the_crate(tmp_path: Path) -> None:
    finished = doit("list", f"crate={tmp_path}/nowhere")
    assert finished.returncode == 0
    assert "enzyme" in finished.stdout
    assert doit("--help").returncode == 0
    assert "Synthesise the derivatives" in doit("help", "enzyme").stdout


def test_doctor_finds_everything_or_says_how_to_get_it() -> None:
    healthy = doit("doctor")
    assert healthy.returncode == 0
    for tool in ("rustc", "cargo", "opt", "llvm-link", "llc", "ld.lld", "catalyst", "cc"):
        assert tool in healthy.stdout
    ill = doit("doctor", "toolchain=/nowhere/at/all")
    assert ill.returncode == 1
    assert "missing" in ill.stdout


def _fresh(bench: Workbench, config: str) -> list[str]:
    listed = subprocess.run(
        [ROOT / "doit", "list", "-s", f"crate={bench.folder}", f"config={config}"], capture_output=True, text=True, check=True
    )
    return [line.split()[1] for line in listed.stdout.splitlines() if line.startswith("U ")]
