"""What several modules of tests start from."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from pipeline.digests import Digests
from pipeline.request import cache_folder
from pipeline.toolchain import Rust, Tool, Tools
from tests import frontend_build, host_crates
from tests.workbench import CUBE, Workbench


def pytest_addoption(parser: pytest.Parser) -> None:
    """`./doit test --full` and `--faults`."""
    parser.addoption("--full", action="store_true", help="run what is marked as full, too")
    parser.addoption("--faults", action="store_true", help="the faults of tests/faults at their full numbers")


LONGEST = (
    *("fuzz", "bodies", "gradcheck", "forms", "gradients", "verify", "tape", "bad_input", "table", "building", "idioms"),
    *("artifacts", "apart", "enzyme", "strategies", "prebuilt", "graph", "refusals", "examples"),
)
"""The files of tests that take longest, in this order: begun first, that none is left to one processor at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long, unless it is asked for; the files that build nothing first, then the longest."""
    if not config.getoption("--full"):
        long = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    build = {item.path for item in items if item.get_closest_marker("toolchain")}
    items.sort(key=lambda item: _when(item.path) if item.path in build else -1)


def _when(file: Path) -> int:
    """A worker takes a file as a whole, so that its fast tests have to wait for their turn, too."""
    name = file.stem.removeprefix("test_")
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


class Rounds:
    """How often a fault is tried: few times, or many times with `--faults`; what came of it is told at the end of the run."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._many = request.config.getoption("--faults")
        self._told = request.node.user_properties

    def __call__(self, few: int, many: int) -> int:
        return many if self._many else few

    def tell(self, what: str) -> None:
        self._told.append(("faults", what))


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> Rounds:
    """How often a fault is tried."""
    return Rounds(request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell how often each fault was tried."""
    told = [
        what for report in terminalreporter.stats.get("passed", ()) for kind, what in report.user_properties if kind == "faults"
    ]
    if told:
        terminalreporter.section("faults")
        terminalreporter.write_line("\n".join(sorted(told)))


@pytest.fixture(scope="session", autouse=True)
def _host_crates(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compiled once in a run: a worker's own folder lies in that of all."""
    base = tmp_path_factory.getbasetemp()
    kept = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "host_crates"
    kept.mkdir(exist_ok=True)
    os.environ[host_crates.FOLDER] = str(kept)


@pytest.fixture
def digests(tmp_path: Path) -> Digests:
    """Digests that remember nothing yet."""
    return Digests(tmp_path / "digests.json")


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """Tools that are files and no more: to be planned with, not to be run."""
    return Tools(**{field.name: made_up(tmp_path / "tools" / field.name) for field in fields(Tools)})


@pytest.fixture
def rust(tmp_path: Path) -> Rust:
    """A toolchain of the same kind."""
    folder = tmp_path / "rust"
    rustc, cargo = made_up(folder / "bin" / "rustc"), made_up(folder / "bin" / "cargo")
    return Rust(rustc, cargo, "x86_64-unknown-linux-gnu", "1.96.0", folder)


def made_up(path: Path) -> Tool:
    """A file that stands for a tool; no two are alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"no program: {path.name}")
    return Tool(path)


@pytest.fixture(scope="session")
def session_bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """One crate for all tests that build: its dependencies are compiled once."""
    return Workbench(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def bench(session_bench: Workbench) -> Workbench:
    """The crate, as a program that checks the gradient of x³."""
    session_bench.environment.clear()
    session_bench.write(CUBE)
    for asked_for_by_another in (session_bench.folder / "target/crategrad").glob("[!.]*"):
        shutil.rmtree(asked_for_by_another)
    return session_bench


@pytest.fixture
def own_cache(bench: Workbench, tmp_path: Path) -> Path:
    """A cache that a test may damage, with nothing in it but the project's own build_std; the crate builds with it."""
    cache = tmp_path / "cache"
    bench.build()
    std = json.loads((bench.output() / "stages/01-build_std.json").read_text())
    keys = Path("keys", std["key"][:2])
    (cache / keys).mkdir(parents=True)
    for path in (cache_folder() / keys).glob(f"{std['key']}.entry"):
        shutil.copy(path, cache / keys)
    shutil.copytree(cache_folder() / "trees" / std["tree"], cache / "trees" / std["tree"], copy_function=os.link)
    bench.environment["CRATEGRAD_CACHE"] = str(cache)
    return cache


@pytest.fixture(scope="session")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crate that depends on `autodiff`, in every form there is."""
    return frontend_build.write_crate(tmp_path_factory.mktemp("forms"))


@pytest.fixture(scope="session")
def plain(crate: Path) -> frontend_build.Build:
    """That crate as cargo alone builds it."""
    return frontend_build.build(crate, "", "--bins", "--lib")


@pytest.fixture(scope="session")
def pipeline(crate: Path) -> frontend_build.Build:
    """That crate as the pipeline has cargo build it."""
    return frontend_build.build(crate, frontend_build.PIPELINE, "--lib")
