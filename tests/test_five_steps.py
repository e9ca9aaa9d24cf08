"""The README's five steps for a crate of one's own, taken as they are written there, in workspaces of published packages.

Cargo fetches these; what is written into them is the README's, and an attribute over a function of their own.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

HERE, CRATE = "…/crategrad", "path/to/your/crate"
"""What the README has for the folder of Crategrad, and for the user's."""


def steps() -> list[str]:
    """What is to be written or run in each of the five, and of the last the path that it names."""
    section = (ROOT / "README.md").read_text().split("\n## Your own crate\n")[1].split("\nOther artifacts ")[0]
    *before, last = re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]
    lines = [[line for line in each.splitlines()[1:] if "```" not in line] for each in before]
    return [*(dedent("\n".join(each)).strip() for each in lines), last.split("`")[1]]


@dataclass(frozen=True)
class Theirs:
    """Published packages: a program of the first of them, and a function of one with its closed form."""

    packages: Mapping[str, str]
    program: str
    appears: str
    arguments: Sequence[str]
    chosen: Sequence[str]
    depending: Mapping[str, str]
    """The packages that get a derivative, or call one, with what else they depend on from now on."""
    function: tuple[str, str]
    """Its file, and how it begins."""
    header: str
    call: str
    """The function's value and its gradient, as a `Vec`."""
    right: Sequence[float]


LOGISTIC = 1 / (1 + math.exp(-0.5))

WORKSPACES = {
    "splines": Theirs(
        packages={"splines": "5.0.0", "statrs": "0.19.1"},
        program="examples/hello-world.rs",
        appears="examples/hello-world",
        arguments=[],
        chosen=["example=hello-world"],
        depending={"splines": 'statrs = { path = "../statrs", default-features = false, features = ["std"] }', "statrs": ""},
        function=("statrs/src/function/logistic.rs", "pub fn logistic("),
        header="d_logistic, Active, Active",
        call="<[f64; 2]>::from(statrs::function::logistic::d_logistic(0.5, 1.0)).to_vec()",
        right=[LOGISTIC, LOGISTIC * (1 - LOGISTIC)],
    ),
    "pastel": Theirs(
        packages={"pastel": "0.12.0", "nom": "7.1.3"},
        program="src/cli/main.rs",
        appears="pastel",
        arguments=["mix", "red", "blue"],
        chosen=[],
        depending={"pastel": ""},
        function=("pastel/src/delta_e.rs", "pub fn cie76("),
        header="d_cie76, Duplicated, Const, Active",
        call="""{
    let lab = |l, a, b| pastel::Lab { l, a, b, alpha: 0.0 };
    let mut d = lab(0.0, 0.0, 0.0);
    let value = pastel::delta_e::d_cie76(&lab(3.0, 5.0, 9.0), &mut d, &lab(1.0, 2.0, 3.0), 1.0);
    vec![value, d.l, d.a, d.b, d.alpha]
}""",
        right=[7.0, 2 / 7, 3 / 7, 6 / 7, 0.0],
    ),
}
"""A library's example with a library beside it, and a program for the command line with a library that it uses."""

MAIN = "fn main() {"
CALLING = f"""\
@FUNCTION@

{MAIN}
    let (x, k) = ([1.0, -2.0, 3.0], 2.0);
    @CALL@
    let theirs: Vec<f64> = @THEIRS@;
    println!("{{:?}}", [vec![energy], dx, theirs]);
"""


@pytest.mark.full
@pytest.mark.parametrize("name", ["splines", "pastel"])
def test_five_steps_in_a_workspace_that_is_not_ours(name: str, tmp_path: Path) -> None:
    dependency, function, call, commands, place = steps()
    theirs, workspace = WORKSPACES[name], tmp_path / "theirs"
    unpack(theirs.packages, workspace, tmp_path / "asking")
    for package, more in theirs.depending.items():
        manifest = workspace / package / "Cargo.toml"
        manifest.write_text(f"{manifest.read_text()}\n{dependency.replace(HERE, str(ROOT))}\n{more}\n")
    file, begin = theirs.function
    replace(workspace / file, begin, f"#[autodiff::autodiff_reverse({theirs.header})]\n{begin}")
    calling = CALLING.replace("@FUNCTION@", function).replace("@CALL@", call).replace("@THEIRS@", theirs.call)
    replace(workspace / name / theirs.program, MAIN, calling)

    crate, arguments = str(workspace / name), {"CRATEGRAD_ARGUMENTS": json.dumps(theirs.arguments)}
    for command in commands.replace(CRATE, crate).splitlines():
        program, *words = shlex.split(command)
        ran = doit(*words, *theirs.chosen, environment=arguments)
        assert (program, ran.returncode) == ("./doit", 0), ran.stdout + ran.stderr
    program = place.replace(CRATE, crate).replace("<config>", "default").replace("<binary>", theirs.appears)
    alone = subprocess.run([program, *theirs.arguments], capture_output=True, text=True, check=True)
    assert alone.stdout == ran.stdout
    energy, gradient, found = json.loads(alone.stdout.splitlines()[0])
    assert (energy, gradient) == ([14.0], [2.0, -4.0, 6.0])
    assert found == pytest.approx(theirs.right, rel=1e-12)


def unpack(packages: Mapping[str, str], workspace: Path, asking: Path) -> None:
    """Make a workspace of published packages, as cargo fetches them."""
    wanted = "".join(f'{name} = {{ version = "={version}", default-features = false }}\n' for name, version in packages.items())
    (asking / "src").mkdir(parents=True)
    (asking / "src/lib.rs").touch()
    (asking / "Cargo.toml").write_text(f'[package]\nname = "asking"\nedition = "2024"\n[dependencies]\n{wanted}')
    command = ["/usr/bin/cargo", "metadata", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    asked = subprocess.run(command, cwd=asking, env=environment, capture_output=True, text=True, check=False)
    if asked.returncode:
        why = next((line for line in asked.stderr.splitlines() if line.startswith("error: ")), asked.stderr)
        pytest.skip(f"cargo cannot fetch {', '.join(packages)}: {why}")
    for package in json.loads(asked.stdout)["packages"]:
        if packages.get(package["name"]) == package["version"]:
            shutil.copytree(Path(package["manifest_path"]).parent, workspace / package["name"])
    patches = "".join(f'{name} = {{ path = "{name}" }}\n' for name in packages)
    (workspace / "Cargo.toml").write_text(
        f'[workspace]\nmembers = {json.dumps(list(packages))}\nresolver = "3"\n[patch.crates-io]\n{patches}'
    )


def replace(file: Path, old: str, new: str) -> None:
    """Replace what is there once."""
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
