"""Stands between cargo and rustc (RUSTC_WRAPPER), so that a crate's bitcode does not depend on the folder it is built in.

Two things of the folder get into bitcode.  Cargo hashes a package's absolute path into `-C metadata`, which is in every
mangled name: here it is made of the package's name, version and features instead.  And debug info holds absolute paths:
here they are mapped to `.` (the crate being built) or `name-version` (a dependency).

Run by cargo as `rustc_wrapper.py RUSTC ARGUMENTS…`; imports nothing of ours, as it is started without site-packages.
"""

import hashlib
import os
import sys


def rewrite(arguments: list[str], environment: dict[str, str], cwd: str) -> list[str]:
    """The arguments for rustc in place of cargo's.  Questions (`-vV`, `--print`) and host crates' are left as they are."""
    name = environment.get("CARGO_PKG_NAME")
    if name is None or "--target" not in arguments:
        return arguments
    version = environment.get("CARGO_PKG_VERSION", "")
    arguments = [_metadata(a, arguments, name, version) for a in arguments]
    to = "." if "CARGO_PRIMARY_PACKAGE" in environment else f"{name}-{version}"
    folders = {environment.get("CARGO_MANIFEST_DIR", cwd): to, cwd: to}
    return arguments + [f"--remap-path-prefix={folder}={to}" for folder, to in folders.items()]


def _metadata(argument: str, arguments: list[str], name: str, version: str) -> str:
    if not argument.startswith("metadata="):
        return argument
    crate = arguments[arguments.index("--crate-name") + 1]
    features = sorted(a for a in arguments if a.startswith("feature="))
    kind = "test" if "--test" in arguments else ""
    identity = "\0".join([name, version, crate, kind, *features])
    return "metadata=" + hashlib.sha256(identity.encode()).hexdigest()[:16]


if __name__ == "__main__":
    os.execv(sys.argv[1], [sys.argv[1], *rewrite(sys.argv[2:], dict(os.environ), os.getcwd())])
