"""Which artifact is meant, of what cargo says that there is; and what is said where none is, or several are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.artifact import Artifact
from pipeline.errors import UserError
from pipeline.targets import Choice, Metadata, Package, Target, choose

HERE = Path("/workspace")


def target(name: str, *kinds: str) -> Target:
    return Target(name, kinds, ("bin",) if kinds[0] in ("bin", "test", "bench", "example") else kinds)


def package(name: str, *targets: Target, default_run: str | None = None, folder: Path | None = None) -> Package:
    return Package(f"{name}@1", name, f"{folder or HERE / name}/Cargo.toml", targets, default_run)


def workspace(*packages: Package, default: tuple[str, ...] = ()) -> Metadata:
    return Metadata(packages, str(HERE), tuple(f"{name}@1" for name in default))


APP = package("app", target("app", "bin"), target("app", "lib"), target("show", "example"), target("whole", "test"))
TWO = package("two", target("two", "bin"), target("other", "bin"))
SHARED = package("shared", target("shared", "cdylib", "rlib"))
BOTH = package("both", target("both", "cdylib", "staticlib"))
PLAIN = package("plain", target("plain", "lib"), target("show", "example"), target("build-script-build", "custom-build"))
MACRO = package("macros", target("macros", "proc-macro"))
EMPTY = package("empty", target("basics", "test"))


def chosen(found: Package, **choice: object) -> Artifact:
    one, artifact = choose(workspace(found), found.folder, Choice(**choice))  # type: ignore[arg-type]
    assert one is found
    return artifact


def refusal(metadata: Metadata, folder: Path = HERE, **choice: object) -> str:
    with pytest.raises(UserError) as error:
        choose(metadata, folder, Choice(**choice))  # type: ignore[arg-type]
    return error.value.message


# ---- One is meant


def test_only_binary_is_meant_where_nothing_is_said() -> None:
    assert chosen(APP) == Artifact("bin", "app")
    assert chosen(package("two", *TWO.targets, default_run="other")) == Artifact("bin", "other")


def test_library_without_a_binary_is_meant_if_others_than_rust_link_it() -> None:
    assert chosen(SHARED) == Artifact("lib", "shared", "cdylib")


@pytest.mark.parametrize(("kind", "name"), [("bin", "app"), ("example", "show"), ("test", "whole")])
def test_by_kind_and_name(kind: str, name: str) -> None:
    assert chosen(APP, kind=kind, name=name) == Artifact(kind, name)


def test_library_by_its_crate_type_and_by_another() -> None:
    assert chosen(SHARED, kind="lib") == Artifact("lib", "shared", "cdylib")
    assert chosen(BOTH, kind="lib", crate_type="staticlib") == Artifact("lib", "both", "staticlib")
    assert chosen(PLAIN, kind="lib", crate_type="cdylib") == Artifact("lib", "plain", "cdylib")


def test_unit_tests() -> None:
    assert chosen(PLAIN, kind="lib", unit_tests=True) == Artifact("lib", "plain", unit_tests=True)
    assert chosen(TWO, kind="bin", name="other", unit_tests=True) == Artifact("bin", "other", unit_tests=True)


def test_package_of_the_folder_comes_before_the_others_of_the_workspace() -> None:
    assert choose(workspace(APP, SHARED), SHARED.folder, Choice())[0] is SHARED


def test_workspace_without_a_package_of_its_own_is_looked_through() -> None:
    assert choose(workspace(APP, PLAIN), HERE, Choice()) == (APP, Artifact("bin", "app"))
    assert choose(workspace(APP, TWO), HERE, Choice(kind="bin", name="other"))[0] is TWO
    assert choose(workspace(APP, TWO, default=("app",)), HERE, Choice())[0] is APP


def test_package_by_name_wherever_one_is() -> None:
    assert choose(workspace(APP, SHARED), APP.folder, Choice(package="shared"))[0] is SHARED


# ---- None is, or several are


@pytest.mark.parametrize(
    ("found", "choice", "said"),
    [
        (TWO, {}, "`two` has 2 binaries: other, two|bin=other; or for good, in /workspace/two/Cargo.toml"),
        (BOTH, {}, "the library `both` is made as cdylib and staticlib|lib=1 crate-type=cdylib"),
        (APP, {"kind": "example", "name": "shwo"}, "example=shwo: `app` has no such example|did you mean example=show?"),
        (APP, {"kind": "example", "name": "z"}, "`app` has no such example|it has show"),
        (APP, {"kind": "bench", "name": "z"}, "`app` has no such bench|it has none at all"),
        (APP, {"kind": "lib"}, "`app` (/workspace/app) is a library|choose bin=app, example=show, test=whole; or "),
        (PLAIN, {}, "`plain` (/workspace/plain) is a library|choose example=show; or give crate="),
        (MACRO, {}, "`macros` is a macro crate"),
        (MACRO, {"kind": "lib", "crate_type": "cdylib"}, "`macros` is a macro crate"),
        (MACRO, {"kind": "lib", "unit_tests": True}, "`macros` is a macro crate"),
        (TWO, {"kind": "lib"}, "`two` has no library|choose bin=other, bin=two; or "),
        (EMPTY, {}, "`empty` has neither a binary nor a library|choose test=basics; or "),
    ],
)
def test_what_is_meant_is_not_there(found: Package, choice: dict[str, object], said: str) -> None:
    message = refusal(workspace(found), found.folder, **choice)
    assert all(part in message for part in said.split("|")), message


def test_packages_of_a_workspace_that_may_be_meant_are_named() -> None:
    several = refusal(workspace(APP, TWO))
    assert "the workspace has 3 that may be meant: `app` of app, `other` of two, `two` of two" in several
    assert "package=app, or bin=app" in several
    assert "did you mean package=app?" in refusal(workspace(APP, TWO), package="apq")
    assert "there are app, two" in refusal(workspace(APP, TWO), package="zebra")
    assert "bin=z: the workspace /workspace has no such bin" in refusal(workspace(APP, TWO), kind="bin", name="z")


# ---- What messages and folders call it


@pytest.mark.parametrize(
    ("artifact", "place", "text"),
    [
        (Artifact("bin", "app"), "app", "`app`"),
        (Artifact("example", "show"), "examples/show", "example `show`"),
        (Artifact("test", "whole"), "tests/whole", "test `whole`"),
        (Artifact("bench", "speed"), "benches/speed", "bench `speed`"),
        (Artifact("lib", "app", "cdylib"), "libapp.so", "lib `app`"),
        (Artifact("lib", "app", "staticlib"), "libapp.a", "lib `app`"),
        (Artifact("lib", "app", unit_tests=True), "unit-tests/lib-app", "the unit tests of lib `app`"),
    ],
)
def test_place_and_name(artifact: Artifact, place: str, text: str) -> None:
    assert (artifact.place, str(artifact)) == (place, text)
