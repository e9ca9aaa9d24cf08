"""Stands between cargo and rustc (RUSTC_WRAPPER), so that a crate's bitcode does not depend on the folder it is built in.

Two things of the folder get into bitcode.  Cargo hashes a package's absolute path into `-C metadata`, which is in every
mangled name: here it is made of the package's name, version and features instead.  And debug info holds absolute paths:
here they are mapped to `.` (a crate of the workspace's, or in its folder) or `name-version` (a dependency).

The other way round, a test is told where the package's binaries will be: cargo names the place where it has records of links.

And it has tests run each in a process of its own where a panic aborts, as they must: rustc's flag for it is unstable, and a
stable rustc that is made to take it takes nothing else of that kind from the crate.

And of debug info that is there for Enzyme, and the crate's profile does not ask for, no more than lines gets into objects: to
carry all of it along takes rustc a fifth of its time.

Run by cargo as `rustc_wrapper.py RUSTC ARGUMENTS…`, for a workspace's own crates with RUSTC_WORKSPACE_WRAPPER before RUSTC;
imports nothing of ours, as it is started without site-packages.
"""

import hashlib
import os
import sys

BINARIES = "--crategrad-binaries="
"""Before the folder in which the package's binaries appear, among the arguments for a test."""

BINARY = "CARGO_BIN_EXE_"
"""Before the name of a binary: the variable with its path, for tests and benches."""

EACH_ALONE = "-Zpanic_abort_tests"
"""rustc's flag for tests that run each in a process of its own."""

BOOTSTRAP = "RUSTC_BOOTSTRAP"
"""The variable that has a stable rustc take what is unstable."""

LINES_ALONE = "-Cpasses=strip-nonlinetable-debuginfo"
"""Has rustc drop from what it has optimised, after it has saved the bitcode as it was before, types and variables."""

FOR_BITCODE = "-Cdebuginfo=2"
"""What crates are compiled with for Enzyme, after what cargo says for the profile: the last counts."""

_BEFORE = ".no-opt.bc"

_FRONTEND = "autodiff"
"""Nobody's own, wherever it lies: what it makes is told of at the function that is differentiated."""


def of_rustc(given: list[str], environment: dict[str, str], cwd: str) -> list[str]:
    """The command to run in place of the one given by cargo."""
    is_workspaces = given[0] == environment.get("RUSTC_WORKSPACE_WRAPPER")
    rustc, *arguments = given[1:] if is_workspaces else given
    rewritten = rewrite(
        [each for each in arguments if not each.startswith(BINARIES)], environment, cwd, is_workspaces=is_workspaces
    )
    return [rustc, *rewritten, *(_refusing_more(rustc, environment) if EACH_ALONE in rewritten else [])]


def environment_of(given: list[str], environment: dict[str, str]) -> dict[str, str]:
    """The variables for that command."""
    for folder in (each.removeprefix(BINARIES) for each in given if each.startswith(BINARIES)):
        names = [name for name in environment if name.startswith(BINARY)]
        environment = environment | {name: os.path.join(folder, name.removeprefix(BINARY)) for name in names}
    return environment


def rewrite(arguments: list[str], environment: dict[str, str], cwd: str, *, is_workspaces: bool = True) -> list[str]:
    """The arguments for rustc in place of cargo's, for a crate of the workspace or for another.

    Questions (`-vV`, `--print`) and host crates' are left as they are.
    """
    name = environment.get("CARGO_PKG_NAME")
    if name is None or "--target" not in arguments:
        return arguments
    version = environment.get("CARGO_PKG_VERSION", "")
    arguments = [_metadata(a, arguments, name, version) for a in arguments]
    is_here = is_workspaces or any(a.endswith(".rs") and not os.path.isabs(a) for a in arguments)
    to = "." if is_here and name != _FRONTEND else f"{name}-{version}"
    folders = {environment.get("CARGO_MANIFEST_DIR", cwd): to, cwd: to}
    each_alone = [EACH_ALONE] if runs_each_alone(arguments) else []
    lines_alone = [LINES_ALONE] if gets_lines_alone(arguments) else []
    return arguments + each_alone + lines_alone + [f"--remap-path-prefix={folder}={to}" for folder, to in folders.items()]


def runs_each_alone(arguments: list[str]) -> bool:
    """True where rustc is to compile `#[test]`s, with the harness that runs them, into a program that aborts on panic."""
    return "--test" in arguments and "--target" in arguments and "-Cpanic=unwind" not in arguments


def gets_lines_alone(arguments: list[str]) -> bool:
    """True where there is debug info for the bitcode beside objects, and cargo did not ask for as much."""
    return {"-Csave-temps", FOR_BITCODE} <= set(arguments) and not {"debuginfo=2", "debuginfo=full"} & set(arguments)


def _refusing_more(rustc: str, environment: dict[str, str]) -> list[str]:
    """The flag by which a stable rustc that takes one unstable flag refuses the crate all else, unless it is told not to."""
    if BOOTSTRAP in environment:
        return []
    import subprocess  # it takes longer than what is done for all other crates

    version = subprocess.run([rustc, "--version"], capture_output=True, text=True, check=False).stdout
    return [] if "-nightly" in version or "-dev" in version else ["-Zallow-features="]


def _metadata(argument: str, arguments: list[str], name: str, version: str) -> str:
    if not argument.startswith("metadata="):
        return argument
    crate = arguments[arguments.index("--crate-name") + 1]
    features = sorted(a for a in arguments if a.startswith("feature="))
    kind = "test" if "--test" in arguments else ""
    identity = "\0".join([name, version, crate, kind, *features])
    return "metadata=" + hashlib.sha256(identity.encode()).hexdigest()[:16]


def tidy(arguments: list[str]) -> None:
    """Of all that `-Csave-temps` leaves, delete what is neither an object nor the bitcode as it was before optimisation."""
    if "--out-dir" not in arguments:
        return
    folder = arguments[arguments.index("--out-dir") + 1]
    extra = next((a.partition("=")[2] for a in arguments if a.startswith("extra-filename=")), "")
    prefix = arguments[arguments.index("--crate-name") + 1] + extra + "."
    there = set(os.listdir(folder))
    for name in there:
        is_later = name.endswith(".bc") and not name.endswith(_BEFORE)
        is_only = name.removesuffix(".bc") + _BEFORE not in there and ".thin-lto-" not in name
        if name.startswith(prefix) and is_later and not is_only:
            os.unlink(os.path.join(folder, name))


if __name__ == "__main__":
    command = of_rustc(sys.argv[1:], dict(os.environ), os.getcwd())
    environment = environment_of(sys.argv[1:], dict(os.environ))
    if EACH_ALONE in command:
        environment |= {BOOTSTRAP: "1"}
    if "-Csave-temps" not in command:
        os.execve(command[0], command, environment)
    code = os.spawnve(os.P_WAIT, command[0], command, environment)
    if code == 0:
        tidy(command)
    sys.exit(code if code >= 0 else 128 - code)
