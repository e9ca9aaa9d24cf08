"""A matrix on two machines with one remote cache: every cell is built, and what they have in common is made once."""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import pytest

from pipeline.runs import Event
from tests import nginx
from tests.machines import Machine, machine
from tests.workbench import Finished, Workbench, doit

pytestmark = [pytest.mark.toolchain, pytest.mark.full]

EIGHT = "axes:\n  opt2.level: [1, 2]\n  codegen.level: [1, 2]\n  enzyme.fast_math: [true, false]\n"


def test_eight_cells_on_two_machines(own_cache: Path, bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "nginx").mkdir()
    with nginx.serving(tmp_path / "nginx") as server:
        assert doit("cache", "push", environment={**server.environment(), "CRATEGRAD_CACHE": str(own_cache)}).returncode == 0
        machines = [machine(tmp_path / name, bench.folder / "Cargo.lock", server.environment()) for name in ("one", "two")]
        for each in machines:
            (each.folder / "eight.yaml").write_text(EIGHT)
        with ThreadPoolExecutor(2) as both:
            built = list(both.map(part, machines, (1, 2)))
        again = machines[0].doit("matrix", "--json", "matrix=eight.yaml")
    assert [each.returncode for each in (*built, again)] == [0, 0, 0], [each.stderr for each in (*built, again)]
    cells = [cell["cell"] for each in built for cell in json.loads(each.stdout)["cells"]]
    assert (len(cells), len(set(cells))) == (8, 8), "each cell is in one part"
    assert twice(machines) == []
    whole = json.loads(again.stdout)["cells"]
    assert Counter(stage["how"] for cell in whole for stage in cell["stages"])["ran"] == 0
    for cell in whole:
        assert subprocess.run([machines[0].folder / cell["product"]], check=False).returncode == 0


def part(at: Machine, number: int) -> Finished:
    return at.doit("matrix", "--json", "matrix=eight.yaml", f"shard={number}/2")


def twice(machines: list[Machine]) -> list[str]:
    """The stages that were made twice, although one was over before the other began."""
    runs: dict[str, list[Event]] = defaultdict(list)
    for each in machines:
        for event in each.records():
            if event.how == "ran":
                runs[event.key].append(event)
    assert len({event.stage for events in runs.values() for event in events}) == 8, "all stages but build_std"
    pairs = (pair for events in runs.values() for pair in combinations(sorted(events, key=lambda each: each.begin), 2))
    return [first.stage for first, second in pairs if first.begin + first.seconds < second.begin]
