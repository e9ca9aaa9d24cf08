"""The IR of the six families, as FileCheck reads it: before abi_fixup, after it, and when opt2 has had its way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.toolchain import find_tools
from tests.test_ledger import EXPECTED
from tests.workbench import MANIFEST, MERGED, ROOT, Workbench

pytestmark = pytest.mark.toolchain

LLVM_DIS = find_tools().llvm_as.path.with_name("llvm-dis")
SOURCE = (ROOT / "tests/crates/families/src/main.rs").read_text()
LEVELS = ("0", "1", "2", "3", "s")
PINNED = ("03-llvm_link", "04-opt1", "05-abi_fixup")

MULTIPLIED = """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK-DAG:  [[X:%[0-9]+]] = load float, ptr %0,
CHECK-DAG:  [[Y:%[0-9]+]] = load float, ptr %{{[1-9]}},
CHECK:      [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}NAME17h{{[^(]*}}(float {{[^%]*}}[[X]], float {{[^%]*}}[[Y]])
CHECK-NEXT: store float [[R]], ptr %1,
CHECK:      define internal {{.*}}float @{{.*}}NAME17h{{[^(]*}}(float {{[^%]*}}%0, float {{[^%]*}}%1)
CHECK-NEXT: fmul float %0, %1
CHECK-NEXT: ret float
CHECK-NOT:  define
"""

DISPATCHED = """
CHECK:      call {{.*}}float @[[D:crategrad_dispatch_[0-9]+]](ptr {{[^%]*}}GIVEN)
CHECK-NEXT: ret float
CHECK:      define internal float @[[D]](ptr {{[^%]*}}%0, {{.*}})
CHECK-NEXT: [[HIDDEN:%[0-9]+]] = call ptr @crategrad_same_ptr(ptr %0)
CHECK-NEXT: [[OTHER:%[0-9]+]] = icmp ne ptr [[HIDDEN]], @{{"?_ZN.*CANDIDATE17h.*}}
CHECK-NEXT: call void @crategrad_check{{[.0-9]*}}(i1 [[OTHER]])
CHECK-NEXT: call float @[[D]].0({{.*}})
CHECK-NEXT: ret float
CHECK:      define internal {{.*}}float @[[D]].0({{.*}})
CHECK-NEXT: call float @{{"?_ZN.*CANDIDATE17h.*}}(
CHECK-NEXT: ret float
CHECK:      define internal {{.*}}float @{{"?_ZN.*CANDIDATE17h[^(]*}}(
"""

FAMILIES = {
    "array": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK:      [[X:%[0-9]+]] = load ptr, ptr %0,
CHECK-NEXT: [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}5array17h{{[^(]*}}(ptr {{[^%]*}}[[X]])
CHECK-NEXT: store float [[R]], ptr %1,
CHECK:      define internal {{.*}}float @{{.*}}5array17h{{[^(]*}}(ptr {{[^%]*}}%0)
CHECK-COUNT-2: load float, ptr %
CHECK-NEXT: fmul float
CHECK-NEXT: ret float
CHECK-NOT:  define
""",
    "array_of_one": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK:      [[X:%[0-9]+]] = load ptr, ptr %0,
CHECK-NEXT: [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}12array_of_one17h{{[^(]*}}(ptr {{[^%]*}}[[X]])
CHECK-NEXT: store float [[R]], ptr %1,
CHECK:      define internal {{.*}}float @{{.*}}12array_of_one17h{{[^(]*}}(ptr {{[^%]*}}%0)
CHECK-NEXT: load float, ptr %0,
CHECK-NEXT: fmul float
CHECK-NEXT: ret float
CHECK-NOT:  define
""",
    "array_by_value": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK-COUNT-2: load float, ptr %
CHECK-NEXT: [[R:%[0-9]+]] = fmul float
CHECK-NEXT: store float [[R]], ptr %1,
CHECK-NEXT: ret void
CHECK-NOT:  define
""",
    "function": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1, ptr {{[^%]*}}%2)
CHECK-DAG:  [[G:%[0-9]+]] = load ptr, ptr %0,
CHECK-DAG:  [[X:%[0-9]+]] = load float, ptr %1,
CHECK-NEXT: [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}8function17h{{[^(]*}}(ptr {{[^%]*}}[[G]], float {{[^%]*}}[[X]])
CHECK-NEXT: store float [[R]], ptr %2,
CHECK:      define internal {{.*}}float @{{.*}}8function17h{{[^(]*}}(ptr {{[^%]*}}%0, float {{[^%]*}}%1)
"""
    + DISPATCHED.replace("GIVEN", "%0, float {{[^%]*}}%1").replace("CANDIDATE", "6square"),
    "reference": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1, ptr {{[^%]*}}%2)
CHECK-DAG:  [[X:%[0-9]+]] = load ptr, ptr %0,
CHECK-DAG:  [[Y:%[0-9]+]] = load ptr, ptr %1,
CHECK-NEXT: [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}9reference17h{{[^(]*}}(ptr {{[^%]*}}[[X]], ptr {{[^%]*}}[[Y]])
CHECK-NEXT: store float [[R]], ptr %2,
CHECK:      define internal {{.*}}float @{{.*}}9reference17h{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK-DAG:  load float, ptr %0,
CHECK-DAG:  load float, ptr %1,
CHECK:      ret float
CHECK-NOT:  define
""",
    "dynamic": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1, ptr {{[^%]*}}%2)
CHECK:      [[X:%[0-9]+]] = load float, ptr %1,
CHECK-NEXT: [[R:%[0-9]+]] = {{.*}}call {{.*}}float @{{.*}}7dynamic17h{{[^(]*}}(ptr {{.*}}, ptr {{.*}}, float {{[^%]*}}[[X]])
CHECK-NEXT: store float [[R]], ptr %2,
CHECK:      define internal {{.*}}float @{{.*}}7dynamic17h{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1, float {{[^%]*}}%2)
CHECK-NEXT: [[SLOT:%[0-9]+]] = getelementptr inbounds nuw i8, ptr %1, i64 24
CHECK-NEXT: [[F:%[0-9]+]] = load ptr, ptr [[SLOT]],
"""
    + DISPATCHED.replace("GIVEN", "[[F]], ptr {{[^%]*}}%0, float {{[^%]*}}%2").replace("CANDIDATE", "2at"),
    "tuple": MULTIPLIED.replace("NAME", "5tuple"),
    "structure": MULTIPLIED.replace("NAME", "9structure"),
    "nested": MULTIPLIED.replace("NAME", "6nested"),
    "behind_a_reference": """
CHECK:      define internal void @{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK:      call {{.*}}float @{{.*}}18behind_a_reference17h{{[^(]*}}(ptr {{[^%]*}}%{{[0-9]+}})
CHECK-NEXT: store float
CHECK:      define internal {{.*}}float @{{.*}}18behind_a_reference17h{{[^(]*}}(ptr {{[^%]*}}%0)
CHECK:      call {{.*}}float @{{.*}}10references17h{{[^(]*}}(ptr {{[^%]*}}%{{[0-9]+}}, ptr {{[^%]*}}%{{[0-9]+}})
CHECK:      define internal {{.*}}float @{{.*}}10references17h{{[^(]*}}(ptr {{[^%]*}}%0, ptr {{[^%]*}}%1)
CHECK-DAG:  load float, ptr %0,
CHECK-DAG:  load float, ptr %1,
CHECK:      ret float
CHECK-NOT:  define
""",
}
"""The shim of each derivative and all that it calls, in the order of the calls, after abi_fixup."""

NO_WORDS = """
CHECK-NOT: {{(load|store|phi|bitcast) i[1-9]|(trunc|lshr|shl|zext|ptrtoint|inttoptr) |select .* i(16|32|64|128) }}
CHECK-NOT: {{(define|call) [^@]*i(16|32|64|128)[^@]* @_ZN|@_ZN[^(]*\\((|.*, )i(16|32|64|128) }}
CHECK-NOT: {{call [^@]*%[0-9]+\\(}}
"""
"""No float travels as an integer, in memory, in a register or in a header; and nothing is called through a pointer."""

RUSTCS = EXPECTED | {"array_by_value": "(i64)"}
"""The headers that rustc gives."""

LLVMS = {
    "d_array": "(float, float, ptr)",
    "d_array_of_one": "(float, ptr)",
    "d_reference": "(float, ptr)",
    "d_dynamic": "(ptr, ptr, float)",
    "d_tuple": "(ptr, float)",
    "d_structure": "(ptr, float)",
    "d_nested": "(ptr, float)",
}
"""The headers that opt2 gives to derivatives: references promoted; the seed, and what else is always the same, dropped."""

NOTHING_OF_OURS = """
CHECK-NOT: {{define .* @(crategrad_(check|same|dispatch|store|float_of|i[0-9]+_of)|.*call_once)}}
CHECK-NOT: {{optnone|enzyme_inactive|enzyme_ta_norecur|crategrad_placeholder}}
"""
"""No helper, no shim, nothing said to Enzyme, nothing that keeps a function as it is."""

NOTHING_OF_ENZYMES = """
CHECK-NOT: {{define .*@"?(fwd)?(diffe|augmented_)}}
CHECK-NOT: {{attributes #[0-9]+ = \\{ (?!cold ).*noinline}}
"""
"""Every derivative inlined where it is called, and none kept from it but what ends the program."""

NAME = r'("[^"]+"|[^\s(]+)'
NOISE = re.compile(r"^ *(#dbg.*|call void @llvm\.(lifetime|experimental\.noalias).*)\n|, !dbg !\d+", re.MULTILINE)


@dataclass(frozen=True)
class Built:
    """What the stages made of the families."""

    listings: dict[str, str]
    """The module of each stage, without debug info and promises."""
    shims: dict[str, str]
    """The name in the modules of what is differentiated, by the function's own."""

    def definitions(self, stage: str) -> str:
        """The first line of each function."""
        return "\n".join(line for line in self.listings[stage].splitlines() if line.startswith("define "))

    def tree(self, function: str, stage: str) -> str:
        """The shim of a function and all that it calls, in the order of the calls."""
        listing = self.listings[stage]
        bodies = {m[1]: m[0] for m in re.finditer(rf"^define .*? @{NAME}\(.*?^}}$", listing, re.MULTILINE | re.DOTALL)}
        waiting = [self.shims[function]]
        for name in waiting:
            called = dict.fromkeys(re.findall(rf"call [^@\n]*@{NAME}\(", bodies[name]))
            waiting += [name for name in called if name in bodies and name not in waiting]
        return "\n".join(bodies[name] for name in waiting)


@pytest.fixture(scope="module", params=LEVELS)
def built(request: pytest.FixtureRequest, session_bench: Workbench) -> Built:
    """The families at a level."""
    return build(session_bench, SOURCE, request.param)


def build(bench: Workbench, source: str, level: str) -> Built:
    bench.environment.clear()
    bench.write(source, f"{MANIFEST}\n[profile.release]\nopt-level = {level if level.isdigit() else repr(level)}\n")
    bench.build(MERGED, f"opt1.level={level if level.isdigit() else 2}", "tape=system")  # the pool is ours, and stays
    stages = bench.output() / "stages"
    derivatives = json.loads((stages / "05-abi_fixup" / DERIVATIVES).read_text())
    shims = {derivative["primal"].rpartition("::")[2]: derivative["shim"] for derivative in derivatives}
    return Built({stage: listing(stages / stage / MODULE) for stage in (*PINNED, "07-opt2")}, shims)


def listing(module: Path) -> str:
    argv: list[str | Path] = [LLVM_DIS, "-o", "-", module]
    return NOISE.sub("", subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


def headers(expected: dict[str, str]) -> str:
    """Checks that functions of the crate have parameters of these types, and no others."""
    checks = ""
    for name, types in expected.items():
        parameters = ", ".join(f"{ty}{{{{( [^%]*)?}}}} %{{{{[^ ,)]+}}}}" for ty in types[1:-1].split(", "))
        checks += f"CHECK-DAG: @_ZN5bench{len(name)}{name}17h{{{{[^(]*}}}}({parameters})\n"
    return checks


def complaint(text: str, checks: str, folder: Path) -> str:
    """What FileCheck says; nothing if all is as it should be."""
    for name, written in (("text", text), ("checks", checks)):
        (folder / name).write_text(written)
    argv: list[str | Path] = [sys.executable, "-m", "filecheck", folder / "checks", "--input-file", folder / "text"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or done.stderr
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("function", FAMILIES)
def test_enzyme_is_given_the_header_floats_and_direct_calls(built: Built, function: str, tmp_path: Path) -> None:
    tree = built.tree(function, "05-abi_fixup")
    assert not complaint(tree, FAMILIES[function], tmp_path)
    assert not complaint(tree, NO_WORDS, tmp_path)


@pytest.mark.parametrize("function", ["array_by_value", "function", "dynamic"])
def test_without_abi_fixup_it_would_not_be(built: Built, function: str, tmp_path: Path) -> None:
    """That the checks find what they are there to find."""
    assert "excluded" in complaint(built.tree(function, "04-opt1"), NO_WORDS, tmp_path)


def test_headers_are_pinned_until_enzyme_has_run(built: Built, tmp_path: Path) -> None:
    for stage in PINNED:
        assert not complaint(built.definitions(stage), headers(RUSTCS), tmp_path), stage


def test_no_header_is_pinned_after_opt2_and_nothing_of_ours_is_left(built: Built, tmp_path: Path) -> None:
    assert not complaint(built.definitions("07-opt2"), headers(LLVMS), tmp_path)
    assert not complaint(built.listings["07-opt2"], NOTHING_OF_OURS, tmp_path)


@pytest.mark.parametrize("level", ["0", "3"])
def test_opt2_inlines_all_that_the_user_lets_it_inline(session_bench: Workbench, level: str, tmp_path: Path) -> None:
    text = build(session_bench, SOURCE.replace("#[inline(never)]\n", ""), level).listings["07-opt2"]
    assert not complaint(text, NOTHING_OF_OURS + NOTHING_OF_ENZYMES, tmp_path)
