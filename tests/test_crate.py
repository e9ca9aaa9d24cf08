"""The crate: which binary it has, what it says where it has none, and which files its bitcode depends on."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.crate import Crate, note_what_was_read, open_crate, snapshot, sources_digest
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.targets import Choice
from pipeline.toolchain import Rust, find_rust

pytestmark = pytest.mark.toolchain

Files = dict[str, str]

MAIN = "fn main() {}\n"


@pytest.fixture(scope="module")
def real_rust(tmp_path_factory: pytest.TempPathFactory) -> Rust:
    return find_rust("debian", Digests(tmp_path_factory.mktemp("rust") / "digests.json"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cargo home of the test's own: no config of this machine's is read."""
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def opened(real_rust: Rust, digests: Digests) -> Callable[[Path], Crate]:
    return lambda folder: open_crate(folder, Choice(), real_rust, digests)


@pytest.fixture
def refusal(opened: Callable[[Path], Crate]) -> Callable[[Path], str]:
    def message(folder: Path) -> str:
        with pytest.raises(UserError) as error:
            opened(folder)
        return error.value.message

    return message


def tree(root: Path, files: Files) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def package(name: str, rest: str = "") -> str:
    return f'[package]\nname = "{name}"\nedition = "2021"\n{rest}'


APP = {"Cargo.toml": package("app"), "src/main.rs": MAIN}


# ---- The binary


def test_binary_of_a_package_is_its_only_one(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    crate = opened(tree(tmp_path / "app", APP | {"src/lib.rs": ""}))
    assert (crate.artifact.name, crate.packages) == ("app", ((tmp_path / "app").resolve(),))
    assert crate.output == tmp_path / "app" / "target" / "crategrad"


def test_binary_by_another_name(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    files = {"Cargo.toml": package("app", '[[bin]]\nname = "tool"\npath = "tool.rs"\n'), "tool.rs": MAIN}
    assert opened(tree(tmp_path, files)).artifact.name == "tool"


def test_default_run_chooses_among_several(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    files = APP | {"Cargo.toml": package("app", 'default-run = "other"\n'), "src/bin/other.rs": MAIN}
    assert opened(tree(tmp_path, files)).artifact.name == "other"


def test_binary_is_looked_for_again_when_a_second_one_comes(
    tmp_path: Path, opened: Callable[[Path], Crate], refusal: Callable[[Path], str]
) -> None:
    assert opened(tree(tmp_path, APP)).artifact.name == "app"
    assert "2 binaries" in refusal(tree(tmp_path, {"src/bin/other.rs": MAIN}))


def test_binary_is_looked_for_again_when_a_second_one_comes_in_a_folder_that_was_there(
    tmp_path: Path, opened: Callable[[Path], Crate], refusal: Callable[[Path], str]
) -> None:
    tree(tmp_path, APP | {"src/bin/other/README": ""})
    time.sleep(0.05)  # so that it is remembered
    assert opened(tmp_path).artifact.name == "app"
    assert "2 binaries" in refusal(tree(tmp_path, {"src/bin/other/main.rs": MAIN}))


def test_several_binaries_are_named_with_a_way_to_choose(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    folder = tree(tmp_path, APP | {"src/bin/zebra.rs": MAIN, "src/bin/ant.rs": MAIN})
    assert refusal(folder) == (
        "error: `app` has 3 binaries: ant, app, zebra\n"
        f'  = help: say which one is meant: bin=ant; or for good, in {folder}/Cargo.toml: default-run = "ant"'
    )


def test_library_has_no_binary(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    folder = tree(tmp_path, {"Cargo.toml": package("lib"), "src/lib.rs": ""})
    message = refusal(folder)
    assert message.startswith(f"error: `lib` ({folder}) is a library: there is no binary to build, and derivatives")
    assert "\n  = help: give crate= a package with a src/main.rs" in message
    assert "lib=1 crate-type=cdylib" in message


def test_workspace_with_several_binaries_names_them(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    files = {"Cargo.toml": '[workspace]\nmembers = ["one", "two"]\n'}
    files |= {f"{name}/Cargo.toml": package(name) for name in ("one", "two")}
    files |= {f"{name}/src/main.rs": MAIN for name in ("one", "two")}
    message = refusal(tree(tmp_path, files))
    assert message == (
        "error: the workspace has 2 that may be meant: `one` of one, `two` of two\n"
        "  = help: say which one: package=one, or bin=one"
    )


def test_missing_folder(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    assert refusal(tmp_path / "none") == f"error: crate={tmp_path}/none: there is no such folder"


def test_file_is_no_folder(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    tree(tmp_path, APP)
    assert "there is no such folder" in refusal(tmp_path / "Cargo.toml")


def test_folder_without_a_manifest(tmp_path: Path, refusal: Callable[[Path], str]) -> None:
    message = refusal(tmp_path)
    assert message == f"error: {tmp_path} is no crate: it has no Cargo.toml\n  = help: give crate= the folder that has it"


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ("[package\n", "unclosed table"),
        ("", "no targets specified|missing|virtual manifest"),
        (package("app", 'edition = "x"\n'), "duplicate key"),
    ],
)
def test_broken_manifest_is_told_in_cargos_own_words(
    tmp_path: Path, refusal: Callable[[Path], str], manifest: str, words: str
) -> None:
    folder = tree(tmp_path, APP | {"Cargo.toml": manifest})
    message = refusal(folder)
    assert message.startswith(f"error: cargo cannot read {folder}/Cargo.toml\n  | error: ")
    assert any(word in message for word in words.split("|")), message


# ---- The packages

HALF_A_DOZEN = {
    "app/Cargo.toml": package(
        "app",
        """
        [dependencies]
        plain = { path = "../plain" }
        inherited.workspace = true
        [dev-dependencies]
        dev = { path = "../dev" }
        [build-dependencies]
        build = { path = "../build" }
        [target.'cfg(windows)'.dependencies]
        targeted = { path = "../targeted" }
        """,
    ),
    "app/src/main.rs": MAIN,
    "Cargo.toml": '[workspace]\nmembers = ["app", "stranger"]\n[workspace.dependencies]\ninherited = { path = "inherited" }\n'
    '[patch.crates-io]\npatched = { path = "patched" }\n',
    "plain/Cargo.toml": package("plain", '[dependencies]\ndeep = { path = "deep" }\n'),
    "plain/deep/Cargo.toml": package("deep", '[dev-dependencies]\nplain = { path = ".." }\n'),
    "stranger/Cargo.toml": package("stranger"),
}
BY_PATH = ("inherited", "dev", "build", "targeted", "patched")
HALF_A_DOZEN |= {f"{name}/Cargo.toml": package(name) for name in BY_PATH}
HALF_A_DOZEN |= {f"{name}/src/lib.rs": "" for name in (*BY_PATH, "plain", "plain/deep", "stranger")}


def test_packages_are_all_that_may_be_depended_on_by_path(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    crate = opened(tree(tmp_path, HALF_A_DOZEN) / "app")
    names = [package.relative_to(tmp_path.resolve()).as_posix() for package in crate.packages]
    assert names[0] == "app"
    assert set(names) == {"app", "plain", "plain/deep", "inherited", "dev", "build", "targeted", "patched"}
    assert len(names) == len(set(names))


def test_path_that_leads_nowhere_is_left_to_cargo(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    files = APP | {"Cargo.toml": package("app", '[dependencies]\ngone = { path = "gone" }\n')}
    assert opened(tree(tmp_path, files)).packages == (tmp_path.resolve(),)


def test_members_manifest_and_lock_of_the_workspace_count(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    tree(tmp_path, HALF_A_DOZEN | {"Cargo.lock": "", "app/Cargo.lock": ""})
    crate = opened(tmp_path / "app")
    assert {tmp_path / "Cargo.toml", tmp_path / "Cargo.lock"} <= set(crate.ambient)
    assert os.fspath(tmp_path / "stranger/src/lib.rs") not in crate.files()


def test_configuration_of_cargo_counts_wherever_cargo_finds_it(
    tmp_path: Path, home: Path, opened: Callable[[Path], Crate]
) -> None:
    names = [".cargo/config.toml", "rust-toolchain.toml", "a/.cargo/config", "a/rust-toolchain"]
    tree(tmp_path, dict.fromkeys(names, "") | {"a/b/.cargo/config.toml": "", "home/config.toml": ""})
    crate = opened(tree(tmp_path / "a" / "b", APP))
    files = {tmp_path / "a/b" / name for name in [".cargo/config.toml", *APP]}
    assert set(map(Path, crate.files())) == files | {tmp_path / name for name in names} | {home / "config.toml"}


# ---- The digest of the sources


def digest(folder: Path, opened: Callable[[Path], Crate], digests: Digests) -> str:
    return sources_digest(opened(folder), digests)


def test_digest_is_the_same_wherever_the_crate_lies(tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests) -> None:
    here = tree(tmp_path / "here", HALF_A_DOZEN)
    there = shutil.copytree(here, tmp_path / "else" / "where")
    assert digest(here / "app", opened, digests) == digest(there / "app", opened, digests)


@pytest.mark.parametrize(
    "name",
    [
        "app/src/main.rs",
        "app/src/more.rs",
        "app/Cargo.toml",
        "app/Cargo.lock",
        "app/assets/table.csv",
        "app/.cargo/config.toml",
        "plain/src/lib.rs",
        "plain/deep/src/lib.rs",
        "targeted/src/lib.rs",
        "Cargo.toml",
        "Cargo.lock",
        ".cargo/config.toml",
        "home/config.toml",
        "app/src/target/mod.rs",
    ],
)
def test_digest_changes_with(tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests, name: str) -> None:
    folder = tree(tmp_path, HALF_A_DOZEN) / "app"
    before = digest(folder, opened, digests)
    path = tmp_path / name
    tree(tmp_path, {name: (path.read_text() if path.exists() else "") + "\n"})
    assert digest(folder, opened, digests) != before


@pytest.mark.parametrize(
    "name", ["app/target/release/app", "app/.git/HEAD", "stranger/src/lib.rs", "app/src/.idea/x", "README.md"]
)
def test_digest_does_not_change_with(tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests, name: str) -> None:
    folder = tree(tmp_path, HALF_A_DOZEN) / "app"
    before = digest(folder, opened, digests)
    tree(tmp_path, {name: "other"})
    assert digest(folder, opened, digests) == before


def test_digest_changes_when_a_file_is_removed(tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests) -> None:
    folder = tree(tmp_path, APP | {"src/more.rs": ""})
    before = digest(folder, opened, digests)
    (folder / "src/more.rs").unlink()
    assert digest(folder, opened, digests) != before


# ---- Snapshots


def test_snapshot_is_the_same_while_nothing_changes_but_the_lock(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    tree(tmp_path, HALF_A_DOZEN | {"Cargo.lock": "", "app/Cargo.lock": ""})
    crate = opened(tmp_path / "app")
    before = snapshot(crate)
    tree(tmp_path, {"Cargo.lock": "longer", "app/Cargo.lock": "longer", "app/target/x": ""})
    assert snapshot(crate) == before


@pytest.mark.parametrize("name", ["app/src/main.rs", "app/src/new.rs", "plain/Cargo.toml", "Cargo.toml", "app/my-Cargo.lock"])
def test_snapshot_changes_with_a_source(tmp_path: Path, opened: Callable[[Path], Crate], name: str) -> None:
    crate = opened(tree(tmp_path, HALF_A_DOZEN) / "app")
    before = snapshot(crate)
    tree(tmp_path, {name: "another text"})
    assert snapshot(crate) != before


def test_snapshot_changes_with_a_time(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    crate = opened(tree(tmp_path, APP))
    before = snapshot(crate)
    os.utime(tmp_path / "src/main.rs", ns=(1, 1))
    assert snapshot(crate) != before


def test_lock_that_the_build_writes_is_in_the_digest(tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests) -> None:
    crate = opened(tree(tmp_path, HALF_A_DOZEN) / "app")
    before = sources_digest(crate, digests)
    tree(tmp_path, {"Cargo.lock": "written"})
    assert before != sources_digest(crate, digests) == digest(tmp_path / "app", opened, digests)


# ---- What the last build read


def dep_info(folder: Path, *files: Path | str) -> Path:
    """A file as rustc writes it."""
    escaped = [str(file).replace(" ", "\\ ") for file in files]
    rules = [f"app.d: {' '.join(escaped)}", f"app: {' '.join(escaped)}", *(f"{file}:" for file in escaped), "# env-dep:X=a: b"]
    path = folder / "app.d"
    path.write_text("\n\n".join(rules) + "\n")
    return path


@pytest.mark.parametrize("name", ["table.csv", "two words.csv", "a  b c.csv", "naïve:1.csv"])
def test_file_read_outside_the_packages_counts_from_then_on(
    tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests, name: str
) -> None:
    folder, outside = tree(tmp_path / "app", APP), tree(tmp_path, {name: "1"}) / name
    inside = folder / "src/main.rs"
    noted = note_what_was_read(opened(folder), [dep_info(tmp_path, "src/main.rs", inside, outside)], [])
    assert noted.read == (outside,)
    assert opened(folder) == noted
    before = sources_digest(noted, digests)
    outside.write_text("2")
    changed = sources_digest(noted, digests)
    outside.unlink()
    assert len({before, changed, sources_digest(noted, digests)}) == 3


def test_files_of_all_dep_infos_count(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    crate = opened(tree(tmp_path / "app", APP))
    rules = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        rules.append(dep_info(tmp_path / name, tmp_path / name / "x"))
    assert note_what_was_read(crate, rules, []).read == (tmp_path / "one/x", tmp_path / "two/x")


def test_what_a_build_script_writes_is_no_source(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    crate = opened(tree(tmp_path / "app", APP))
    written = crate.output / "cargo/release/build/app-1/out/made.rs"
    assert note_what_was_read(crate, [dep_info(tmp_path, "src/main.rs", written, tmp_path / "x")], []).read == (tmp_path / "x",)


def test_what_is_read_no_more_counts_no_more(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    folder = tree(tmp_path / "app", APP)
    note_what_was_read(opened(folder), [dep_info(tmp_path, tmp_path / "x")], [])
    note_what_was_read(opened(folder), [dep_info(tmp_path, "src/main.rs")], [])
    assert opened(folder).read == ()


def test_place_that_was_compiled_in_counts_from_then_on(
    tmp_path: Path, opened: Callable[[Path], Crate], digests: Digests
) -> None:
    folder = tree(tmp_path / "app", APP)
    bare = opened(folder)
    noted = note_what_was_read(bare, [], ["CARGO_MANIFEST_DIR=/here"])
    assert opened(folder) == noted
    elsewhere = note_what_was_read(bare, [], ["CARGO_MANIFEST_DIR=/there"])
    assert len({sources_digest(crate, digests) for crate in (bare, noted, elsewhere)}) == 3


def test_variables_that_were_asked_for_are_known_from_then_on(tmp_path: Path, opened: Callable[[Path], Crate]) -> None:
    noted = note_what_was_read(replace(opened(tree(tmp_path / "app", APP)), variables=("SCALE", "SHIFT")), [], [])
    assert noted.variables == ("SCALE", "SHIFT")
    assert opened(tmp_path / "app") == noted


@pytest.mark.parametrize("damage", ["", "{", "\0", '["/x', "[]", '{"read": []}'])
def test_damaged_note_is_no_note(tmp_path: Path, opened: Callable[[Path], Crate], damage: str) -> None:
    crate = opened(tree(tmp_path / "app", APP))
    note_what_was_read(crate, [dep_info(tmp_path, tmp_path / "x")], [])
    (crate.output / ".read/app.json").write_text(damage)
    assert opened(tmp_path / "app").read == ()


INCLUDING = {
    "one/app/Cargo.toml": package("app", '[dependencies]\ndep = { path = "../dep" }\n'),
    "one/app/src/main.rs": 'fn main() { print!("{}{}", include_str!("../../../mine.txt"), dep::THEIRS); }',
    "one/dep/Cargo.toml": package("dep"),
    "one/dep/src/lib.rs": 'pub const THEIRS: &str = include_str!("../../theirs.txt");',
    "mine.txt": "",
    "one/theirs.txt": "",
}


@pytest.mark.parametrize("name", ["mine.txt", "one/theirs.txt"])
def test_file_that_rustc_was_seen_to_include_counts(
    tmp_path: Path, opened: Callable[[Path], Crate], real_rust: Rust, digests: Digests, name: str
) -> None:
    folder = tree(tmp_path, INCLUDING) / "one/app"
    target = tmp_path / "target"
    argv: list[str | os.PathLike[str]] = [real_rust.cargo, "check", "--quiet", "--offline", "--target-dir", target]
    subprocess.run(argv, cwd=folder, env={**os.environ, "RUSTC": os.fspath(real_rust.rustc)}, check=True)
    noted = note_what_was_read(opened(folder), sorted(target.glob("*/deps/*.d")), [])
    before = sources_digest(noted, digests)
    (tmp_path / name).write_text("other")
    assert sources_digest(noted, digests) != before
