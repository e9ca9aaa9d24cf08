"""What Enzyme says, read: refusals with their places, and how it broke down.

The lines are Enzyme's own.  The programs that print them here are no Enzyme, and nothing is said of one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.enzyme_driver import Catalyst, Diagnostic, read_diagnostics
from pipeline.toolchain import Tool

IN_FUNCTION = "in function preprocess__ZN7foreign1g17h4fbe52d53b1f9931E double (double)"
NO_FORWARD = "Enzyme: No augmented forward pass found for gamma_of_nobody"
REFUSAL = f"error: src/main.rs:9:13: {IN_FUNCTION}: {NO_FORWARD}"
WITHOUT_A_PLACE = f"error: {IN_FUNCTION}: {NO_FORWARD}"
HARMLESS = "module.bc:1:1: error: unexpected character\nBC\n^"
MEMMOVE = "warning: didn't implement memmove, using memcpy as fallback which can result in errors"
ASSERTION = (
    "catalyst: /build/Enzyme/GradientUtils.cpp:6573: void GradientUtils::f(): "
    'Assertion `0 && "cannot find deal with ptr that isnt arg"\' failed.'
)


def read(*lines: str) -> list[Diagnostic]:
    return read_diagnostics("".join(f"{line}\n" for line in lines))


# ---- Lines


def test_refusal_has_a_message_and_a_place() -> None:
    assert read(REFUSAL) == [Diagnostic(NO_FORWARD, "src/main.rs:9:13")]
    assert read(REFUSAL)[0].render() == f"error: {NO_FORWARD}\n  --> src/main.rs:9:13"


def test_refusal_without_a_place() -> None:
    assert read(WITHOUT_A_PLACE) == [Diagnostic(NO_FORWARD)]
    assert read(WITHOUT_A_PLACE)[0].render() == f"error: {NO_FORWARD}"


def test_place_that_llvm_does_not_know_is_none() -> None:
    assert read(f"error: <unknown>:0:0: {IN_FUNCTION}: {NO_FORWARD}") == [Diagnostic(NO_FORWARD)]


def test_place_without_a_line_is_none() -> None:
    assert read(f"error: src/main.rs:0:0: {IN_FUNCTION}: {NO_FORWARD}") == [Diagnostic(NO_FORWARD)]


def test_types_contradict_each_other_where_the_module_that_is_printed_says() -> None:
    module = ["define void @f() {", "  store ptr %1, ptr %2, align 8, !dbg !9", "}", '!7 = !DIFile(filename: "src/a.rs")']
    module += ['!8 = !DISubprogram(name: "f", file: !7)', "!9 = !DILocation(line: 7, column: 5, scope: !8)"]
    said = ["Illegal updateAnalysis prev:{} new: {}", "val:   %4 = alloca i64 origin=  store ptr %1, ptr %2, align 8, !dbg !4"]
    (found,) = read(*module, f"error: <unknown>:0:0: {IN_FUNCTION}: Enzyme: <analysis>", "</analysis>", *said)
    assert found.place == "src/a.rs:7:5"


@pytest.mark.parametrize("place", ["/a path/with blanks.rs:1:2", "/rustc/abc/library/core/src/num/f64.rs:10:20"])
def test_place_is_any_path(place: str) -> None:
    assert read(f"error: {place}: {IN_FUNCTION}: {NO_FORWARD}") == [Diagnostic(NO_FORWARD, place)]


def test_types_that_contradict_each_other_where_no_instruction_is_are_a_refusal() -> None:
    types = "prev:{[-1]:Float@double} new: {[-1]:Pointer}"
    said = [f"Illegal updateAnalysis {types}", "val: double %0 origin=double %0"]
    ending = "LLVM ERROR: Performed illegal updateAnalysis"
    assert read(*said, ending) == [Diagnostic(f"Enzyme: the same memory holds values of two types {types}")]
    assert read(*said) == []


def test_message_is_all_that_follows() -> None:
    assert read("error: a.rs:1:1: in function f: Enzyme: cannot: deduce Enzyme: type")[0].message == (
        "Enzyme: cannot: deduce Enzyme: type"
    )


def test_message_behind_a_function_is_without_what_is_for_the_log() -> None:
    (found,) = read(
        f"error: a.rs:1:2: {IN_FUNCTION}: Enzyme: ; Function Attrs: nofree",
        "define void @f(ptr %0) {",
        "  ret void, !dbg !3",
        "}",
        "",
        " constantarg[ptr %0] = 0 type: {[-1]:Pointer} - vals: {}",
        " constantinst[  ret void, !dbg !3] = 1 val:1 type: {}",
        "cannot handle unknown binary operator:   %11 = lshr i64 %9, 32, !dbg !236, !noundef !162",
    )
    assert found == Diagnostic("Enzyme: cannot handle unknown binary operator:   %11 = lshr i64 %9, 32", "a.rs:1:2")


def test_message_behind_the_function_that_it_is_of() -> None:
    (found,) = read(
        f"error: <unknown>:0:0: {IN_FUNCTION}: Enzyme: oldFunc: ; Function Attrs: nofree",
        "define void @f(ptr %0) {",
        "}",
        "",
        "Cannot deduce adding type of:   %35 = ptrtoint ptr %33 to i64",
        " + idxs {}",
    )
    assert found.message.startswith("Enzyme: Cannot deduce adding type of:   %35 = ptrtoint ptr %33 to i64")


def test_message_behind_two_functions() -> None:
    first, second = ["define double @f(ptr %0) {", "}", ""], ["; Function Attrs: nofree", "define double @g(ptr %0) {", "}", ""]
    said = ["cannot handle (reverse) unknown intrinsic", "llvm.maximumnum", "  %1 = call double @llvm.maximumnum.f64()"]
    (found,) = read(f"error: a.rs:1:2: {IN_FUNCTION}: Enzyme: ; Function Attrs: nofree", *first, *second, *said)
    assert found.message == "Enzyme: cannot handle (reverse) unknown intrinsic llvm.maximumnum"


def test_same_refusal_is_told_once_and_the_order_is_enzymes() -> None:
    second = REFUSAL.replace("9:13", "8:1")
    assert [d.place for d in read(REFUSAL, second, REFUSAL)] == ["src/main.rs:9:13", "src/main.rs:8:1"]


@pytest.mark.parametrize(
    "line",
    [
        HARMLESS,
        "",
        "warning: src/main.rs:9:13: Enzyme: something slow",
        "remark: Enzyme: fine",
        "error: of somebody else's",
        f"note: {REFUSAL}",
    ],
)
def test_line_that_is_no_refusal(line: str) -> None:
    assert read(line) == []
    assert read(line, REFUSAL, line) == read(REFUSAL)


def test_warning_of_a_wrong_gradient_is_a_refusal() -> None:
    (found,) = read(HARMLESS, MEMMOVE, MEMMOVE)
    assert "overlapping move" in found.message
    assert not found.broke_down
    assert read(REFUSAL, MEMMOVE) == [*read(REFUSAL), found]


# ---- How it ended


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return tmp_path / "module.ll"


def differentiate(text: Path, script: str, *flags: str) -> list[Diagnostic]:
    """The verdict on a program that does what the shell script says: the text is what it prints."""
    program = text.with_name("program")
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    log = text.with_name("log")
    return Catalyst(Tool(program), patience_s=1).differentiate(text.with_name("module.bc"), text, flags, log)


def saying(*lines: str) -> str:
    return "cat >&2 <<'END'\n" + "\n".join(lines) + "\nEND\n"


def test_text_that_is_there_is_success_whatever_else_was_said(text: Path) -> None:
    assert differentiate(text, saying(HARMLESS) + "echo ir") == []
    assert text.read_text() == "ir\n"


def test_text_is_without_the_groups_of_enzymes_caches(text: Path) -> None:
    loads = "  %1 = load double, ptr %x, align 8{}\n  %2 = load double, ptr %x, !invariant.load !7{}"
    assert (
        differentiate(text, f"cat <<'END'\n{loads.format(', !invariant.group !78', ', !invariant.group !5, !tbaa !3')}\nEND")
        == []
    )
    assert text.read_text() == loads.format("", ", !tbaa !3") + "\n"


def test_derivatives_may_be_reordered_but_not_taken_for_finite(text: Path) -> None:
    given = ["  %1 = fmul fast double %x, %x", '  %"x\'" = tail call fast double @log(double %x)', '@t = c"%1 = fmul fast "']
    assert differentiate(text, "cat <<'END'\n" + "\n".join(given) + "\nEND") == []
    flags = "reassoc nsz arcp contract afn"
    assert text.read_text().splitlines() == [given[0].replace("fast", flags), given[1].replace("fast", flags), given[2]]


@pytest.mark.parametrize(("type_", "has_reciprocals"), [("double", True), ("float", False), ("<4 x float>", False)])
def test_no_reciprocal_is_estimated(text: Path, type_: str, has_reciprocals: bool) -> None:
    assert differentiate(text, f"echo '  %1 = fdiv fast {type_} %x, %y'") == []
    assert (" arcp " in text.read_text()) == has_reciprocals


def test_refusal_counts_though_the_text_is_there(text: Path) -> None:
    assert differentiate(text, saying(HARMLESS, REFUSAL) + "echo ir") == read(REFUSAL)


def test_refusal_says_more_than_the_way_it_ended(text: Path) -> None:
    assert differentiate(text, saying(REFUSAL) + "exit 1") == read(REFUSAL)


def test_what_does_not_end_is_refused(text: Path) -> None:
    (found,) = differentiate(text, "echo ir; while :; do :; done")
    assert found.message == "Enzyme does not end: it was given 1 s (`enzyme.patience_s` in the config)"
    assert not text.exists()


def test_failed_assertion_is_told(text: Path) -> None:
    assert differentiate(text, saying(ASSERTION) + "kill -ABRT $$") == [
        Diagnostic("Enzyme broke down (SIGABRT): cannot find deal with ptr that isnt arg", broke_down=True)
    ]


def test_assertion_of_code_is_told_as_it_is(text: Path) -> None:
    (found,) = differentiate(text, saying("x.cpp:1: f: Assertion `size > 0' failed.") + "exit 1")
    assert found.message == "Enzyme broke down (exit 1): size > 0"


@pytest.mark.parametrize(("script", "verdict"), [("exit 0", "exit 0"), ("exit 7", "exit 7"), ("kill -SEGV $$", "SIGSEGV")])
def test_no_text_is_a_breakdown(text: Path, script: str, verdict: str) -> None:
    assert differentiate(text, script) == [Diagnostic(f"Enzyme broke down ({verdict})", broke_down=True)]


@pytest.mark.parametrize("call", ["__enzyme_autodiff", "__enzyme_fwddiff"])
def test_a_call_that_is_left_is_a_refusal(text: Path, call: str) -> None:
    (found,) = differentiate(text, f'echo "  call void (...) @{call}(ptr @f)"')
    assert found.message == "Enzyme left a derivative undone, and does not say why"


def test_half_a_text_is_a_breakdown_and_does_not_stay(text: Path) -> None:
    (found,) = differentiate(text, "echo half; exit 1")
    assert found.broke_down
    assert not text.exists()


def test_flags_are_handed_on_and_nothing_else_stays(text: Path) -> None:
    differentiate(text, 'echo "$@"', "--enzyme-a=1", "--enzyme-b=2")
    arguments = text.read_text().split()
    assert [a for a in arguments if a.startswith("--enzyme")] == ["--enzyme-a=1", "--enzyme-b=2"]
    assert sorted(path.name for path in text.parent.iterdir()) == ["log", "module.ll", "program"]
    assert (text.parent / "log").read_text().startswith(f"$ {text.with_name('program')} ")
