"""abi_fixup: placeholders become Enzyme's calls, argument by argument; what does not fit is refused.

The modules are written here as text and assembled; the library that rewrites them is LLVM's own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import UserError
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import DERIVATIVES, AbiFixup, Derivative
from pipeline.toolchain import Tool, find_tools
from tests.test_repairs import compiled

pytestmark = pytest.mark.toolchain

ROOT = Path(__file__).resolve().parent.parent
TOOLS = find_tools()
LLVM_DIS = Tool(TOOLS.llvm_as.path.with_name("llvm-dis"))

POINTERS = ("%a", "%b", "%c", "%d", "%e", "%f")
PLACEHOLDER = "__crategrad_placeholder_v2"
MARKER = r'(?:metadata !"|ptr @)enzyme_(\w+)"?'

# What a function of one argument and a result is turned into by the frontend, in reverse mode.
SQUARE: dict[str, Any] = {
    "version": 2,
    "derivative": "d_square",
    "primal": "demo::square",
    "mode": "reverse",
    "width": 1,
    "arguments": [{"name": "x", "type": "f64", "activity": "Active"}],
    "result": {"type": "f64", "activity": "Active"},
    "file": "src/main.rs",
    "line": 3,
    "column": 4,
}


def descriptor(**fields: Any) -> str:
    return json.dumps(SQUARE | fields)


def arguments(*activities: str) -> list[dict[str, str]]:
    return [{"name": "x", "type": "f64", "activity": activity} for activity in activities]


def constant(text: str, name: str = "@descriptor") -> str:
    data = (text + "\0").encode()
    letters = "".join(f"\\{byte:02x}" for byte in data)
    return f'{name} = private constant [{len(data)} x i8] c"{letters}"'


def call(*pointers: str, primal: str = "@shim", text: str = "@descriptor", placeholder: str = PLACEHOLDER) -> str:
    values = ", ".join(f"ptr {value}" for value in (text, primal, *pointers))
    return f"call void (...) @{placeholder}({values})"


# The shim's parameters by its debug info: six pointers to `f64`.
DEBUG_INFO = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: "", emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "src/main.rs", directory: "/here")
!3 = distinct !DISubprogram(name: "caller", file: !2, line: 7, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 8, column: 9, scope: !3)
!6 = distinct !DISubprogram(name: "shim", file: !2, line: 1, type: !7, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DISubroutineType(types: !{null, !8, !8, !8, !8, !8, !8})
!8 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "&f64", baseType: !9, size: 64)
!9 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
"""


def module(*body: str, text: str | None = None, more: str = "", placeholder: str = PLACEHOLDER) -> str:
    parameters = ", ".join(f"ptr {pointer}" for pointer in POINTERS)
    lines = "\n".join(f"  {line}" for line in body)
    return f"""
{constant(descriptor() if text is None else text)}
define void @shim(ptr %x, ptr %result) !dbg !6 {{
  ret void
}}
declare void @declared(ptr, ptr)
declare void @{placeholder}(...)
define void @caller({parameters}) !dbg !3 {{
{lines}
  ret void
}}
{DEBUG_INFO}
{more}
"""


_ASKS = r"define internal void @(\w+)\([^)]*\) #\d+ {\n  call void \(\.\.\.\) @(__enzyme_\w+)\((.*)\)\n  ret void\n}"


def _given(function: str, values: str, pointers: list[str]) -> str:
    """What Enzyme is given where a function that asks it is given these pointers."""
    return f"{function}: " + re.sub(r"%(\d+)", lambda number: pointers[int(number[1])], values)


class Fixed:
    """What abi_fixup makes of a module."""

    def __init__(self, folder: Path, source: str, *, raw: bool = False) -> None:
        given, self.out, self.log = folder / "given", folder / "out", folder / "log"
        given.mkdir()
        self.out.mkdir()
        subprocess.run([TOOLS.llvm_as, "-o", given / MODULE, "-"], input=source, text=True, check=True)
        AbiFixup(TOOLS.opt, TOOLS.libllvm, raw=raw, repairs=True).run({"module": given}, self.out, self.log)

    @property
    def text(self) -> str:
        argv: list[str | Path] = [LLVM_DIS.path, "-o", "-", self.out / MODULE]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    @property
    def calls(self) -> list[str]:
        """The calls of Enzyme's functions: which, and what they are given.

        Enzyme knows an argument that says what the next one is by its name, be it a metadata string or a global.
        """
        asked = {
            asks: (function, re.sub(MARKER, r"<enzyme_\1>", values).replace("ptr ", ""))
            for asks, function, values in re.findall(_ASKS, self.text)
        }
        wanted = re.findall(r"call void @(\w+)\((.*)\)", self.text)
        return [_given(*asked[asks], values.replace("ptr ", "").split(", ")) for asks, values in wanted if asks in asked]

    @property
    def derivatives(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads((self.out / DERIVATIVES).read_text())
        return found


def refusal(folder: Path, source: str) -> str:
    with pytest.raises(UserError) as error:
        Fixed(folder, source)
    return error.value.message


# ---- What a derivative's description says


def derivative(mode: str, width: int, activities: tuple[str, ...], result: str | None) -> Derivative:
    return Derivative("d", "f", mode, width, ("x",) * len(activities), activities, result, "a.rs:1:1")


@pytest.mark.parametrize(
    ("width", "activities", "result", "pointers"),
    [
        (1, (), None, 0),
        (1, ("Const",), None, 1),
        (1, ("Active",), "Active", 4),
        (1, ("Duplicated", "Const"), "Const", 4),
        (1, ("Dual",), None, 2),
        (3, ("Dual",), None, 4),
        (3, ("Dual", "Const"), "Dual", 9),
    ],
)
def test_pointers_are_a_primal_each_and_a_shadow_a_lane(
    width: int, activities: tuple[str, ...], result: str | None, pointers: int
) -> None:
    assert derivative("forward", width, activities, result).pointers == pointers


def test_result_is_the_last_parameter() -> None:
    assert derivative("reverse", 1, ("Const",), "Active").activities == ("Const", "Active")
    assert derivative("reverse", 1, ("Const",), None).activities == ("Const",)


# ---- What becomes of a placeholder


def test_reverse_mode(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d")))
    assert fixed.calls == ["__enzyme_autodiff: @shim, <enzyme_dup>, %a, %b, <enzyme_dup>, %c, %d"]
    assert PLACEHOLDER not in fixed.text


def test_forward_mode(tmp_path: Path) -> None:
    text = descriptor(mode="forward", arguments=arguments("Dual"), result=None)
    fixed = Fixed(tmp_path, module(call("%a", "%b"), text=text))
    assert fixed.calls == ["__enzyme_fwddiff: @shim, <enzyme_dup>, %a, %b"]


def test_inactive_arguments_have_no_shadow(tmp_path: Path) -> None:
    text = descriptor(arguments=arguments("Const", "Duplicated", "Const"), result={"type": "f64", "activity": "Const"})
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d", "%e"), text=text))
    assert fixed.calls == [
        "__enzyme_autodiff: @shim, <enzyme_const>, %a, <enzyme_dup>, %b, %c, <enzyme_const>, %d, <enzyme_const>, %e"
    ]


def test_each_lane_has_a_shadow_and_the_width_is_told(tmp_path: Path) -> None:
    text = descriptor(mode="forward", width=2, arguments=arguments("Dual", "Const"), result=None)
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d"), text=text))
    assert fixed.calls == ["__enzyme_fwddiff: @shim, <enzyme_width>, i64 2, <enzyme_dup>, %a, %b, %c, <enzyme_const>, %d"]


@pytest.mark.parametrize(
    ("mode", "argument", "result"),
    [("reverse", "DuplicatedOnly", "ActiveOnly"), ("forward", "DualOnly", "DualOnly"), ("forward", "DualvOnly", "DualvOnly")],
)
def test_only_the_result_itself_is_left_out(tmp_path: Path, mode: str, argument: str, result: str) -> None:
    text = descriptor(mode=mode, arguments=arguments(argument), result={"type": "f64", "activity": result})
    (called,) = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d"), text=text)).calls
    assert called.endswith("<enzyme_dup>, %a, %b, <enzyme_dupnoneed>, %c, %d")


def test_reverse_mode_follows_several_adjoints(tmp_path: Path) -> None:
    text = descriptor(width=2, arguments=arguments("Duplicated"), result=None)
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c"), text=text))
    assert fixed.calls == ["__enzyme_autodiff: @shim, <enzyme_width>, i64 2, <enzyme_dup>, %a, %b, %c"]


def test_what_is_differentiated_is_told_to_the_stages_to_come(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d")))
    assert fixed.derivatives == [
        {
            "derivative": "d_square",
            "primal": "demo::square",
            "mode": "reverse",
            "width": 1,
            "names": ["x"],
            "arguments": ["Active"],
            "result": "Active",
            "place": "src/main.rs:3:4",
            "is_marked": False,
            "shim": "shim",
            "outlives": True,
        }
    ]
    assert fixed.log.read_text() == "src/main.rs:3:4: d_square: reverse of demo::square\n"


def test_every_call_is_rewritten_and_the_derivative_told_once(tmp_path: Path) -> None:
    """The optimiser copies calls."""
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d"), call("%c", "%d", "%a", "%b")))
    assert len(fixed.calls) == 2
    assert fixed.text.count("@__enzyme_autodiff(ptr @shim") == 1
    assert len(fixed.derivatives) == 1


def test_each_derivative_is_told(tmp_path: Path) -> None:
    other = constant(descriptor(derivative="a_square", line=9), "@other")
    again = call("%a", "%b", "%c", "%d", text="@other")
    fixed = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d"), again, more=other))
    assert [(d["derivative"], d["place"]) for d in fixed.derivatives] == [
        ("a_square", "src/main.rs:9:4"),
        ("d_square", "src/main.rs:3:4"),
    ]


def test_text_as_rustc_wraps_it_is_read(tmp_path: Path) -> None:
    source = module(call("%a", "%b", "%c", "%d"))
    wrapped = re.sub(r"constant (\[.*?\]) (c\".*\")", r"constant <{ \1 }> <{ \1 \2 }>", source, count=1)
    assert "<{ [" in wrapped
    assert len(Fixed(tmp_path, wrapped).derivatives) == 1


def test_module_without_derivatives_goes_through(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, "define void @f() {\n  ret void\n}\n")
    assert fixed.derivatives == []
    assert fixed.log.read_text() == ""
    assert "define void @f()" in fixed.text


def test_module_without_derivatives_goes_through_byte_by_byte(tmp_path: Path) -> None:
    """What rustc wrote: of that LLVM would write other bytes."""
    compiled(tmp_path, '#![crate_type = "lib"]\npub fn f(x: &mut f64) { *x *= *x }', "3")
    (tmp_path / "given.bc").rename(tmp_path / MODULE)
    (tmp_path / "out").mkdir()
    stage = AbiFixup(TOOLS.opt, TOOLS.libllvm, raw=True, repairs=True)
    stage.run({"module": tmp_path}, tmp_path / "out", tmp_path / "log")
    assert (tmp_path / "out" / MODULE).read_bytes() == (tmp_path / MODULE).read_bytes()


def test_what_is_inactive_is_like_any_other_where_nothing_is_differentiated(tmp_path: Path) -> None:
    mark = "__crategrad_inactive_v1"
    text = Fixed(tmp_path, f"define void @f() {{\n  call void @{mark}()\n  ret void\n}}\ndeclare void @{mark}()").text
    assert "define void @f() {" in text
    assert mark not in text
    assert "attributes" not in text


def test_placeholder_that_nobody_calls_is_taken_out(tmp_path: Path) -> None:
    fixed = Fixed(tmp_path, module())
    assert fixed.derivatives == []
    assert PLACEHOLDER not in fixed.text


@pytest.mark.parametrize("name", [f"x{PLACEHOLDER}", f"{PLACEHOLDER}_x", "__crategrad_placeholder_v"])
def test_function_of_a_similar_name_is_not_ours(tmp_path: Path, name: str) -> None:
    fixed = Fixed(tmp_path, module(call("%a", placeholder=name), placeholder=name))
    assert fixed.calls == []
    assert f"@{name}(ptr @descriptor, ptr @shim, ptr %a)" in fixed.text


# ---- Refusals


@pytest.mark.parametrize("passed", [0, 1, 3, 5])
def test_other_number_of_pointers_is_refused_at_its_place(tmp_path: Path, passed: int) -> None:
    assert refusal(tmp_path, module(call(*POINTERS[:passed]))) == (
        "error: the derivative `d_square` is refused: reverse mode of width 1 with activities Active, Active takes 4 pointers; "
        f"the placeholder passes {passed}\n  --> src/main.rs:3:4"
    )


def test_shim_without_debug_info_is_refused(tmp_path: Path) -> None:
    source = module(call("%a", "%b", "%c", "%d")).replace("%result) !dbg !6", "%result)")
    assert "its crate was built without debug symbols\n  --> src/main.rs:3:4" in refusal(tmp_path, source)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ('!DIDerivedType(tag: DW_TAG_pointer_type, name: "*mut u8", baseType: null, size: 64)', "`x` is a pointer (`*mut u8`)"),
        ('!DICompositeType(tag: DW_TAG_union_type, name: "U", size: 64)', "`x` is a union (`U`)"),
        ('!DIBasicType(name: "usize", size: 64, encoding: DW_ATE_unsigned)', "`x` is `Active`, and there is no float in it"),
    ],
)
def test_value_that_no_adjoint_can_be_is_refused(tmp_path: Path, node: str, said: str) -> None:
    source = module(call("%a", "%b", "%c", "%d"))
    source = source.replace('!9 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)', f"!9 = {node}")
    assert said in refusal(tmp_path, source)


@pytest.mark.parametrize("primal", ["@declared", "%e", "null", "@descriptor"])
def test_primal_without_a_body_is_refused_at_its_place(tmp_path: Path, primal: str) -> None:
    assert refusal(tmp_path, module(call("%a", "%b", "%c", "%d", primal=primal))) == (
        "error: the derivative `d_square` is refused: its primal `demo::square` has no body in the program's bitcode\n"
        "  --> src/main.rs:3:4"
    )


def test_frontend_of_another_version_is_refused(tmp_path: Path) -> None:
    name = "__crategrad_placeholder_v12"
    message = refusal(tmp_path, module(call("%a", placeholder=name), placeholder=name))
    assert message.startswith("error: the crate uses an `autodiff` of version 12; this pipeline reads version 2\n  = help: ")


@pytest.mark.parametrize("use", [f"store ptr @{PLACEHOLDER}, ptr %a", f"call void %a(ptr @{PLACEHOLDER})"])
def test_placeholder_used_otherwise_than_by_a_call_is_refused(tmp_path: Path, use: str) -> None:
    assert "otherwise than by calling it" in refusal(tmp_path, module(use))


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "{",
        "[]",
        "7",
        descriptor(arguments=None),
        descriptor(arguments=["Active"]),
        descriptor(arguments=[{}]),
        json.dumps({name: value for name, value in SQUARE.items() if name != "mode"}),
        json.dumps({name: value for name, value in SQUARE.items() if name != "column"}),
    ],
)
def test_description_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path, module(call("%a", "%b", "%c", "%d"), text=text))
    assert message.startswith(f"error: a derivative's description cannot be read ({text!r})\n  --> no place known\n")


def test_description_of_zeros_is_refused(tmp_path: Path) -> None:
    """In a process of its own: this one could not tell."""
    (tmp_path / "out").mkdir()
    source = module(call("%a", "%b", "%c", "%d"), text="")
    subprocess.run([TOOLS.llvm_as, "-o", tmp_path / MODULE, "-"], input=source, text=True, check=True)
    refused = subprocess.run([sys.executable, "-c", REFUSED, tmp_path], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.stdout.startswith("error: a derivative's description cannot be read")


REFUSED = """
import sys
from pathlib import Path
from pipeline.errors import UserError
from pipeline.stages.abi_fixup import AbiFixup
from pipeline.toolchain import find_tools

folder = Path(sys.argv[1])
try:
    tools = find_tools()
    AbiFixup(tools.opt, tools.libllvm, raw=False, repairs=True).run({"module": folder}, folder / "out", folder / "log")
except UserError as error:
    print(error.message)
"""


@pytest.mark.parametrize("text", ["%e", "@shim", "@unknown", "@number"])
def test_description_that_is_no_constant_text_is_refused(tmp_path: Path, text: str) -> None:
    more = "@unknown = external constant [4 x i8]\n@number = constant i32 7"
    assert "cannot be read (None)" in refusal(tmp_path, module(call("%a", "%b", text=text), more=more))


def test_place_of_what_cannot_be_read_is_that_of_the_call(tmp_path: Path) -> None:
    source = module(call("%a") + ", !dbg !5", text="{")
    assert "\n  --> src/main.rs:8:9\n" in refusal(tmp_path, source)


@pytest.mark.parametrize("fields", [{"mode": "sideways"}, {"arguments": arguments("Actif")}, {"width": 0, "mode": "forward"}])
def test_what_the_description_must_not_say_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    pointers = POINTERS[:2] if fields.get("width") == 0 else POINTERS[:4]
    assert "src/main.rs:3:4" in refusal(tmp_path, module(call(*pointers), text=descriptor(**fields)))


def test_call_without_a_primal_is_refused(tmp_path: Path) -> None:
    refusal(tmp_path, module(f"call void (...) @{PLACEHOLDER}(ptr @descriptor)"))


@pytest.mark.parametrize("content", [b"", b"no bitcode", b"BC\xc0\xde\0\0\0\0"])
def test_module_that_cannot_be_read_is_the_users_to_mend(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MODULE).write_bytes(content)
    with pytest.raises(UserError, match=r"module\.bc is no module that this LLVM can read"):
        AbiFixup(TOOLS.opt, TOOLS.libllvm, raw=False, repairs=True).run({"module": tmp_path}, tmp_path, tmp_path / "log")


def test_library_that_cannot_be_loaded_is_the_users_to_mend(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"libLLVM cannot be loaded: .*\n.*\./doit doctor"):
        AbiFixup(TOOLS.opt, Tool(tmp_path / "none.so"), raw=False, repairs=True).run(
            {"module": tmp_path}, tmp_path, tmp_path / "log"
        )


# ---- What was not optimised

# A `Result` of a size, or a pointer and nothing: each arm stores in its own place.
RESULT = """
@sink = external global i64
declare ptr @malloc(i64)
define internal void @finish(ptr %to, i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %error, label %ok
error:
  %kind = getelementptr i8, ptr %to, i64 8
  store i64 %size, ptr %kind
  br label %end
ok:
  %word = ptrtoint ptr %memory to i64
  %place = getelementptr i8, ptr %to, i64 16
  store i64 %word, ptr %place
  br label %end
end:
  %tag = zext i1 %none to i64
  store i64 %tag, ptr %to
  ret void
}
define void @grow(i64 %size) {
  %result = alloca [24 x i8]
  call void @finish(ptr %result, i64 %size)
  %tag = load i64, ptr %result
  %failed = icmp ne i64 %tag, 0
  br i1 %failed, label %error, label %ok
error:
  %kind = getelementptr i8, ptr %result, i64 8
  %said = load i64, ptr %kind
  store i64 %said, ptr @sink
  ret void
ok:
  %place = getelementptr i8, ptr %result, i64 16
  %memory = load ptr, ptr %place
  store ptr %memory, ptr @sink
  ret void
}
"""


def test_places_of_a_result_become_registers_where_nothing_was_optimised(tmp_path: Path) -> None:
    """A store of either arm to either place would keep both in memory."""
    text = Fixed(tmp_path, module(call("%a", "%b", "%c", "%d"), more=RESULT), raw=True).text
    grow = text.partition("@grow(")[2].partition("\n}")[0]
    assert "@malloc" in grow
    assert "alloca" not in grow
