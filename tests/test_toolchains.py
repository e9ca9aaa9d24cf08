"""Which toolchain a crate is built with: `rust-toolchain.toml`, as rustup understands it, with real compilers."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.toolchain import Rust, find_rust, rustup_toolchains
from pipeline.toolchains import rust_for, toolchains_here
from tests.test_prebuilt import OF_RUSTUP, each_of_rustup
from tests.workbench import CUBE, Workbench, doit

pytestmark = pytest.mark.toolchain

HOST = "x86_64-unknown-linux-gnu"


@pytest.fixture
def rustup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of rustup's toolchains, in a home of the test's own: one of them is there, Debian's by another name."""
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "rustup"))
    folder = tmp_path / "rustup/toolchains"
    folder.mkdir(parents=True)
    (folder / f"nightly-2030-01-01-{HOST}").symlink_to("/usr")
    return folder


@pytest.fixture
def debian(digests: Digests) -> Rust:
    return find_rust("debian", digests)


def asking(folder: Path, text: str, name: str = "rust-toolchain.toml") -> Path:
    """A folder below one with this file."""
    below = folder / "crates/one"
    below.mkdir(parents=True)
    (folder / name).write_text(text)
    return below


def channel(name: str) -> str:
    return f'[toolchain]\nchannel = "{name}"\ncomponents = ["clippy"]\n'


@pytest.mark.parametrize("form", ["{0}", "{0.minor}", "{0}-{1}", "stable"])
def test_what_the_configs_toolchain_is_already(tmp_path: Path, rustup: Path, debian: Rust, digests: Digests, form: str) -> None:
    asked = form.replace("{0.minor}", debian.version.rpartition(".")[0]).format(debian.version, debian.triple)
    assert rust_for("debian", asking(tmp_path, channel(asked)), digests) == debian


@pytest.mark.parametrize("asked", ["nightly-2030-01-01", f"nightly-2030-01-01-{HOST}"])
def test_what_rustup_has(tmp_path: Path, rustup: Path, debian: Rust, digests: Digests, asked: str) -> None:
    rust = rust_for("debian", asking(tmp_path, channel(asked)), digests)
    assert rust.rustc.path == rustup / f"nightly-2030-01-01-{HOST}/bin/rustc"


@pytest.mark.parametrize("asked", ["1.60.0", "beta", "nightly-2030-01-02", "1.9", "own"])
def test_what_is_not_here_is_refused_by_name(tmp_path: Path, rustup: Path, debian: Rust, digests: Digests, asked: str) -> None:
    folder = asking(tmp_path, channel(asked))
    with pytest.raises(UserError) as error:
        rust_for("debian", folder, digests)
    assert error.value.message == (
        f"error: {tmp_path}/rust-toolchain.toml asks for the toolchain `{asked}`, which is not here; there are"
        f" debian ({debian.version}), nightly-2030-01-01-{HOST} ({debian.version})\n"
        f"  = help: rustup toolchain install {asked}\n"
        "  = help: or build it with Debian's all the same: toolchain=/usr"
    )


def test_who_names_a_toolchain_gets_it(tmp_path: Path, rustup: Path, digests: Digests) -> None:
    folder = asking(tmp_path, channel("1.60.0"))
    assert rust_for("/usr", folder, digests).rustc.path == Path("/usr/bin/rustc")


def test_toolchain_by_its_path_from_the_file(tmp_path: Path, digests: Digests) -> None:
    (tmp_path / "own").symlink_to("/usr")
    rust = rust_for("debian", asking(tmp_path, '[toolchain]\npath = "own"\n'), digests)
    assert rust.rustc.path == tmp_path / "own/bin/rustc"


def test_file_of_one_word_and_one_that_names_no_toolchain(tmp_path: Path, debian: Rust, digests: Digests) -> None:
    assert rust_for("debian", asking(tmp_path / "word", f"{debian.version}\n", "rust-toolchain"), digests) == debian
    assert rust_for("debian", asking(tmp_path / "none", '[toolchain]\nprofile = "minimal"\n'), digests) == debian


@pytest.mark.parametrize("text", ["[toolchain\n", "1.96.0\n", "[toolchain]\nchannel = 1.96\n", '\N{DEL}"'])
def test_file_that_cannot_be_read_is_named(tmp_path: Path, digests: Digests, text: str) -> None:
    folder = asking(tmp_path, text)
    with pytest.raises(
        UserError, match=r"^error: .*/rust-toolchain.toml(: `channel` is no text| cannot be read: .*)\n  = help: "
    ):
        rust_for("debian", folder, digests)


def test_a_build_obeys_it_or_names_it(bench: Workbench, tmp_path: Path) -> None:
    one = bench.copy(tmp_path / "one")
    (one.folder / "rust-toolchain.toml").write_text(channel("1.60.0"))
    refused = one.doit("build")
    assert refused.returncode == 1
    assert f"error: {one.folder}/rust-toolchain.toml asks for the toolchain `1.60.0`, which is not here" in refused.stderr
    assert "crate_bitcode" not in refused.stderr


@each_of_rustup
def test_what_a_crate_asks_for_compiles_it(bench: Workbench, digests: Digests, tmp_path: Path, folder: Path) -> None:
    asked = find_rust(str(folder), digests).version
    one = bench.copy(tmp_path / "one")
    (one.folder / "rust-toolchain.toml").write_text(channel(asked if "-" not in asked else folder.name.partition("-")[0]))
    one.build("build_std=prebuilt")
    assert compilers_of(one.output() / "bench") == {asked}
    assert one.build("build_std=prebuilt").ran == []


def compilers_of(program: Path) -> set[str]:
    """Run the program, which ends with 0 where its gradient is right; the versions of rustc that it is made by, as it says."""
    assert subprocess.run([program], check=False).returncode == 0
    return {version.decode() for version in re.findall(rb"rustc version (\d\S+)", program.read_bytes())}


# ---- Those that are of no use here

SAYS = """\
#!/bin/sh
/usr/bin/rustc "$@" | sed '{change}'
"""
"""A compiler that is Debian's but for what it says of itself: no more than that is read of one that is refused."""

NEWER = "s/^LLVM version: .*/LLVM version: 23.1.0-rust-1.99.0-nightly/"
OF_LLVM_23 = "is of LLVM 23.1.0-rust-1.99.0-nightly; the tools here read bitcode of LLVM 22 and older"


def saying(change: str, folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/cargo").symlink_to("/usr/bin/cargo")
    (folder / "bin/rustc").write_text(SAYS.format(change=change))
    (folder / "bin/rustc").chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (NEWER, f"toolchain `{{0}}` {OF_LLVM_23}"),
        ("s/^LLVM version: .*/LLVM version: 23git/", "toolchain `{0}` is of LLVM 23git; .*"),
        ("s/^LLVM version: .*/LLVM version: unknown/", "toolchain `{0}` is of LLVM unknown; .*"),
        ("/^LLVM version: /d", "{0}/bin/rustc is no rustc with LLVM: it answers `-vV` without `LLVM version`(\n  \\| .*)*"),
        ("s/.*/anything/", "{0}/bin/rustc is no rustc with LLVM: it answers `-vV` without `host`\n  \\| anything(\n  \\| .*)*"),
    ],
)
def test_what_the_tools_cannot_read_is_refused(tmp_path: Path, digests: Digests, change: str, said: str) -> None:
    folder = saying(change, tmp_path / "new")
    with pytest.raises(UserError) as error:
        find_rust(str(folder), digests)
    assert re.fullmatch(
        rf"error: {said.format(folder)}\n  = help: name another toolchain: `./doit doctor` lists .*", error.value.message
    )


@pytest.mark.parametrize("command", ["build", "run", "enzyme"])
def test_newer_llvm_is_one_message_and_nothing_is_run(bench: Workbench, tmp_path: Path, command: str) -> None:
    refused = bench.doit(command, f"toolchain={saying(NEWER, tmp_path / 'new')}")
    assert refused.returncode == 1
    assert refused.stderr == (
        f"error: toolchain `{tmp_path}/new` {OF_LLVM_23}\n"
        "  = help: name another toolchain: `./doit doctor` lists those that are here\n"
    )


@pytest.mark.parametrize("asked", ['channel = "nightly"', 'path = "../rustup/toolchains/nightly"'])
def test_newer_llvm_that_a_crate_asks_for_is_named_with_the_file(
    rustup: Path, bench: Workbench, tmp_path: Path, asked: str
) -> None:
    saying(NEWER, rustup / "nightly")
    one = bench.copy(tmp_path / "one")
    (one.folder / "rust-toolchain.toml").write_text(f"[toolchain]\n{asked}\n")
    refused = one.doit("build")
    assert refused.returncode == 1
    assert re.fullmatch(
        rf"error: {one.folder}/rust-toolchain.toml asks for `\S*nightly`, which is of no use here: toolchain `\S*nightly` "
        rf"{re.escape(OF_LLVM_23)}\n  = help: or build it with Debian's all the same: toolchain=/usr\n",
        refused.stderr,
    )


def test_newer_llvm_is_one_cell_that_fails(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(f"axes:\n  toolchain: [debian, {saying(NEWER, tmp_path / 'new')}]\n")
    made = bench.doit("matrix", f"matrix={tmp_path}/m.yaml")
    assert made.returncode == 1
    assert OF_LLVM_23 in made.stdout
    assert "2 cells, 1 failed" in made.stdout


def test_doctor_says_what_is_wrong_with_it_and_what_else_there_is(tmp_path: Path) -> None:
    ill = doit("doctor", f"toolchain={saying(NEWER, tmp_path / 'new')}")
    assert (ill.returncode, ill.stderr) == (1, "")
    assert f"error: toolchain `{tmp_path}/new` {OF_LLVM_23}\n  = help: " in ill.stdout
    assert re.search(r"^debian +1\.96\.0 ", ill.stdout, re.MULTILINE)


# ---- Several of them


def test_doctor_lists_each_with_what_it_allows(tmp_path: Path, rustup: Path) -> None:
    (rustup / "broken/bin").mkdir(parents=True)
    (rustup / "broken/bin/rustc").symlink_to("/bin/false")
    (rustup / "broken/bin/cargo").symlink_to("/bin/false")
    said = doit("doctor").stdout
    rows = [" ".join(line.split()) for line in said.splitlines()]
    assert "debian 1.96.0 full, prebuilt, none" in rows
    assert f"nightly-2030-01-01-{HOST} 1.96.0 full, prebuilt, none" in rows
    assert f"broken {rustup}/broken/bin/rustc does not answer `-vV`" in rows


def test_toolchain_is_an_axis_of_a_matrix(bench: Workbench, rustup: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.yaml"
    matrix.write_text("axes:\n  toolchain: [debian, nightly-2030-01-01]\n  build_std: [full]\n")
    made = bench.doit("matrix", f"matrix={matrix}")
    assert made.returncode == 0, made.stdout + made.stderr
    for name in ("debian", "nightly-2030-01-01"):
        program = bench.folder / f"target/crategrad/toolchain-{name}-build_std-full/bench"
        assert program.exists(), made.stdout


@pytest.mark.skipif(not OF_RUSTUP, reason="rustup has no toolchain here")
@pytest.mark.parametrize("strategy", ["slice", pytest.param("fat-lto", marks=pytest.mark.full)])
def test_each_cell_of_a_matrix_is_made_by_its_toolchain(
    bench: Workbench, digests: Digests, tmp_path: Path, strategy: str
) -> None:
    one = bench.copy(tmp_path / "one")
    versions = {name: find_rust(name, digests).version for name in ("debian", *(folder.name for folder in OF_RUSTUP))}
    axes = f"  toolchain: [{', '.join(versions)}]\n  strategy: [{strategy}]\n  build_std: [prebuilt]\n"
    (one.folder / "matrix.yaml").write_text(f"axes:\n{axes}")
    for edited in (CUBE, CUBE.replace("+ 0.5", "+ 0.75")):  # cargo has one folder for all of them
        one.write(edited)
        made = one.doit("matrix", "--json", f"matrix={one.folder}/matrix.yaml")
        assert made.returncode == 0, made.stdout + made.stderr
        cells = [cell["cell"] for cell in json.loads(made.stdout)["cells"]]
        assert [compilers_of(one.output(cell) / "bench") for cell in cells] == [{version} for version in versions.values()]


@pytest.mark.parametrize("folder", sorted(rustup_toolchains()) or [pytest.param(None, marks=pytest.mark.skip("no rustup"))])
def test_those_of_this_machine_are_found(folder: Path, digests: Digests) -> None:
    found = {each.name: each for each in toolchains_here(digests)}
    assert found[folder.name].rust or found[folder.name].why_not
