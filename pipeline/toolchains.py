"""Which toolchains there are here, and which of them a crate is built with: its `rust-toolchain.toml` may ask for one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.toolchain import Rust, find_rust, rustup_toolchains

OF_ITSELF = "debian"
"""What a config names that does not care; who does names any other, and then no file of the crate's says otherwise."""

_FILES = ("rust-toolchain", "rust-toolchain.toml")
"""In this order, rustup's; the first may hold nothing but a name."""

_HELP = "  = help: or build it with Debian's all the same: toolchain=/usr"


@dataclass(frozen=True)
class Found:
    """A toolchain that is here: what a config calls it, and what it is or, where it is of no use, why."""

    name: str
    rust: Rust | None
    why_not: str = ""


def toolchains_here(digests: Digests) -> Iterator[Found]:
    """Debian's toolchain and rustup's, as they are asked for."""
    yield from (_found(name, digests) for name in (OF_ITSELF, *sorted(folder.name for folder in rustup_toolchains())))


def _found(name: str, digests: Digests) -> Found:
    try:
        return Found(name, find_rust(name, digests))
    except UserError as error:
        return Found(name, None, error.message.partition("\n")[0].removeprefix("error: "))


def rust_for(chosen: str, folder: Path, digests: Digests) -> Rust:
    """The toolchain for the crate in `folder`: the config's or, where that does not care, what the crate asks for.

    Raises: UserError where it is not here, or cannot be used.
    """
    file = _file_for(folder) if chosen == OF_ITSELF else None
    return find_rust(chosen, digests) if file is None else _rust_of(file, digests)


def _file_for(folder: Path) -> Path | None:
    """The nearest file upwards."""
    above = (folder.resolve(), *folder.resolve().parents)
    return next((each / name for each in above for name in _FILES if (each / name).is_file()), None)


def _rust_of(file: Path, digests: Digests) -> Rust:
    asked = _read(file)
    if isinstance(asked.get("path"), str):
        return _usable(file, asked["path"], _found(str(file.parent / asked["path"]), digests))
    channel = asked.get("channel")
    if channel is None:
        return find_rust(OF_ITSELF, digests)
    if not isinstance(channel, str):
        raise UserError(f"error: {file}: `channel` is no text\n{_HELP}")
    here = []
    for found in toolchains_here(digests):
        if _is_asked_for(channel, found):
            return _usable(file, channel, found)
        here.append(f"{found.name} ({found.rust.version if found.rust else found.why_not})")
    raise UserError(
        f"error: {file} asks for the toolchain `{channel}`, which is not here; there are {', '.join(here)}\n"
        f"  = help: rustup toolchain install {channel}\n{_HELP}"
    )


def _usable(file: Path, asked: str, found: Found) -> Rust:
    if found.rust is None:
        raise UserError(f"error: {file} asks for `{asked}`, which is of no use here: {found.why_not}\n{_HELP}")
    return found.rust


def _read(file: Path) -> dict[str, Any]:
    """The table `[toolchain]`."""
    try:
        text = file.read_text()
        if file.name == _FILES[0] and len(text.split()) == 1:
            return {"channel": text.strip()}
        table = tomllib.loads(text).get("toolchain", {})
    except (OSError, ValueError) as error:
        raise UserError(f"error: {file} cannot be read: {error}\n{_HELP}") from None
    return table if isinstance(table, dict) else {}


def _is_asked_for(channel: str, found: Found) -> bool:
    """Whether a toolchain is what rustup would call so: by its own name or, where that is of a release, by its version."""
    if found.name == channel or found.name.startswith(f"{channel}-"):
        return True
    if found.rust is None:
        return False
    wanted, release = channel.removesuffix(f"-{found.rust.triple}"), found.rust.version
    if wanted == "stable":
        return found.name == OF_ITSELF and "-" not in release
    return release == wanted or ("-" not in release and release.startswith(f"{wanted}."))
