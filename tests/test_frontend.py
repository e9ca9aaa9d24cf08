"""The crate `autodiff`: what its attributes generate in either build, and what they refuse.

The programs under test lie in `frontend/`.  Cargo builds the macros once per session; each test then is a call or two of
rustc.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.frontend_build import CARGO, MANIFEST, PIPELINE, PROGRAMS, ROOT, Build, for_host, run

pytestmark = pytest.mark.toolchain


def test_a_plain_build_has_no_warnings(plain: Build) -> None:
    assert "warning" not in plain.messages


def test_a_pipeline_build_has_no_warnings(pipeline: Build) -> None:
    assert "warning" not in pipeline.messages


@pytest.mark.parametrize("program", ["forms.rs", "methods.rs"])
@pytest.mark.parametrize("kind", ["plain", "pipeline"])
@pytest.mark.parametrize("edition", ["2018", "2021", "2024"])
def test_no_edition_warns(kind: str, program: str, edition: str, request: pytest.FixtureRequest) -> None:
    build: Build = request.getfixturevalue(kind)
    done = build.rustc(PROGRAMS / program, "--crate-type=lib", "--emit=metadata", edition=edition)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", ["forms.rs", "methods.rs"])
def test_the_documentation_of_a_derivative_has_no_broken_links(plain: Build, program: str) -> None:
    rustdoc = CARGO.with_name("rustdoc")
    found = [f"-Ldependency={directory}" for directory in plain.dependencies]
    command = [str(rustdoc), "--edition=2024", str(PROGRAMS / program), f"--extern=autodiff={plain.autodiff}", *found]
    done = run([*command, "-Dwarnings", "--document-private-items", f"--out-dir={plain.out / 'doc'}"], plain.out)
    assert (done.returncode, done.stderr) == (0, "")


def test_cargo_test_can_skip_what_needs_the_pipeline(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(MANIFEST.replace(f'\n[lib]\npath = "{PROGRAMS / "forms.rs"}"\n', ""))
    (tmp_path / "src/lib.rs").write_text(SKIPPING)
    done = run([str(CARGO), "test", f"--target-dir={tmp_path / 'target'}"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test result: ok. 2 passed; 0 failed" in done.stdout


SKIPPING = """
use autodiff::*;

#[autodiff_reverse(d_square, Active, Active)]
pub fn square(x: f64) -> f64 {
    x * x
}

#[test]
fn value_is_right() {
    assert_eq!(square(3.0), 9.0);
}

#[test]
fn gradient_is_right() {
    const AVAILABLE: bool = autodiff::available();
    if AVAILABLE {
        assert_eq!(d_square(3.0, 1.0), (9.0, 6.0));
    }
}
"""


def test_dependency_by_another_name(tmp_path: Path) -> None:
    """In either kind of build, by the manifest of the workspace too, and beside a module of the user's by the crate's name."""
    renamed = f'ad = {{ package = "autodiff", path = "{ROOT / "rust" / "autodiff"}", features = ["check"] }}'
    package = '[workspace]\n[package]\nname = "one"\nversion = "0.0.0"\nedition = "2024"\n'
    manifests = {
        "own": f"{package}[dependencies]\n{renamed}\n",
        "inherited": f"{package}[dependencies]\nad = {{ workspace = true }}\n[workspace.dependencies]\n{renamed}\n",
    }
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text(RENAMED)
    for name, manifest in manifests.items():
        (tmp_path / "Cargo.toml").write_text(manifest)
        for flags in ("", PIPELINE, f"{PIPELINE} --cfg crategrad_gradcheck"):
            command = [str(CARGO), "check", "--lib", for_host(), f"--target-dir={tmp_path / 'target'}"]
            done = run(command, tmp_path, RUSTFLAGS=flags)
            assert done.returncode == 0, f"{name}, {flags}: {done.stderr}"
            assert "warning" not in done.stderr


RENAMED = """
use ad::*;

pub mod autodiff {
    pub struct Scale(pub f64);
}

#[derive(Clone, ad::check::Numbers, ad::check::Generate)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[inactive]
pub fn weight(x: f64) -> f64 {
    if x > 1.0 { 2.0 } else { 3.0 }
}

#[autodiff_forward(d_scaled, Const, Dual, Dual)]
#[autodiff_reverse(r_scaled, Const, Active, Active)]
pub fn scaled(by: &crate::autodiff::Scale, x: f64) -> f64 {
    by.0 * weight(x) * x
}

#[autodiff_reverse(d_length, Duplicated, Active)]
#[domain(point = -1.0..1.0)]
pub fn length(point: &Point) -> f64 {
    point.x.hypot(point.y)
}

pub fn check() {
    ad::gradcheck!(#[autodiff_reverse(d_length, Duplicated, Active)] length(&Point { x: 1.0, y: 2.0 }));
}
"""


def test_clippy_has_no_warnings(crate: Path) -> None:
    if not CARGO.with_name("cargo-clippy").exists():
        pytest.skip(f"no cargo-clippy beside {CARGO}")
    for flags in ("", PIPELINE):
        command = [str(CARGO), "clippy", "--lib", f"--target-dir={crate / 'clippy'}", "--", "-Wclippy::pedantic"]
        command += ["-Aclippy::must_use_candidate", "-Aclippy::needless_pass_by_value", "-Aclippy::many_single_char_names"]
        done = run(command, crate, RUSTFLAGS=flags)
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr


def test_a_derivative_without_the_pipeline_panics(plain: Build) -> None:
    (binary,) = (path for path in plain.autodiff.parent.parent.glob("forms*") if os.access(path, os.X_OK) and path.is_file())
    done = run([str(binary)], plain.out)
    assert done.returncode != 0
    assert "the derivative `d_dot` of `dot` exists only in a Crategrad build: `./doit build crate=<dir>`" in done.stderr
    assert f"{PROGRAMS / 'forms.rs'}:{line_of('forms.rs', 'autodiff_reverse(d_dot')}:" in done.stderr


def line_of(program: str, text: str) -> int:
    source = (PROGRAMS / program).read_text()
    return source[: source.index(text)].count("\n") + 1


# -- the contract of a pipeline build ---------------------------------------------------------------------------------


STRING = re.compile(r'^(@\S+) = .*? c"([^"]*)"', re.MULTILINE)
CALL = re.compile(r"call void \(ptr, ptr, \.\.\.\) @__crategrad_placeholder_v2\((.*)\)(?: #\d+)?(?:, !.*)?$", re.MULTILINE)


def placeholders(ir: str) -> list[tuple[dict[str, Any], str, list[str]]]:
    """Each placeholder's call in the text of a module: descriptor, primal, pointers."""
    strings = dict(STRING.findall(ir))
    calls = []
    for arguments in CALL.findall(ir):
        descriptor, primal, *pointers = (argument.split()[-1] for argument in arguments.split(", "))
        escaped = strings[descriptor].encode()
        text = re.sub(rb"\\([0-9A-F]{2})", lambda match: bytes.fromhex(match[1].decode()), escaped).decode()
        assert text.endswith("}\0")
        calls.append((json.loads(text[:-1]), primal, pointers))
    return calls


def parameters(ir: str, function: str) -> str:
    """The parameters of a function that is defined in the text of a module."""
    definition = re.search(rf"^define .*{re.escape(function)}\((.*)\)", ir, re.MULTILINE)
    assert definition
    return definition[1]


@pytest.fixture(scope="session", params=[0, 3])
def ir(pipeline: Build, request: pytest.FixtureRequest) -> str:
    return pipeline.llvm_ir(request.param)


def test_every_derivative_has_a_placeholder(ir: str) -> None:
    source = (PROGRAMS / "forms.rs").read_text()
    wanted = set(re.findall(r"#\[autodiff_\w+\((?:r#)?(\w+)", source)) | {"d_square_32", "d_square_64"}
    assert {descriptor["derivative"] for descriptor, _, _ in placeholders(ir)} == wanted


def test_a_placeholder_takes_what_its_descriptor_says(ir: str) -> None:
    for descriptor, primal, pointers in placeholders(ir):
        values = [*descriptor["arguments"], *([descriptor["result"]] if descriptor["result"] else [])]
        expected = sum(1 if value["activity"] == "Const" else 1 + descriptor["width"] for value in values)
        assert len(pointers) == expected, descriptor
        assert len(set(pointers)) == expected, "each value has a place of its own"
        by_pointer = re.findall(r"\bptr\b", parameters(ir, primal))
        assert len(by_pointer) == len(values), "each argument, and the result"


def test_the_result_of_a_shim_aliases_nothing(pipeline: Build) -> None:
    ir = pipeline.llvm_ir(opt_level=1)  # without optimisation rustc says nothing of aliases
    for descriptor, primal, _ in placeholders(ir):
        if descriptor["result"]:
            assert "noalias" in re.findall(r"\bptr\b[^,]*", parameters(ir, primal))[-1]


def test_descriptors(ir: str) -> None:
    found = {descriptor["derivative"]: descriptor for descriptor, _, _ in placeholders(ir)}
    source = (PROGRAMS / "forms.rs").read_text()
    assert list(found["d_dot"].items()) == [
        ("version", 2),
        ("derivative", "d_dot"),
        ("primal", "forms::dot"),
        ("mode", "reverse"),
        ("width", 1),
        (
            "arguments",
            [
                {"name": "x", "type": "&[f64]", "activity": "Duplicated"},
                {"name": "y", "type": "&[f64]", "activity": "Duplicated"},
            ],
        ),
        ("result", {"type": "f64", "activity": "Active", "marked": True}),
        ("file", str(PROGRAMS / "forms.rs")),
        ("line", line_of("forms.rs", "fn dot")),
        ("column", 8),
    ]
    assert (found["t_dot_4"]["mode"], found["t_dot_4"]["width"]) == ("forward", 4)
    assert found["d_double"]["result"] is None
    assert found["d_store"]["result"] is None
    assert found["d_square_32"]["primal"] == "forms::squares::square_32"
    assert found["yield"]["primal"] == "forms::loop"
    assert [argument["name"] for argument in found["yield"]["arguments"]][-1] == "type"
    inner = found["d_inner"]
    assert (inner["line"], inner["column"]) == (line_of("forms.rs", "fn inner"), 8)
    made = found["d_square_64"]
    line = source.splitlines()[made["line"] - 1]
    assert line[made["column"] - 1 :].startswith("square_64"), "where the macro got the name from"


def test_types_are_written_as_one_would(ir: str) -> None:
    program = " ".join((PROGRAMS / "forms.rs").read_text().split())
    source = program.replace("$float", "f32") + program.replace("$float", "f64")
    for descriptor, _, _ in placeholders(ir):
        for argument in descriptor["arguments"]:
            assert re.search(rf"\b{argument['name']}: {re.escape(argument['type'])}[,)]", source)
        if descriptor["result"]:
            assert f" -> {descriptor['result']['type']} {{" in source


def test_what_goes_through_the_placeholder(pipeline: Build) -> None:
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no cc")
    stand_in = pipeline.out / "wiring.o"
    subprocess.run([compiler, "-c", str(PROGRAMS / "wiring.c"), "-o", str(stand_in)], check=True)
    for level in (0, 3):
        done = pipeline.rustc(PROGRAMS / "wiring.rs", f"-Clink-arg={stand_in}", f"-Copt-level={level}")
        assert done.returncode == 0, done.stderr
        done = run([str(pipeline.out / "wiring")], pipeline.out)
        assert done.stdout == "wired\n", done.stderr
        message = "derivative `t_scaled`: `by` has length 1, but its shadow `bby_1` has length 0"
        assert message in done.stderr


# -- headers, beside those of std::autodiff ---------------------------------------------------------------------------

ROWS = re.findall(r"#\[autodiff_\w+\((\w+)", (PROGRAMS / "headers.rs").read_text())


def headers(expanded: str) -> dict[str, str]:
    """The header of each function, without what is no part of its type."""
    qualified = r'(?:pub(?:\([^)]*\))? )?(?:const )?(?:unsafe )?(?:extern "C" )?fn (\w+)'
    expanded = re.sub(r";(?=[^\[\]{};]*\])", " x", expanded)  # of an array's type: no end of a header
    found = re.findall(rf"((?:#\[inline\(never\)\]\s*)?{qualified}[^{{]*?)\s*[{{;]", expanded)
    return {name: normalised(header) for header, name in found}


def normalised(header: str) -> str:
    """A header on one line, without the commas and `mut`s that the two print differently."""
    line = re.sub(r",? *\)", ")", " ".join(header.split())).replace("( ", "(")
    return re.sub(r",$| -> \(\)$", "", re.sub(r"\bmut (\w+:)", r"\1", line))


@pytest.fixture(scope="session")
def both_headers(plain: Build) -> tuple[dict[str, str], dict[str, str]]:
    ours = PROGRAMS / "headers.rs"
    theirs = plain.out / "headers.rs"
    theirs.write_text(ours.read_text().replace("use autodiff::*;", "#![feature(autodiff)]\nuse std::autodiff::*;"))
    expanded = [plain.rustc(source, "-Zunpretty=expanded", RUSTC_BOOTSTRAP="1") for source in (ours, theirs)]
    for done in expanded:
        assert done.returncode == 0, done.stderr
    return headers(expanded[0].stdout), headers(expanded[1].stdout)


@pytest.mark.parametrize("derivative", ROWS)
def test_a_header_is_that_of_std_autodiff(derivative: str, both_headers: tuple[dict[str, str], dict[str, str]]) -> None:
    ours, theirs = both_headers
    assert ours[derivative] == theirs[derivative]


def test_there_are_rows_enough() -> None:
    assert len(ROWS) == len(set(ROWS)) >= 150


# -- errors -----------------------------------------------------------------------------------------------------------

ERRORS = sorted((PROGRAMS / "errors").glob("*.rs"))


@dataclass(frozen=True, order=True)
class Expected:
    """An error that a line `//~   ^^^^ phrase | phrase` announces for the code above it."""

    line: int
    columns: tuple[int, int]
    phrases: tuple[str, ...]


def expected_errors(source: str) -> list[Expected]:
    line, found = 0, []
    for number, text in enumerate(source.splitlines(), 1):
        marked = re.match(r"//~ *(\^+) (.*)", text)
        if marked:
            columns = (marked.start(1) + 1, marked.end(1) + 1)
            found.append(Expected(line, columns, tuple(marked[2].split(" | "))))
        else:
            line = number
    return sorted(found)


@pytest.mark.parametrize("program", ERRORS, ids=lambda program: str(program.stem))
def test_an_error_is_at_its_token(program: Path, plain: Build) -> None:
    arguments = ("--crate-type=lib", "--emit=metadata", "--error-format=json", "--cap-lints=allow")
    done = plain.rustc(program, *arguments, RUSTC_BOOTSTRAP="1")
    messages = [json.loads(line) for line in done.stderr.splitlines()]
    errors = []
    for message in messages:
        if message["level"] == "error" and message["spans"]:
            (span,) = (span for span in message["spans"] if span["is_primary"])
            assert span["line_start"] == span["line_end"]
            errors.append((span["line_start"], (span["column_start"], span["column_end"]), message["message"]))
            assert message["code"] or "\nhelp: " in message["message"] or "expected `,`" in message["message"], message
    expected = expected_errors(program.read_text())
    assert expected
    assert [(e.line, e.columns) for e in expected] == [error[:2] for error in sorted(errors)], done.stderr
    for error, (_, _, text) in zip(expected, sorted(errors), strict=True):
        for phrase in error.phrases:
            assert phrase in text


def test_there_are_errors_enough() -> None:
    assert len(ERRORS) >= 40
