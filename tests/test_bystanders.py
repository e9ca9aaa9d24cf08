"""What no derivative reaches comes out of a build with derivatives as of one without: byte by byte, in the object."""

from __future__ import annotations

import re

import pytest

from tests.elf import Code, Object
from tests.workbench import ROOT, Workbench

pytestmark = pytest.mark.toolchain

SOURCE = (ROOT / "tests/crates/bystanders/src/main.rs").read_text()
FUNCTIONS = set(re.findall(r"#\[inline\(never\)\]\s+fn (\w+)", SOURCE))
ASKING = {"gradient_step", "main"}
"""Who calls the derivative, and who calls that: without autodiff a derivative is a panic, and nothing comes after it."""

BY_CHANCE = 0.01
"""The share of the program, std included, that may come out otherwise: LLVM's passes walk through sets of addresses.

Of some 420 functions it is two, each with the incoming values of a `phi` in another order.
"""


@pytest.mark.full
@pytest.mark.parametrize("config", ["single-module-merge", "fat-lto"])
def test_what_no_derivative_reaches_is_the_same_without_autodiff(bench: Workbench, config: str) -> None:
    bench.write(SOURCE)
    with_derivatives, without = functions(bench, config, "true"), functions(bench, config, "false")
    both = with_derivatives.keys() & without.keys()
    own = {name: found[1] for name in both if (found := re.match(r"_ZN5bench\d+([a-z_]+)17h", name))}
    assert set(own.values()) == FUNCTIONS | ASKING
    differing = {name for name in both if with_derivatives[name] != without[name]}
    assert {own[name] for name in differing & own.keys()} == ASKING
    assert len(differing) <= len(ASKING) + BY_CHANCE * len(both), differing
    assert len(both) >= 0.99 * len(with_derivatives)


def functions(bench: Workbench, config: str, autodiff: str) -> dict[str, Code]:
    bench.build(f"config={config}", f"autodiff={autodiff}", "tape=system")  # the pool is only where derivatives are
    return Object(bench.output(config) / "stages/08-codegen/program.o").functions()
