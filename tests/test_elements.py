"""Elements that std moves are of the type that debug info says; what leads to them is not."""

from __future__ import annotations

import subprocess

import pytest

from tests.workbench import CUBE, Workbench

pytestmark = pytest.mark.toolchain

# rustc writes the place of `copy_from_slice` at the load of the slice's own pointer, too.
FILLED = (
    CUBE.replace("(df, Active, Active)]\nfn f(x: f64)", "(df, Active, Const, Active)]\nfn f(x: f64, to: &mut [i32])")
    .replace("    x * x * x\n", "    to.copy_from_slice(&[if x > 9.0 { 3 } else { 4 }, 5]);\n    x * x * x\n")
    .replace("df(x, 1.0)", "df(x, &mut [0; 2], 1.0)")
    .replace("f(x);", "f(x, &mut [0; 2]);")
)


@pytest.mark.parametrize("level", [pytest.param(0, marks=pytest.mark.full), 3])
def test_integers_that_are_copied_into_a_slice_say_nothing_of_its_pointer(bench: Workbench, level: int) -> None:
    bench.write(FILLED)
    bench.build(f"opt1.level={level}")
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
