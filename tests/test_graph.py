"""`./doit graph`: which crates are drawn, the drawing itself, how stages and crates stand before and after a build."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import networkx as nx
import pytest

from pipeline import why
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.graph import drawing, report
from pipeline.graph.choosing import MOST, choose
from pipeline.graph.crate_graph import Resolved, crate_graph
from pipeline.key import describe
from pipeline.linker import Linker
from pipeline.stages import NAMES
from pipeline.stages.llvm_link import LlvmLink
from pipeline.stages.opt1 import Opt1
from pipeline.strategies.fat_lto import FatLto
from pipeline.strategies.single_module_merge import SingleModuleMerge
from pipeline.targets import Target
from pipeline.toolchain import Tool, Tools
from tests import host_crates
from tests.conftest import made_up
from tests.workbench import CUBE, MANIFEST, ROOT, Workbench, doit

SVG = "{http://www.w3.org/2000/svg}"
WORKSPACE = ROOT / "tests" / "crates" / "artifacts"


def crate(name: str, **data: Any) -> dict[str, Any]:
    """What a node says of a crate: a dependency of which nothing is built."""
    told = {"name": name, "version": "1.0.0", "crate": name, "origin": "registry", "chosen": False, "folder": None}
    built = {"state": "fresh", "why": "", "seconds": None, "bytes": None, "uses_autodiff": False, "derivatives": None}
    return {**told, "proc_macro": False, "build_script": False, **built, **data}


def crates(edges: list[tuple[str, str]], **data: dict[str, Any]) -> nx.DiGraph:
    """A graph of crates, the first of which is the chosen one."""
    graph = nx.DiGraph()
    graph.add_edges_from(edges, kinds=["normal"])
    for name in graph:
        graph.add_node(name, **crate(name, **data.get(name, {})))
    graph.nodes[edges[0][0]].update(chosen=True, origin="workspace")
    return graph


def stages(**states: str) -> nx.DiGraph:
    """Two stages, one after the other."""
    graph = nx.DiGraph()
    for number, name in enumerate(("opt1", "enzyme"), 1):
        cost = {"seconds": 1.5, "bytes": 2_000_000, "made": 1.0}
        graph.add_node(name, number=number, state="fresh", why=states.get(name, ""), **cost)
    graph.add_edge("opt1", "enzyme", role="module")
    return graph


def many(deep: dict[str, Any]) -> nx.DiGraph:
    """500 crates: a chain of them, `c0` to `c9`, on each of which hang 49; the last of the chain is `deep`."""
    chain = [(f"c{n}", f"c{n + 1}") for n in range(9)]
    return crates([*chain, *((f"c{n}", f"c{n}-{m}") for n in range(10) for m in range(49))], c9=deep)


def drawn(graph: nx.DiGraph, note: str = "", of_stages: nx.DiGraph | None = None) -> ET.Element:
    """The drawing, read as XML."""
    return ET.fromstring(drawing.draw("a title", of_stages or stages(), graph, note))


def tooltips(svg: ET.Element, kind: str) -> list[str]:
    """The `<title>`s of all nodes, or of all edges."""
    groups = [group for group in svg.iter(f"{SVG}g") if kind in group.get("class", "").split()]
    return [group.findtext(f"{SVG}title", "") for group in groups]


def text(svg: ET.Element) -> str:
    """All that is written in a drawing."""
    return "\n".join(element.text or "" for element in svg.iter(f"{SVG}text"))


# ---- What is drawn of many crates


def test_all_are_drawn_where_they_are_not_too_many() -> None:
    graph = crates([("app", "a"), ("a", "b")])
    assert nx.utils.graphs_equal(choose(graph, 3), graph)
    assert report.left_out(graph, choose(graph, 3)) == ""


def test_of_too_many_the_nearest_are_drawn() -> None:
    graph = many({})
    kept = choose(graph, MOST)
    assert (len(graph), len(kept)) == (500, MOST)
    assert {"c0", "c1", "c2", "c0-0", "c1-48"} < set(kept)
    assert "c9" not in kept
    assert "380 of 500 crates are left out" in report.left_out(graph, kept)
    assert set(choose(graph, MOST)) == set(kept)


@pytest.mark.parametrize(
    "deep", [{"derivatives": ["df: reverse mode of c9::f"]}, {"uses_autodiff": True}, {"origin": "workspace"}]
)
def test_what_matters_is_drawn_however_deep_it_lies(deep: dict[str, Any]) -> None:
    graph = many(deep)
    kept = choose(graph, MOST)
    assert len(kept) == MOST
    assert {"c9", "c9-0", "c9-48"} < set(kept)
    (before,) = kept.predecessors("c9")
    assert kept.edges[before, "c9"]["kinds"] == ["through"]
    assert kept.edges[before, "c9"]["between"] == 8 - int(before.removeprefix("c"))
    assert nx.descendants(kept, "c0") == set(kept) - {"c0"}


def test_the_chosen_one_is_drawn_if_nothing_else_is() -> None:
    assert set(choose(many({}), 1)) == {"c0"}
    with pytest.raises(UserError, match=r"--most=0: expected 1 or more"):
        choose(many({}), 0)


# ---- The drawing


def test_500_crates_are_drawn_with_a_word_of_those_that_are_not() -> None:
    graph = many({"derivatives": ["df: reverse mode of c9::f"]})
    kept = choose(graph, MOST)
    svg = drawn(kept, report.left_out(graph, kept))
    assert len(tooltips(svg, "node")) == MOST + 2
    assert "380 of 500 crates are left out of the drawing" in text(svg)
    assert "dotted: through crates that are left out" in text(svg)
    assert "∂ df" in text(svg)
    assert any(told.startswith(("c1 → c9 (through ", "c2 → c9 (through ")) for told in tooltips(svg, "edge"))


def test_a_dense_graph_does_not_take_for_ever() -> None:
    edges = [(f"c{n}", f"c{n + step * step}") for n in range(MOST) for step in range(1, 7) if n + step * step < MOST]
    assert len(edges) > 600
    assert len(tooltips(drawn(crates(edges)), "edge")) == len(edges) + 1


def test_a_cycle_is_drawn() -> None:
    graph = crates([("app", "helper"), ("helper", "app"), ("app", "app")])
    graph.edges["app", "helper"]["kinds"] = ["dev"]
    svg = drawn(graph)
    assert {"app → helper (dev)", "helper → app (normal)", "app → app (normal)"} < set(tooltips(svg, "edge"))
    assert "dashed: for tests, examples and benches only" in text(svg)


HOSTILE = """</title><script>alert("1 & 2 > 'x'")</script> \\N \\"] ; }"""


def test_whatever_is_in_a_name_is_text() -> None:
    graph = crates([("app", HOSTILE)], app={"derivatives": [f"{HOSTILE}: reverse mode"], "state": "stale", "why": HOSTILE})
    svg = drawn(graph, HOSTILE, stages(opt1=HOSTILE))
    assert not list(svg.iter(f"{SVG}script"))
    assert HOSTILE in text(svg)
    assert f"app → {HOSTILE} (normal)" in tooltips(svg, "edge")
    assert f"opt1\nfresh: {HOSTILE}\n1.50 s, 2.0 MB" in tooltips(svg, "node")


def test_control_characters_are_shown_as_such() -> None:
    svg = drawn(crates([("app", "a\0b\x1b[31m")]))
    assert "a\\x00b\\x1b[31m 1.0.0" in text(svg)


def test_how_a_stage_stands_is_written_on_it_and_told_by_its_tooltip() -> None:
    graph = stages()
    graph.nodes["opt1"].update(state="stale", why="`level` was 2, is 1")
    graph.nodes["enzyme"].update(state="waits", why="it runs only if opt1 makes something else")
    svg = drawn(crates([("app", "a")]), of_stages=graph)
    assert "stale\n`level` was 2, is 1\n" in text(svg)
    assert "enzyme\nwaits: it runs only if opt1 makes something else\n1.50 s, 2.0 MB" in tooltips(svg, "node")
    looks = [group.get("class") for group in svg.iter(f"{SVG}g")]
    assert "node stale" in looks
    assert "node waits" in looks


def test_what_a_crate_took_is_written_on_it_and_told_by_its_tooltip() -> None:
    svg = drawn(crates([("app", "a")], app={"seconds": 2.345, "bytes": 2_000}, a={"seconds": 0.0, "proc_macro": True}))
    assert "yours, 2.35 s, 2.0 kB" in text(svg)
    assert "proc macro, 0.00 s" in text(svg)
    assert "app\nyours\nfresh\ncompiled in 2.35 s\nbitcode: 2.0 kB" in tooltips(svg, "node")


def test_without_dot_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(drawing, "DOT", tmp_path / "dot")
    with pytest.raises(UserError, match=r"dot is missing.*\n.*apt-get install graphviz; or --json"):
        drawn(crates([("app", "a")]))


def test_a_drawing_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "dot"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(drawing, "DOT", slow)
    monkeypatch.setattr(drawing, "_PATIENCE_S", 0.2)
    with pytest.raises(UserError, match=r"did not get done .*\n.*--most=40"):
        drawn(crates([("app", "a")]))


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"folder cannot be written: .*\n.*--out=FILE"):
        drawing.write(tmp_path / "folder", "<svg/>")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(("number", "said"), [(0, "0 B"), (999, "999 B"), (15_700_000, "15.7 MB"), (2_000, "2.0 kB")])
def test_sizes_are_said_as_people_do(number: int, said: str) -> None:
    assert drawing.size_of(number) == said


# ---- The crates, of what cargo says


def package(name: str, version: str = "1.0.0", source: str | None = "registry+x", *kinds: str) -> dict[str, Any]:
    targets = [{"name": name, "kind": [kind], "crate_types": [kind]} for kind in kinds or ("lib",)]
    folder = f"/workspace/{name}/Cargo.toml"
    told = {"name": name, "version": version, "manifest_path": folder, "targets": targets, "source": source}
    return {"id": f"{source}#{name}@{version}", **told}


def resolved(packages: list[dict[str, Any]], own: int, **edges: list[tuple[int, str | None]]) -> Resolved:
    """What cargo says of packages, the first few of which are the user's own; edges go from and to their numbers."""
    ids = [each["id"] for each in packages]
    nodes = []
    for number, each in enumerate(ids):
        deps = [{"pkg": ids[to], "dep_kinds": [{"kind": kind}]} for to, kind in edges.get(f"of_{number}", [])]
        nodes.append({"id": each, "deps": deps})
    told = {"packages": packages, "workspace_members": ids[:own], "resolve": {"nodes": nodes}}
    return msgspec.convert(told, Resolved)


def test_crates_are_those_that_the_chosen_one_needs() -> None:
    found = resolved(
        [
            package("app", "0.1.0", None),
            package("other", "0.1.0", None),
            package("my-dep"),
            package("macros", "2.0.0", "git+x", "proc-macro"),
        ],
        2,
        of_0=[(2, None)],
        of_2=[(3, "build")],
    )
    graph = crate_graph(found, Path("/workspace/app"))
    assert list(graph) == ["app@0.1.0", "my-dep@1.0.0", "macros@2.0.0"]
    assert graph.nodes["app@0.1.0"]["chosen"]
    assert [graph.nodes[node]["origin"] for node in graph] == ["workspace", "registry", "git"]
    assert graph.nodes["my-dep@1.0.0"]["crate"] == "my_dep"
    assert graph.nodes["macros@2.0.0"]["proc_macro"]
    assert graph.edges["my-dep@1.0.0", "macros@2.0.0"]["kinds"] == ["build"]


def test_what_tests_need_may_need_what_is_tested() -> None:
    found = resolved([package("app", "0.1.0", None), package("helper", "0.1.0", None)], 2, of_0=[(1, "dev")], of_1=[(0, None)])
    graph = crate_graph(found, Path("/workspace/app"))
    assert set(graph.edges) == {("app@0.1.0", "helper@0.1.0"), ("helper@0.1.0", "app@0.1.0")}


def test_two_of_one_name_and_version_are_two() -> None:
    found = resolved(
        [package("app", "0.1.0", None), package("a"), package("a", "1.0.0", "git+y")], 1, of_0=[(1, None), (2, None)]
    )
    assert len(crate_graph(found, Path("/workspace/app"))) == 3


def test_a_library_is_no_build_script() -> None:
    of_both = package("dep", "1.0.0", "registry+x", "custom-build", "lib")
    graph = crate_graph(resolved([package("app", "0.1.0", None), of_both], 1, of_0=[(1, None)]), Path("/workspace/app"))
    assert graph.nodes["dep@1.0.0"]["build_script"]
    assert not Target("build-script-build", ("custom-build",), ("bin",)).is_library


# ---- Why a stage is stale


def parts(stage: object, digests: Digests, **inputs: str) -> why.Parts:
    return why.parts(describe(stage, inputs, digests))


def told(was: why.Parts, now: why.Parts) -> list[str]:
    return why.told(why.changes(was, now))


def test_settings_and_tools_that_are_others_are_named(tmp_path: Path, digests: Digests) -> None:
    opt, other = made_up(tmp_path / "opt"), made_up(tmp_path / "other")
    was = parts(Opt1(opt, 2), digests, module="a" * 64)
    assert told(was, parts(Opt1(opt, 2), digests, module="b" * 64)) == []
    assert why.changed("inputs", was, parts(Opt1(opt, 2), digests, module="b" * 64)) == ["module"]
    assert told(was, parts(Opt1(opt, 3), digests, module="a" * 64)) == ["`level` was 2, is 3"]
    assert told(was, parts(Opt1(other, 2), digests, module="a" * 64)) == ["`opt` is another"]


def test_another_strategy_is_one_reason_and_not_ten(tools: Tools, digests: Digests) -> None:
    was = parts(LlvmLink(SingleModuleMerge(tools.llvm_link, tools.llvm_nm, tools.opt)), digests)
    now = parts(LlvmLink(FatLto(Linker(tools.cc), tools.lld, tools.opt)), digests)
    assert told(was, now) == ["`strategy` was SingleModuleMerge, is FatLto"]


def test_an_edit_of_the_pipeline_is_named(digests: Digests, tmp_path: Path) -> None:
    now = parts(Opt1(Tool(made_up(tmp_path / "opt").path), 2), digests)
    was = {**now, "code": {**now["code"], "pipeline.stages.opt1": "another"}}
    assert told(was, now) == ["the pipeline itself was edited: pipeline/stages/opt1"]


def test_of_many_names_the_first_are_said() -> None:
    assert why.first_of(["a", "b", "c"]) == "a, b, c"
    assert why.first_of(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


# ---- For real


def graph_of(*arguments: str) -> dict[str, Any]:
    """The JSON, which is all that is printed."""
    finished = doit("graph", "--json", *arguments)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)  # type: ignore[no-any-return]


def states(told: dict[str, Any], of: str = "stages") -> dict[str, str]:
    return {node["id"]: node["state"] for node in told[of]["nodes"]}


def reason(told: dict[str, Any], node: str, of: str = "stages") -> str:
    return next(str(each["why"]) for each in told[of]["nodes"] if each["id"] == node)


def node(told: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in told["crates"]["nodes"] if each["id"] == name)


@pytest.mark.toolchain
def test_before_a_build_nothing_is_made_and_nothing_is_built(bench: Workbench, tmp_path: Path) -> None:
    fresh = bench.copy(tmp_path / "fresh")
    told = graph_of(f"crate={fresh.folder}")
    assert states(told) == dict.fromkeys(NAMES, "not made")
    assert set(states(told, "crates").values()) == {"not made"}
    assert node(told, "bench@0.1.0")["derivatives"] is None
    assert node(told, "bench@0.1.0")["uses_autodiff"]
    finished = fresh.doit("graph")
    assert finished.returncode == 0, finished.stderr
    assert "not made" in text(ET.parse(fresh.output() / "graph.svg").getroot())
    assert [path.name for path in fresh.output().iterdir()] == ["graph.svg"]
    assert not list((fresh.folder / "target").rglob("*.rlib"))


@pytest.mark.toolchain
def test_after_a_build_all_is_fresh_with_time_and_size(bench: Workbench) -> None:
    bench.build()
    told = graph_of(f"crate={bench.folder}")
    assert states(told) == dict.fromkeys(NAMES, "fresh")
    assert all(each["seconds"] >= 0 and each["bytes"] > 0 for each in told["stages"]["nodes"])
    assert set(states(told, "crates").values()) == {"fresh"}
    own = node(told, "bench@0.1.0")
    assert own["derivatives"] == ["df: reverse mode of bench::f"]
    bitcode = (bench.output() / "stages/02-crate_bitcode/bitcode").glob("*-bench/*.bc")
    assert own["bytes"] == sum(module.stat().st_size for module in bitcode)
    assert node(told, "autodiff_macros@0.1.0")["proc_macro"]
    read = {name: nx.node_link_graph(told[name], edges="edges") for name in ("stages", "crates")}
    assert nx.is_directed_acyclic_graph(read["stages"])
    assert read["stages"].edges["opt1", "abi_fixup"]["role"] == "module"
    assert read["crates"].has_edge("bench@0.1.0", "autodiff@0.1.0")


@pytest.mark.toolchain
def test_each_crate_has_the_time_that_cargo_took(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are compiled: what other tests have compiled took its time in another run of the stage."""
    monkeypatch.delenv(host_crates.FOLDER)
    fresh = bench.copy(tmp_path / "fresh")
    (fresh.folder / "build.rs").write_text("fn main() { std::thread::sleep(std::time::Duration::from_millis(300)) }\n")
    fresh.build("from=crate_bitcode")
    told = graph_of(f"crate={fresh.folder}")
    took = {each["id"]: each["seconds"] for each in told["crates"]["nodes"]}
    (stage,) = [each["seconds"] for each in told["stages"]["nodes"] if each["id"] == "crate_bitcode"]
    assert min(took.values()) > 0
    assert took["bench@0.1.0"] > 0.3
    assert sum(took.values()) <= stage * len(os.sched_getaffinity(0))
    assert fresh.doit("graph").returncode == 0
    svg = ET.parse(fresh.output() / "graph.svg").getroot()
    assert f"yours, build script, {took['bench@0.1.0']:.2f} s" in text(svg)
    (fresh.output() / "stages/02-crate_bitcode.times").write_text("{")
    assert {each["seconds"] for each in graph_of(f"crate={fresh.folder}")["crates"]["nodes"]} == {None}


@pytest.mark.toolchain
def test_an_edit_makes_the_crate_stale_and_all_after_it_wait(bench: Workbench) -> None:
    bench.build()
    time.sleep(0.02)  # the clock by which files are dated has steps
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    told = graph_of(f"crate={bench.folder}")
    assert states(told) == dict.fromkeys(NAMES, "waits") | {"build_std": "fresh", "crate_bitcode": "stale"}
    assert reason(told, "crate_bitcode") == "sources were edited: src/main.rs"
    assert reason(told, "link") == "it runs only if crate_bitcode makes something else"
    crates = states(told, "crates")
    assert {name for name, state in crates.items() if state != "fresh"} == {"bench@0.1.0"}
    assert reason(told, "bench@0.1.0", "crates") == "edited: src/main.rs"
    said = bench.doit("graph").stdout
    assert "stages: 1 fresh, 1 stale, 7 waits" in said
    assert "stale: crate_bitcode: sources were edited: src/main.rs" in said
    bench.build()
    assert set(states(graph_of(f"crate={bench.folder}")).values()) == {"fresh"}
    assert (bench.output() / "graph.svg").exists()
    assert bench.doit("clean").returncode == 0
    assert not bench.output().exists()


@pytest.mark.toolchain
def test_a_setting_makes_one_stage_stale_and_a_program_that_is_gone_the_last(bench: Workbench) -> None:
    bench.build()
    told = graph_of(f"crate={bench.folder}", "opt2.level=1", "enzyme.fast_math=false")
    assert states(told) == dict.fromkeys(NAMES, "fresh") | {
        "enzyme": "stale",
        "opt2": "stale",
        "codegen": "waits",
        "link": "waits",
    }
    assert reason(told, "opt2").startswith("`level` was 3, is 1")
    assert reason(told, "enzyme").startswith("`fast_math` was true, is false")
    assert reason(told, "link") == "it runs only if opt2 makes something else"
    (bench.output() / "bench").unlink()
    told = graph_of(f"crate={bench.folder}")
    assert states(told) == dict.fromkeys(NAMES, "fresh") | {"link": "stale"}
    assert reason(told, "link") == "the artifact was removed or replaced (the cache has what it would make)"


@pytest.mark.toolchain
def test_another_strategy_has_a_graph_of_its_own(bench: Workbench) -> None:
    bench.build()
    told = graph_of(f"crate={bench.folder}", "config=slice")
    edges = {(each["source"], each["target"], each["role"]) for each in told["stages"]["edges"]}
    assert ("llvm_link", "link", "merged") in edges
    without = graph_of(f"crate={bench.folder}", "config=single-module-merge", "autodiff=false")
    assert [each["id"] for each in without["stages"]["nodes"]] == [
        name for name in NAMES if name not in ("abi_fixup", "enzyme")
    ]


@pytest.mark.toolchain
def test_derivatives_of_a_library_are_in_that_library() -> None:
    arguments = (f"crate={WORKSPACE}", "package=app", "bin=app")
    built = doit("build", *arguments)
    assert built.returncode == 0, built.stderr
    told = graph_of(*arguments)
    assert [each.partition(":")[0] for each in node(told, "physics@0.1.0")["derivatives"]] == ["d_energy", "d_stretched"]
    assert [each.partition(":")[0] for each in node(told, "app@0.1.0")["derivatives"]] == ["t_own"]
    assert "plain@0.1.0" not in states(told, "crates")
    said = doit("graph", *arguments).stdout
    assert said.startswith(f"{(WORKSPACE / 'app/target/crategrad/default/app.graph.svg').relative_to(ROOT)}\n")
    assert "derivatives in app@0.1.0, physics@0.1.0" in said


@pytest.mark.toolchain
def test_cargos_cycles_are_drawn(tmp_path: Path) -> None:
    """`app` is tested with `helper`, which uses `app`."""
    for name, dependency in (("app", "[dev-dependencies]\nhelper"), ("helper", "[dependencies]\napp")):
        (tmp_path / name / "src").mkdir(parents=True)
        manifest = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2024"\n{dependency}'
        (tmp_path / name / "Cargo.toml").write_text(f'{manifest} = {{ path = "../{"helper" if name == "app" else "app"}" }}\n')
        (tmp_path / name / "src/lib.rs").write_text("")
    (tmp_path / "app/src/main.rs").write_text("fn main() {}\n")
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["app", "helper"]\nresolver = "3"\n')
    finished = doit("graph", f"crate={tmp_path}", "bin=app")
    assert finished.returncode == 0, finished.stderr
    svg = ET.parse(tmp_path / "app/target/crategrad/default/graph.svg").getroot()
    there_and_back = {"app@0.1.0 → helper@0.1.0 (dev)", "helper@0.1.0 → app@0.1.0 (normal)"}
    assert there_and_back == {told for told in tooltips(svg, "edge") if "@" in told}
    assert "helper@0.1.0\nyours\nnot made: this artifact does without it" in tooltips(svg, "node")
    of_tests = graph_of(f"crate={tmp_path}", "bin=app", "tests=1")
    assert reason(of_tests, "helper@0.1.0", "crates") == "crate_bitcode: it has not run here"


@pytest.mark.toolchain
def test_example_is_drawn_where_nobody_names_a_crate(tmp_path: Path) -> None:
    finished = doit("graph", f"--out={tmp_path / 'deep' / 'graph.svg'}")
    assert finished.returncode == 0, finished.stderr
    svg = ET.parse(tmp_path / "deep" / "graph.svg").getroot()
    assert len([told for told in tooltips(svg, "node") if told.startswith(NAMES)]) == len(NAMES)
    assert "hello 0.1.0" in text(svg)


# ---- What cannot be drawn


def refused(*arguments: str, code: int = 1) -> str:
    finished = doit("graph", *arguments)
    assert (finished.returncode, finished.stdout) == (code, "")
    assert "Traceback" not in finished.stderr
    return finished.stderr


@pytest.mark.toolchain
def test_what_cannot_be_drawn_is_said_once(bench: Workbench, tmp_path: Path) -> None:
    assert "shipped configs: " in refused("config=nowhere", code=3)
    assert "is no crate: it has no Cargo.toml" in refused(f"crate={tmp_path}", code=3)
    assert "--most=0: expected 1 or more" in refused("--most=0", code=3)
    lost = bench.copy(tmp_path / "lost")
    lost.write(CUBE, MANIFEST.replace("[dependencies]", '[dependencies]\nnobody = { path = "nowhere" }'))
    assert "nowhere/Cargo.toml" in refused(f"crate={lost.folder}")
    said = refused(f"crate={bench.folder}", "features=trebled")
    assert said.startswith("error: cargo cannot tell the crates of")
    assert "trebled" in said
