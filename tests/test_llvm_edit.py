"""What is written into a module, on modules written here."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.analyses.addresses import address
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.toolchain import find_tools

pytestmark = pytest.mark.toolchain

WITH_RECORD = """
define i64 @f(i1 %c, i64 %n) !dbg !5 {
  br label %next
next:
    #dbg_value(i64 %n, !6, !DIExpression(), !8)
  %m = add i64 %n, 1, !dbg !8
  ret i64 %m, !dbg !8
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: "", emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "src/main.rs", directory: "/here")
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocalVariable(name: "n", scope: !5, file: !2, line: 1, type: !7)
!7 = !DIBasicType(name: "u64", size: 64, encoding: DW_ATE_unsigned)
!8 = !DILocation(line: 1, column: 1, scope: !5)
"""

WAYS = 10


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], Editor]]:
    modules: list[Module] = []

    def open_text(source: str) -> Editor:
        (tmp_path / "given.ll").write_text(source)
        modules.append(Module(find_tools().libllvm, tmp_path / "given.ll"))
        return Editor(modules[-1].__enter__())

    yield open_text
    for module in modules:
        module.__exit__(None, None, None)


def instructions(editor: Editor) -> list[Value]:
    (function,) = editor.module.named(["f"])
    return list(editor.module.instructions(function))


def test_a_phi_comes_before_what_debuggers_are_told_of_the_place(opened: Callable[[str], Editor], tmp_path: Path) -> None:
    editor = opened(WITH_RECORD)
    leaving, add, _ = instructions(editor)
    made = editor.phi(add, editor.integer(64), [(editor.module.int64(7), editor.api.GetInstructionParent(leaving))])
    editor.module.write(tmp_path / "written.bc")
    assert instructions(editor)[1] == made
    text = editor.module.as_text()
    assert text.index("phi i64") < text.index("#dbg_value") < text.index("add i64")


def test_a_pointer_that_comes_in_many_ways_is_no_matter_of_all_their_orders(opened: Callable[[str], Editor]) -> None:
    cases = "".join(f"i64 {way}, label %b{way} " for way in range(WAYS))
    blocks = "".join(f"b{way}:\n  %p{way} = getelementptr i8, ptr %x, i64 {way}\n  br label %last\n" for way in range(WAYS))
    ways = ", ".join(f"[ %p{way}, %b{way} ]" for way in range(WAYS))
    editor = opened(
        f"define ptr @f(ptr %x, i64 %n) {{\n  switch i64 %n, label %b0 [ {cases.partition('%b0 ')[2]}]\n{blocks}"
        f"last:\n  %p = phi ptr {ways}\n  ret ptr %p\n}}"
    )
    phi = instructions(editor)[-2]
    tracemalloc.start()
    try:
        assert address(editor, phi).base == phi
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
