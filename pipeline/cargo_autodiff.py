"""`cargo autodiff build|run|test|bench`: cargo's flags, as variables of the same `./doit` that builds everything else.

Where cargo would make several artifacts (`cargo test`: each file of tests) they are made, and run, one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from pipeline.artifact import KINDS, Artifact
from pipeline.crate import metadata_of
from pipeline.digests import Digests
from pipeline.doc_tests import doc_tests
from pipeline.errors import CommandLineError, UserError
from pipeline.platforms import HOST
from pipeline.request import ROOT, cache_folder, read_request
from pipeline.targets import Package, packages_meant
from pipeline.toolchains import rust_for

_PLURALS = {"bin": "bins", "example": "examples", "test": "tests", "bench": "benches"}
_TAKES = {"build": KINDS, "run": ("bin", "example"), "test": ("bin", "test"), "bench": ("bench",)}
"""Of which kinds each command is."""

_OF_TESTS = 101
"""Cargo's exit code where a test or bench was killed, or where more than one may have failed."""

_REFUSED = {
    "--doc": "doc tests are not run here; `cargo test --doc` runs them, without derivatives",
    "--message-format": "messages are for people here; `./doit why --json` and `graph --json` are for programs",
    "--timings": "the summary of a build has the times of its stages; `./doit history --trace=FILE` draws them",
    "--config": "of cargo's configuration its files alone are read; KEY=VALUE sets a key of ./doit's (docs/config.md)",
    "-Z": "unstable options of cargo's are not passed on",
    "--artifact-dir": "unstable; the artifacts are in target/crategrad/, and --target-dir moves that",
    "--unit-graph": "unstable; `./doit graph --json` tells the stages and the crates",
    "--future-incompat-report": "cargo's own report is `cargo report future-incompatibilities`",
    "--ignore-rust-version": "toolchain=NAME takes another compiler",
}
"""What cargo has and is not to be had here, with what to do instead."""

_SWITCHES = ("all-features", "no-default-features", "locked")

_EPILOG = """\
KEY=VALUE are ./doit's: config=fat-lto, opt2.level=1, crate-type=cdylib …  What follows `--` is the program's.
Without --release or --profile the config says how to build, and the shipped ones say `release`.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong, with the exit code of a command line that is."""
        self.exit(3, f"error: {message}\n  = help: {self.prog} --help\n")


class _Refusal(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> NoReturn:
        """Say what is to be done instead."""
        (flag,) = self.option_strings
        parser.error(f"{flag}: {_REFUSED[flag]}")


def main(argv: Sequence[str]) -> int:
    """Do what cargo was asked for; the exit code is that of the first build that fails or, as cargo has it, program."""
    own, rest = _split(argv)
    parser = _parser()
    if own and own[0].startswith("+"):
        parser.error(f"{own[0]}: a toolchain is named by `cargo {own[0]} autodiff` (rustup's) or by toolchain={own[0][1:]}")
    asked = parser.parse_intermixed_args(own)
    filters = [word for word in asked.words if "=" not in word]
    if filters and asked.command in ("build", "run"):
        parser.error(f"{filters[0]}: what is for the program comes after `--`")
    if unfit := _unfit(asked):
        parser.error(unfit)
    try:
        folder = _folder(asked.manifest_path)
        variables = _toolchain() | dict(word.split("=", 1) for word in asked.words if "=" in word) | {"crate": str(folder)}
        variables |= _settings(asked)
        chosen = list(_chosen(asked, folder, variables))
        left_out = list(_left_out(asked, folder, variables))
    except UserError as error:
        print(error.message, file=sys.stderr)
        return error.exit_code
    code = _doit(asked, chosen, variables, [*filters, *rest])
    if not asked.quiet:
        print("".join(left_out), end="", file=sys.stderr)
    return code


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is for us and, after `--`, for the program; cargo gives the name of its subcommand first."""
    own = list(argv[1:] if argv[:1] == ["autodiff"] else argv)
    at = own.index("--") if "--" in own else len(own)
    return own[:at], own[at + 1 :]


def _parser() -> _Parser:
    parser = _Parser(
        prog="cargo autodiff",
        description="Cargo's commands, with derivatives by Enzyme.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("command", choices=("build", "run", "test", "bench"))
    parser.add_argument("words", nargs="*", metavar="KEY=VALUE", help="./doit's; anything else is a filter, for test and bench")
    parser.add_argument("-p", "--package", action="append", default=[], metavar="NAME", help="a package of the workspace")
    parser.add_argument("--workspace", "--all", action="store_true", help="all packages of the workspace")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help="but this one, of --workspace")
    parser.add_argument("--lib", action="store_true", help="the package's library")
    parser.add_argument("--all-targets", action="store_true", help="the library, and every bin, example, test and bench")
    for kind in KINDS:
        parser.add_argument(f"--{kind}", action="append", default=[], metavar="NAME", help=f"this {kind} only")
        parser.add_argument(f"--{_PLURALS[kind]}", action="store_true", help=f"every {kind}")
    parser.add_argument("-F", "--features", action="append", default=[], help="features, by commas")
    for switch in _SWITCHES:
        parser.add_argument(f"--{switch}", action="store_true", help="as in cargo")
    parser.add_argument("-r", "--release", action="store_true", help="cargo's release profile")
    parser.add_argument("--profile", metavar="NAME", help="another profile of cargo's")
    parser.add_argument("--target", metavar="TRIPLE", help="what to build for, as the config's `target` says it")
    parser.add_argument("--target-dir", type=Path, metavar="DIR", help="the folder that stands for target/")
    parser.add_argument("-j", "--jobs", metavar="N", help="how many compilers run at once")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell cargo's command lines, too")
    parser.add_argument("-q", "--quiet", action="store_true", help="tell only what goes wrong")
    parser.add_argument("--manifest-path", type=Path, metavar="PATH", help="the Cargo.toml, where it is not here or above")
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    parser.add_argument("--frozen", action="store_true", help="--locked and --offline")
    parser.add_argument("--no-run", action="store_true", help="build, and run nothing")
    parser.add_argument("--color", choices=("auto", "always", "never"), help="cargo's colours")
    after = "build and run what comes after a failure, too"
    parser.add_argument("--no-fail-fast", "--keep-going", action="store_true", help=after)
    for flag in _REFUSED:
        parser.add_argument(flag, nargs="?", action=_Refusal, help=argparse.SUPPRESS)
    return parser


def _unfit(asked: argparse.Namespace) -> str:
    """What is wrong with what was chosen: the command has nothing to do with it, or it does not go together."""
    takes = _TAKES[asked.command]
    others = [name for kind in KINDS if kind not in takes for name in (kind, _PLURALS[kind])]
    others += [] if asked.command in ("build", "test") else ["lib", "all-targets"]
    if asked.command == "run":
        others += ["bins", "examples", "workspace"]
    if chosen := [name for name in others if vars(asked)[name.replace("-", "_")]]:
        return f"--{chosen[0]}: {asked.command} is of {' and '.join(f'--{kind}' for kind in takes)}"
    if asked.command == "run" and (len(asked.package) > 1 or len(asked.bin + asked.example) > 1):
        return "run is of one program: one -p, one --bin or --example"
    if asked.exclude and not asked.workspace:
        return "--exclude: it is of --workspace"
    return ""


def _toolchain() -> dict[str, str]:
    """The one that `cargo +NAME autodiff` names: rustup says how its choice came to be, and any other does not count here."""
    named = os.environ.get("RUSTUP_TOOLCHAIN") if os.environ.get("RUSTUP_TOOLCHAIN_SOURCE") == "cli" else None
    return {"toolchain": named} if named else {}


def _folder(manifest: Path | None) -> Path:
    """The folder of the manifest that is named, or of the nearest one upwards."""
    if manifest:
        return Path(os.path.normpath(Path.cwd() / manifest.parent))
    here = Path.cwd()
    found = next((folder for folder in (here, *here.parents) if (folder / "Cargo.toml").is_file()), None)
    if found is None:
        raise CommandLineError(
            f"error: there is no Cargo.toml in {here}, nor above it\n  = help: go to a crate, or give --manifest-path"
        )
    return found


def _settings(asked: argparse.Namespace) -> dict[str, str]:
    """The variables that are the same for all artifacts."""
    if asked.release and asked.profile:
        raise UserError("error: --release is --profile release: give one of them", exit_code=3)
    settings = {"package": "" if _takes_several(asked) else "".join(asked.package), "features": ",".join(asked.features)}
    settings["profile"] = "release" if asked.release else asked.profile or ""
    settings["target"] = HOST if asked.target == f"{platform.machine()}-unknown-linux-gnu" else asked.target or ""
    settings["target-dir"] = os.path.normpath(Path.cwd() / asked.target_dir) if asked.target_dir else ""
    switches = {name: "1" for name in _SWITCHES if vars(asked)[name.replace("-", "_")] or (name == "locked" and asked.frozen)}
    return {name: value for name, value in settings.items() if value} | switches


def _takes_several(asked: argparse.Namespace) -> bool:
    """Whether packages are named, and not just one."""
    return asked.workspace or len(asked.package) > 1


def _chosen(asked: argparse.Namespace, folder: Path, variables: dict[str, str]) -> Iterator[dict[str, str]]:
    """The variables that choose an artifact, for each that cargo would make."""
    named, kinds = _named(asked), _kinds(asked)
    if asked.command == "run" or (named and not kinds and not _takes_several(asked)):
        yield from named or [{}]
        return
    packages = _packages(asked, folder, variables)
    if _takes_several(asked):
        _see_that_each_is_somewhere(named, packages)
    of_all = [{"package": package.name, **each} for package in packages for each in _of_package(asked, package)]
    found = {tuple(each.items()): each for each in of_all}
    # Where there is nothing final `./doit build` says why.
    yield from found.values() or ([{}] if asked.command == "build" and not kinds else [])


def _named(asked: argparse.Namespace) -> list[dict[str, str]]:
    """What is chosen by a flag of its own."""
    named = [{kind: name, **_as_tests(asked.command, kind)} for kind in KINDS for name in vars(asked)[kind]]
    return [*named, *([{"lib": "1", **_as_tests(asked.command, "lib")}] if asked.lib else [])]


def _kinds(asked: argparse.Namespace) -> list[str]:
    """The kinds of which every one is meant."""
    every = _TAKES[asked.command] if asked.all_targets else ()
    return [kind for kind in KINDS if kind in every or vars(asked)[_PLURALS[kind]]]


def _see_that_each_is_somewhere(named: Sequence[dict[str, str]], packages: Sequence[Package]) -> None:
    """Of several packages it is enough that one has what is named.

    Raises: UserError where none has.
    """
    for each in named:
        if not any(_has(package, each) for package in packages):
            kind, name = next(iter(each.items()))
            what = "--lib" if kind == "lib" else f"--{kind} {name}"
            raise CommandLineError(f"error: {what}: there is none in {', '.join(sorted(package.name for package in packages))}")


def _has(package: Package, named: Mapping[str, str]) -> bool:
    """Whether what is named is a package's; of a library that is what others than Rust can use, or its unit tests."""
    if "lib" in named:
        return bool(package.library if "tests" in named else package.libraries())
    return any(named.get(kind) in package.names(kind) for kind in KINDS)


def _left_out(asked: argparse.Namespace, folder: Path, variables: dict[str, str]) -> Iterator[str]:
    """What to say of what cargo would do beside: where nothing is chosen it runs doc tests, and with --all-targets all else."""
    if asked.command != "test" or asked.no_run or _named(asked) or (_kinds(asked) and not asked.all_targets):
        return
    for package in _packages(asked, folder, variables):
        library = package.library
        if asked.all_targets and (package.names("example") or package.names("bench")):
            yield (
                f"note: {package.name} has examples or benches, which are not run as tests here\n"
                "  = help: `cargo autodiff run --example NAME` and `cargo autodiff bench` run them\n"
            )
        elif not asked.all_targets and library and library.doctest and (count := doc_tests(Path(library.src_path).parent)):
            yield (
                f"note: {package.name} has doc tests ({count}), which are not run here\n"
                f"  = help: `cargo test --doc -p {package.name}` runs them, where derivatives panic\n"
            )


def _as_tests(command: str, kind: str) -> dict[str, str]:
    return {"tests": "1"} if command == "test" and kind in ("bin", "lib") else {}


def _of_package(asked: argparse.Namespace, package: Package) -> Iterator[dict[str, str]]:
    """What cargo's command makes of a package."""
    named, kinds = _named(asked), _kinds(asked)
    yield from (each for each in named if not _takes_several(asked) or _has(package, each))
    if asked.all_targets and asked.command == "build":
        yield from map(_variables, package.libraries())
    for kind in kinds:
        if kind == "test":
            yield from _tests(package)
        else:
            yield from ({kind: name, **_as_tests(asked.command, kind)} for name in package.names(kind))
    if named or kinds:
        return
    if asked.command == "bench":
        yield from ({"bench": name} for name in package.names("bench"))
    else:
        yield from _tests(package) if asked.command == "test" else map(_variables, package.defaults())


def _tests(package: Package) -> Iterator[dict[str, str]]:
    """All that is `test = true`: unit tests, and the files of tests/."""
    library = package.library
    yield from ([{"lib": "1", "tests": "1"}] if library and library.test else [])
    yield from ({"bin": target.name, "tests": "1"} for target in package.targets if "bin" in target.kind and target.test)
    yield from ({"test": target.name} for target in package.targets if "test" in target.kind and target.test)


def _variables(artifact: Artifact) -> dict[str, str]:
    return {artifact.kind: artifact.name} if artifact.runs else {"lib": "1", "crate-type": artifact.crate_type}


def _packages(asked: argparse.Namespace, folder: Path, variables: dict[str, str]) -> list[Package]:
    digests = Digests(cache_folder() / "digests.json")
    request = read_request(variables, digests)
    metadata = metadata_of(folder, rust_for(request.config.toolchain, folder, digests), digests)

    def meant(names: Sequence[str]) -> list[Package]:
        choices = [replace(request.choice, package=name) for name in names]
        return [package for choice in choices for package in packages_meant(metadata, folder, choice)]

    excluded = meant(asked.exclude)
    packages = metadata.packages if asked.workspace else meant(asked.package or [request.choice.package])
    return [package for package in packages if package not in excluded]


def _doit(asked: argparse.Namespace, chosen: Sequence[dict[str, str]], variables: dict[str, str], arguments: list[str]) -> int:
    """Run `./doit` for one artifact after another."""
    if not chosen:
        print(f"nothing to {asked.command} here", file=sys.stderr)
    task = "build" if asked.command == "build" or asked.no_run else "execute"
    offline = {"CRATEGRAD_OFFLINE": "1"} if asked.offline or asked.frozen else {}
    environment = {**os.environ, **offline, **_manners(asked), "CRATEGRAD_ARGUMENTS": json.dumps(arguments)}
    worst = 0
    for each in chosen:
        words = [f"{name}={value}" for name, value in (variables | each).items()]
        code, failed = _run_telling([str(ROOT / "doit"), task, *words], environment)
        worst = worst or (_as_cargo(asked, failed) if failed else code)
        is_interrupted = code > 128 and not failed
        if code and (is_interrupted or not asked.no_fail_fast):
            break
    return worst


def _run_telling(argv: Sequence[str], environment: Mapping[str, str]) -> tuple[int, int]:
    """How `./doit` ended, and the program where it was that that failed."""
    with tempfile.TemporaryDirectory() as scratch:
        failed = Path(scratch, "failed")
        code = _run(argv, {**environment, "CRATEGRAD_FAILED": str(failed)} if "execute" in argv else environment)
        return code, int(failed.read_text()) if failed.exists() else 0


def _as_cargo(asked: argparse.Namespace, failed: int) -> int:
    """Cargo's exit code for a program that ended so: it becomes what it runs, and of tests and benches it tells."""
    if asked.command == "run":
        return failed if failed > 0 else 128 - failed
    return failed if failed > 0 and not asked.no_fail_fast else _OF_TESTS


def _manners(asked: argparse.Namespace) -> dict[str, str]:
    """How cargo is to go about it, by cargo's own variables."""
    said = {"CARGO_BUILD_JOBS": asked.jobs, "CARGO_TERM_COLOR": asked.color}
    said |= {"CARGO_TERM_VERBOSE": asked.verbose, "CARGO_TERM_QUIET": asked.quiet}
    return {name: "true" if value is True else value for name, value in said.items() if value}


def _run(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """How it ended.  It sees to what it started when it is told to end, so it is waited for."""
    with subprocess.Popen(argv, env=environment) as child:
        signal.signal(signal.SIGTERM, lambda *_: child.terminate())
        signal.signal(signal.SIGINT, lambda *_: None)  # the terminal tells the child, too
        code = child.wait()
    return code if code >= 0 else 128 - code
