"""Taking Rust's libraries apart into bitcode and native objects."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

_ARCHIVE = b"!<arch>\n"
_INDICES = {b"/": "I", b"/SYM64/": "Q"}
"""An archive's index by its name, and the numbers in it."""
_BITCODE = b"BC\xc0\xde"
_ELF = b"\x7fELF"
_HEADER = 60
_EXCLUDED = 0x80000000
"""SHF_EXCLUDE."""
_SYMBOL_TABLE, _SYMBOL = 2, 24
"""The kind of that section, and the bytes of an entry."""
_DIGITS = 32
_MARK, _REST = b"x", b" "
_MARKED = bytes.maketrans(bytes(range(256)), b"".join(_MARK if chr(c) in "0123456789abcdef" else _REST for c in range(256)))
_CHECKSUM = re.compile(r', checksumkind: CSK_\w+, checksum: "[0-9a-f]+"')


@dataclass(frozen=True)
class Member:
    """A file in an archive: its name and bytes, and what it defines by the archive's index."""

    name: str
    data: bytes
    symbols: tuple[bytes, ...] = ()

    @property
    def is_bitcode(self) -> bool:
        """True for an LLVM module."""
        return self.data.startswith(_BITCODE)

    @property
    def is_native(self) -> bool:
        """True for an object of the machine's own; a crate's metadata is wrapped in one, but is for rustc alone."""
        return self.data.startswith(_ELF) and self.name != "lib.rmeta"

    @property
    def embedded(self) -> bytes:
        """The LLVM module that an object carries beside its machine code (rustc's `-Cembed-bitcode`); empty where none is."""
        return _section(self.data, b".llvmbc") if self.is_native else b""

    @property
    def not_to_carry(self) -> Member:
        """The object, of which a program gets no bitcode: the linker knows that of what rustc embeds, but not of clang's.

        GNU ar's index says nothing of it where a plugin for binutils reads bitcode, of another LLVM perhaps.
        """
        data = bytearray(self.data)
        for header, name, *_ in _sections(self.data):
            if self.data.startswith((b".llvmbc\0", b".llvmcmd\0"), name):
                (flags,) = struct.unpack_from("<Q", data, header + 8)
                struct.pack_into("<Q", data, header + 8, flags | _EXCLUDED)
        return replace(self, data=bytes(data), symbols=tuple(_defined(self.data)))


_UNOPTIMISED, _NOT_TO_OPTIMISE = ".no-opt.bc", ".bc"


def within(members: Iterable[Member]) -> Iterator[bytes]:
    """The modules that stand in the place of objects."""
    return (member.data for member in members if member.is_bitcode)


def beside(folder: Path, members: Iterable[Member]) -> Iterator[bytes]:
    """The modules of which objects were made, as they were before rustc optimised them (its `-Csave-temps`)."""
    return (module.read_bytes() for member in members if member.is_native and (module := module_of(folder / member.name)))


def module_of(compiled: Path) -> Path | None:
    """The module that lies beside an object; what rustc does not optimise, as the allocator's shim, has but one."""
    found = [
        compiled.with_suffix(ending) for ending in (_UNOPTIMISED, _NOT_TO_OPTIMISE) if compiled.with_suffix(ending).is_file()
    ]
    return found[0] if found else None


def members(archive: Path) -> Iterator[Member]:
    """The files of a System V `ar` archive (`.rlib`, `.a`), in order; names as GNU ar writes them (`name/`, `/offset`).

    Read here and not by `llvm-ar x`, which loses one of two members of the same name.
    """
    data = archive.read_bytes()
    if not data.startswith(_ARCHIVE):
        raise ValueError(f"{archive} is no archive")
    return members_of(data)


def members_of(data: bytes) -> Iterator[Member]:
    """The same, of an archive's bytes."""
    long_names = b""
    symbols: dict[int, list[bytes]] = {}
    at = len(_ARCHIVE)
    while at + _HEADER <= len(data):
        name, size = data[at : at + 16].rstrip(), int(data[at + 48 : at + 58])
        body = data[at + _HEADER : at + _HEADER + size]
        if name == b"//":
            long_names = body
        elif name in _INDICES:
            symbols = _index(body, _INDICES[name])
        else:
            yield Member(_member_name(name, long_names), body, tuple(symbols.get(at, ())))
        at += _HEADER + size + size % 2


def _index(body: bytes, number: str) -> dict[int, list[bytes]]:
    """What the members define, by where they begin: an index is a count, so many places, and so many names."""
    (count,) = struct.unpack_from(f">{number}", body)
    places = struct.unpack_from(f">{count}{number}", body, struct.calcsize(number))
    found: dict[int, list[bytes]] = {}
    for place, symbol in zip(places, body[struct.calcsize(f">{count + 1}{number}") :].split(b"\0"), strict=False):
        found.setdefault(place, []).append(symbol)
    return found


def _member_name(name: bytes, long_names: bytes) -> str:
    if name.startswith(b"/"):
        start = int(name[1:])
        name = long_names[start : long_names.index(b"\n", start)]
    return name.rstrip(b"/").decode()


def _section(elf: bytes, wanted: bytes) -> bytes:
    """The contents of a section of an ELF object; nothing where there is none of that name."""
    found = (elf[begin:end] for _, name, begin, end in _sections(elf) if elf.startswith(wanted + b"\0", name))
    return next(found, b"")


def _sections(elf: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Where in a 64-bit little-endian ELF object the sections are: the header, the name, and the contents' begin and end."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count, names = struct.unpack_from("<3H", elf, 0x3A)
    *_, size_of_first, link_of_first = struct.unpack_from("<2I4QI", elf, table)
    # Where there are too many for these fields the first section has the numbers.
    count, names = count or size_of_first, link_of_first if names == 0xFFFF else names
    places = [table + entry * number for number in range(count)]
    headers = [struct.unpack_from("<2I4Q", elf, place) for place in places]
    texts = headers[names][4]
    for place, (name, _, _, _, offset, size) in zip(places, headers, strict=True):
        yield place, texts + name, offset, offset + size


def _defined(elf: bytes) -> Iterator[bytes]:
    """The names that such an object defines for others."""
    sections = list(_sections(elf))
    for header, _, begin, end in sections:
        (kind, link) = (struct.unpack_from("<I", elf, header + at)[0] for at in (4, 0x28))
        names = sections[link][2] if kind == _SYMBOL_TABLE else 0
        for at in range(begin, end if names else begin, _SYMBOL):
            name, info, _, section = struct.unpack_from("<I2BH", elf, at)
            if section and info >> 4:  # 0 is a local one
                yield elf[names + name : elf.index(b"\0", names + name)]


def without_summary(data: bytes) -> bytes:
    """The module without the ThinLTO summary that rustc puts in: with it a linker asked for one module makes many."""
    import llvmlite.binding as llvm

    return bytes(llvm.parse_bitcode(data).as_bitcode())


def without_checksums(data: bytes) -> bytes:
    """The module without the summary, and without the checksums of source files in its debug info.

    They change with every comment, and nothing else would: without them such an edit rebuilds nothing after this.
    """
    import llvmlite.binding as llvm

    text = str(llvm.parse_bitcode(data))
    if _CHECKSUM.search(text) is None:
        return without_summary(data)
    return bytes(llvm.parse_assembly(text_without_checksums(text)).as_bitcode())


def text_without_checksums(text: str) -> str:
    """The same, of a module as text."""
    lines = (_CHECKSUM.sub("", line) if line.startswith("!") else line for line in text.splitlines())
    return "\n".join(line for line in lines if not line.startswith("^"))


def checksums(sources: Iterable[Path]) -> set[bytes]:
    """What debug info has of these source files."""
    return {hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest().encode() for path in sources}


def without(known: Collection[bytes], data: bytes) -> bytes:
    """The module without these checksums, and not written anew: it may be large, and needed only in part."""
    kept, end = [], 0
    marked = data.translate(_MARKED)  # where digits are: bytes are found faster than what a regular expression says of them
    while (begin := marked.find(_MARK * _DIGITS, end)) >= 0:
        kept.append(data[end:begin])
        end = marked.find(_REST, begin)
        end = end if end >= 0 else len(data)
        kept.append(_without(known, data[begin:end]))
    return b"".join([*kept, data[end:]])


def _without(known: Collection[bytes], digits: bytes) -> bytes:
    """Zeros in the place of each checksum among the digits: LLVM writes strings one after the other, with nothing between."""
    for begin in range(len(digits) - _DIGITS + 1):
        if digits[begin : begin + _DIGITS] in known:
            digits = digits[:begin] + b"0" * _DIGITS + digits[begin + _DIGITS :]
    return digits


def write_natives(members: Sequence[Member], archive: Path) -> bool:
    """Write the native objects among `members` as an archive with an index; False where there are none.

    The index is made of theirs: `llvm-ar` would read all objects again, and be started for each library at each edit.
    """
    natives = [member for member in members if member.is_native]
    if not natives:
        return False
    symbols = [symbol for member in natives for symbol in member.symbols]
    names = b"".join(symbol + b"\0" for symbol in symbols)
    size = 4 * (len(symbols) + 1) + len(names)
    at = len(_ARCHIVE) + _HEADER + size + size % 2
    places: list[int] = []
    for member in natives:
        places += [at] * len(member.symbols)
        at += _HEADER + len(member.data) + len(member.data) % 2
    index = struct.pack(f">{len(places) + 1}I", len(places), *places) + names
    archive.parent.mkdir(parents=True, exist_ok=True)
    with archive.open("wb") as stream:
        stream.write(_ARCHIVE)
        for name, data in [("", index), *((f"{number:02}.o", member.data) for number, member in enumerate(natives))]:
            stream.write(f"{f'{name}/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode())
            stream.write(data + b"\n" * (len(data) % 2))
    return True
