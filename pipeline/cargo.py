"""Running cargo so that only what we say reaches it, and that what it makes depends on the sources alone.

rustc is called through `rustc_wrapper.py` (names and paths that hold anywhere) and links through `link_recorder.py`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pipeline import link_recorder, rustc_wrapper
from pipeline.toolchain import Rust

_PASSED = ("HOME", "USER", "LOGNAME", "TMPDIR", "TERM", "LANG", "LC_ALL", "CARGO_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_PASSED_PREFIXES = ("CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", *_PROXIES, *map(str.upper, _PROXIES))
_NO_WRAPPER = "/usr/bin/env"
"""For a workspace's own crates, that the user's does not get in; `rustc_wrapper.py` passes it over.  Were it empty, cargo would
keep nothing of what rustc says of itself and ask it seven times a build."""
_BUILDING = ("CC", "CXX", "AR", "CFLAGS", "CXXFLAGS", "LDFLAGS", "PKG_CONFIG_PATH")


def building_environment(declared: Iterable[str] = ()) -> dict[str, str]:
    """The variables of the user's environment that build scripts go by: passed on, and part of the key.

    Those of C, and what the last build was seen to ask for.
    """
    names = [*_BUILDING, *filter(_is_users, declared)]
    return {name: os.environ[name] for name in names if name in os.environ}


def _is_users(name: str) -> bool:
    """Whether neither cargo, rustc nor what is passed on without being part of the key goes by a variable of this name."""
    return name not in ("PATH", *_PASSED) and not name.startswith(("CARGO", "CRATEGRAD", "RUST", *_PASSED_PREFIXES))


def environment(rust: Rust, rustflags: list[str], hooks: Path, building: Mapping[str, str]) -> dict[str, str]:
    """The whole environment for a cargo process.

    Another cargo or rustc on PATH, RUSTFLAGS, wrappers and target folders of the user's do not get in.
    `hooks` is a folder for the launchers of our wrappers; it must outlive the cargo build (cargo looks at them again).
    """
    passed = {k: v for k, v in os.environ.items() if k in _PASSED or k.startswith(_PASSED_PREFIXES)}
    binaries = str(rust.rustc.path.parent)
    return {
        **passed,
        **building,
        "PATH": os.pathsep.join([binaries, *(p for p in os.environ.get("PATH", "").split(os.pathsep) if p != binaries)]),
        "RUSTC": str(rust.rustc.path),
        "RUSTC_WRAPPER": str(_launcher(hooks, "rustc-wrapper", rustc_wrapper.__file__)),
        "RUSTC_WORKSPACE_WRAPPER": _NO_WRAPPER,
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(rustflags),
        "CARGO_INCREMENTAL": "0",
        "CARGO_TERM_COLOR": os.environ.get("CARGO_TERM_COLOR") or ("always" if sys.stderr.isatty() else "auto"),
    }


def linker(hooks: Path) -> Path:
    """The program to hand to rustc as linker: it records the link instead of doing it."""
    return _launcher(hooks, "link-recorder", link_recorder.__file__)


@cache
def _version() -> str:
    """Of what is run in the place of rustc and the linker."""
    sources = map(Path, (rustc_wrapper.__file__, link_recorder.__file__))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def _launcher(hooks: Path, name: str, module: str) -> Path:
    """A script that runs a module of ours with this Python and without site-packages: it starts in a few milliseconds.

    Cargo builds all anew when the time of the rustc wrapper changes, and so it should where we record links otherwise.
    """
    launcher = hooks / name
    text = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -S {shlex.quote(module)} "$@"\n# {_version()}\n'
    if not launcher.is_file() or launcher.read_text() != text:
        hooks.mkdir(parents=True, exist_ok=True)
        launcher.write_text(text)
        launcher.chmod(0o755)
    return launcher


def files_named(folder: Path, dep_info: Iterable[Path]) -> set[str]:
    """The files that cargo's dep-info names, of a crate in `folder`."""
    started = started_in(folder)
    return {os.path.normpath(started / name) for rule in dep_info for name in _prerequisites(rule.read_text())}


def started_in(folder: Path) -> Path:
    """Where cargo starts rustc, and that its linker, for the package in `folder`."""
    package = folder.resolve()
    return next(workspace(package), package)


def workspace(package: Path, read: Callable[[Path], Mapping[str, Any]] | None = None) -> Iterator[Path]:
    """The folder of the workspace that the package is in, if any; `read` gives of a manifest what it has by name."""
    for folder in (package, *package.parents):
        if "workspace" in (read or read_manifest)(folder / "Cargo.toml"):
            yield folder
            return


def _prerequisites(makefile: str) -> list[str]:
    _, _, files = makefile.partition("\n")[0].partition(": ")
    return [name.replace("\0", " ") for name in files.replace("\\ ", "\0").split()]


def read_manifest(manifest: Path) -> dict[str, Any]:
    """A manifest, or nothing: what is wrong with it cargo says better."""
    try:
        return tomllib.loads(manifest.read_text())
    except (OSError, ValueError):
        return {}
