"""Libraries taken apart: archives as `ar` and `llvm-ar` write them, and modules without their summary."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pipeline import bitcode
from pipeline.bitcode import Member
from pipeline.toolchain import Tool, find_tools

TOOLS = find_tools()
LLVM_DIS = TOOLS.llvm_as.path.with_name("llvm-dis")

LONG = "a_name_that_is_longer_than_sixteen_letters-0123456789abcdef.rcgu.o"
CONTENTS = {"short.o": b"even", "odd.o": b"odd", LONG: b"long, odd", "also " + LONG: b"even", "empty.o": b""}

toolchain = pytest.mark.toolchain


def archive(folder: Path, ar: Tool, contents: dict[str, bytes], how: str = "qc") -> Path:
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    subprocess.run([ar, how, "lib.a", *contents], cwd=folder, check=True)
    return folder / "lib.a"


# ---- Members


@toolchain
@pytest.mark.parametrize("ar", [Tool(Path("/usr/bin/ar")), TOOLS.llvm_ar], ids=["ar", "llvm-ar"])
def test_members_are_all_files_in_order(tmp_path: Path, ar: Tool) -> None:
    members = list(bitcode.members(archive(tmp_path, ar, CONTENTS)))
    assert members == [Member(name, data) for name, data in CONTENTS.items()]


@toolchain
def test_members_of_the_same_name_are_all_there(tmp_path: Path) -> None:
    for data in (b"first", b"second"):
        path = archive(tmp_path, TOOLS.llvm_ar, {"same.o": data, LONG: data})
    found = [(member.name, member.data) for member in bitcode.members(path)]
    assert found == [("same.o", b"first"), (LONG, b"first"), ("same.o", b"second"), (LONG, b"second")]


@toolchain
def test_index_of_symbols_is_no_member(tmp_path: Path) -> None:
    source = "int symbol(void) { return 1; }"
    subprocess.run(["cc", "-xc", "-c", "-", "-o", tmp_path / "native.o"], input=source, text=True, check=True)
    path = archive(tmp_path, TOOLS.llvm_ar, {"native.o": (tmp_path / "native.o").read_bytes()}, "qcs")
    assert b"symbol" in path.read_bytes()[:200]
    assert [(member.name, member.is_native) for member in bitcode.members(path)] == [("native.o", True)]


def test_empty_archive_has_no_members(tmp_path: Path) -> None:
    (tmp_path / "lib.a").write_bytes(b"!<arch>\n")
    assert list(bitcode.members(tmp_path / "lib.a")) == []


@pytest.mark.parametrize("data", [b"", b"!<thin>\n", b"\x7fELF" + b"\0" * 100])
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "lib.a").write_bytes(data)
    with pytest.raises(ValueError, match=r"lib\.a is no archive"):
        list(bitcode.members(tmp_path / "lib.a"))


@pytest.mark.parametrize(
    ("name", "data", "is_bitcode", "is_native"),
    [
        ("a.o", b"BC\xc0\xde...", True, False),
        ("a.o", b"\x7fELF...", False, True),
        ("lib.rmeta", b"\x7fELF...", False, False),
        ("lib.rmeta", b"rust...", False, False),
        ("a.o", b"", False, False),
    ],
)
def test_kind_of_a_member(name: str, data: bytes, is_bitcode: bool, is_native: bool) -> None:
    member = Member(name, data)
    assert (member.is_bitcode, member.is_native) == (is_bitcode, is_native)


# ---- Bitcode in native objects


def assembled(folder: Path, source: str) -> Member:
    subprocess.run(["cc", "-xassembler", "-c", "-", "-o", folder / "a.o"], input=source, text=True, check=True)
    return Member("a.o", (folder / "a.o").read_bytes())


CARRIED = '.section .llvmbc,"e",@progbits\n.ascii "BC and more"\n.section .llvmcmd,"e",@progbits\n.ascii "-O"\n'


@toolchain
@pytest.mark.parametrize("sections", [0, 70_000], ids=["few", "more than the header can count"])
def test_bitcode_is_found_among_the_sections(tmp_path: Path, sections: int) -> None:
    others = "".join(f'.section .s{number},"a"\n.byte 0\n' for number in range(sections))
    assert assembled(tmp_path, others + CARRIED).embedded == b"BC and more"
    assert assembled(tmp_path, others + CARRIED.replace(".llvmbc", ".llvmbcx")).embedded == b""


@pytest.mark.parametrize("member", [Member("lib.rmeta", b"\x7fELF"), Member("a.o", b"BC\xc0\xde"), Member("a.o", b"")])
def test_bitcode_is_looked_for_in_objects_alone(member: Member) -> None:
    assert member.embedded == b""


@toolchain
def test_a_program_gets_no_bitcode_of_objects_that_are_not_to_carry_it(tmp_path: Path) -> None:
    """As clang has it the sections are like any others."""
    as_clang = CARRIED.replace(',"e",', ',"",')
    member = assembled(tmp_path, f"{as_clang}.globl main\n.weak too\n.text\nmain: call abort@plt\ntoo: ret\nown: ret\n")
    assert set(member.not_to_carry.symbols) == {b"main", b"too"}
    for one, is_there in ((member, True), (member.not_to_carry, False)):
        (tmp_path / "one.o").write_bytes(one.data)
        subprocess.run(["cc", tmp_path / "one.o", "-o", tmp_path / "program"], check=True)
        assert (b"BC and more" in (tmp_path / "program").read_bytes()) == is_there
        assert one.embedded == b"BC and more"


# ---- Native objects


@toolchain
def test_natives_are_written_as_an_archive_with_an_index(tmp_path: Path) -> None:
    objects = {}
    subprocess.run([TOOLS.opt, "-o", tmp_path / "bc", "-"], input="define void @f() {\n  ret void\n}\n", text=True, check=True)
    for name in ("one", "two"):
        source = f"int {name}(void) {{ return 1; }} int {name}_more; static int {name}_own(void) {{ return 2; }}"
        subprocess.run(["cc", "-xc", "-c", "-", "-o", tmp_path / "o"], input=source, text=True, check=True)
        objects[f"{name}.o"] = (tmp_path / "o").read_bytes()
    given = archive(tmp_path, TOOLS.llvm_ar, {"a.o": (tmp_path / "bc").read_bytes(), **objects, "lib.rmeta": b"rust!"}, "qcs")
    path = tmp_path / "native" / "lib.a"
    assert bitcode.write_natives(list(bitcode.members(given)), path)
    made = list(bitcode.members(path))
    assert [member.data for member in made] == [*objects.values()]
    assert [sorted(member.symbols) for member in made] == [[b"one", b"one_more"], [b"two", b"two_more"]]
    index = subprocess.run([TOOLS.llvm_nm, "--print-armap", path], capture_output=True, text=True, check=True).stdout
    assert {"one in 00.o", "two_more in 01.o"} <= set(index.splitlines())
    main = "int two(void); int main(void) { return two(); }"
    argv: list[str | Path] = ["cc", "-xc", "-", "-xnone", path, "-o", tmp_path / "program"]
    subprocess.run(argv, input=main, text=True, check=True)
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 1


@toolchain
def test_an_archive_of_nothing_that_is_defined_can_be_linked(tmp_path: Path) -> None:
    subprocess.run(["cc", "-xc", "-c", "-", "-o", tmp_path / "o"], input="static int own;", text=True, check=True)
    bitcode.write_natives([Member("a.o", (tmp_path / "o").read_bytes())], tmp_path / "lib.a")
    argv: list[str | Path] = ["cc", "-xc", "-", "-xnone", tmp_path / "lib.a", "-o", tmp_path / "program"]
    subprocess.run(argv, input="int main(void) { return 0; }", text=True, check=True)


@toolchain
def test_natives_make_the_same_archive_whenever_they_are_written(tmp_path: Path) -> None:
    natives = [Member("a.o", b"\x7fELF one"), Member("b.o", b"\x7fELF two")]
    for name in ("one.a", "two.a"):
        bitcode.write_natives(natives, tmp_path / name)
    assert (tmp_path / "one.a").read_bytes() == (tmp_path / "two.a").read_bytes()


def test_without_natives_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "native" / "lib.a"
    assert not bitcode.write_natives([Member("a.o", b"BC\xc0\xde")], path)
    assert not path.parent.exists()


# ---- Summaries


@toolchain
def test_module_loses_its_summary_and_nothing_else(tmp_path: Path) -> None:
    source = "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n"
    argv: list[str | os.PathLike[str]] = [TOOLS.opt, "-module-summary", "-o", tmp_path / "with.bc", "-"]
    subprocess.run(argv, input=source, text=True, check=True)
    with_summary = (tmp_path / "with.bc").read_bytes()
    assert "^0 = module:" in disassembled(with_summary)
    without = disassembled(bitcode.without_summary(with_summary))
    assert "^0" not in without
    assert source in without


def disassembled(data: bytes) -> str:
    return subprocess.run([LLVM_DIS, "-o", "-", "-"], input=data, capture_output=True, check=True).stdout.decode()


def test_checksums_of_sources_are_taken_out_wherever_they_stand(tmp_path: Path) -> None:
    """At the end, right after each other or after other digits; and nothing else is."""
    sources = [tmp_path / name for name in ("one.rs", "other.rs")]
    for source in sources:
        source.write_text(source.name)
    one, other = sorted(bitcode.checksums(sources))
    zeros, foreign = b"0" * 32, b"1234567890abcdef" * 2
    data = b"\xff".join([b"name", one + other, foreign, b"12a" + one + b"f", b"", one[:31], one.upper(), other])
    found = b"\xff".join([b"name", zeros + zeros, foreign, b"12a" + zeros + b"f", b"", one[:31], one.upper(), zeros])
    assert bitcode.without({one, other}, data) == found
    assert bitcode.without(set(), data) == data
    assert bitcode.without({one}, b"") == b""
