"""The crates that go into an artifact, as `cargo metadata` knows them, with what the last build left of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pipeline import cargo, process, why
from pipeline.artifact import Artifact
from pipeline.build import Build, Made
from pipeline.crate import Crate
from pipeline.digests import source_files
from pipeline.errors import UserError
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.stages.crate_bitcode import BITCODE, CrateBitcode
from pipeline.standing import FRESH, NOT_MADE, STALE, State, edited_since
from pipeline.targets import Target

if TYPE_CHECKING:
    import networkx as nx

FRONTEND = "autodiff"
"""The crate on which those depend that may hold derivatives."""


class Package(msgspec.Struct, frozen=True):
    """A package as cargo tells of it; `source` is nothing for one that is a folder here."""

    id: str
    name: str
    version: str
    manifest_path: str
    targets: tuple[Target, ...]
    source: str | None = None

    @property
    def folder(self) -> Path:
        """Where its manifest is."""
        return Path(self.manifest_path).parent

    @property
    def crate_name(self) -> str:
        """What Rust calls its library."""
        library = next((target for target in self.targets if target.is_library), None)
        return (library.name if library else self.name).replace("-", "_")

    def has(self, kind: str) -> bool:
        """Whether it has a target of a kind."""
        return any(kind in target.kind for target in self.targets)


class _Kind(msgspec.Struct, frozen=True):
    kind: str | None = None


class _Dependency(msgspec.Struct, frozen=True):
    pkg: str
    dep_kinds: tuple[_Kind, ...] = ()


class _Node(msgspec.Struct, frozen=True):
    id: str
    deps: tuple[_Dependency, ...]


class _Resolve(msgspec.Struct, frozen=True):
    nodes: tuple[_Node, ...]


class Resolved(msgspec.Struct, frozen=True):
    """What `cargo metadata` says: all packages, which are the user's own, and what depends on what."""

    packages: tuple[Package, ...]
    workspace_members: tuple[str, ...]
    resolve: _Resolve


def ask_cargo(build: Build) -> Resolved:
    """The packages for the host and the features that are chosen.

    Raises: UserError where cargo cannot tell, with what it says.
    """
    stage, crate = _cargos(build), build.crate
    argv: list[process.Argument] = [stage.rust.cargo, "metadata", "--format-version=1", "--filter-platform", stage.rust.triple]
    argv += ["--manifest-path", crate.folder / "Cargo.toml", *crate.flags, *(["--offline"] if stage.offline else [])]
    environment = cargo.environment(stage.rust, [], stage.target / "hooks", stage.environment)
    answer = process.ask(argv, env={**environment, "CARGO_TERM_COLOR": "never"}, cwd=crate.folder)
    if not answer.succeeded:
        raise UserError(f"error: cargo cannot tell the crates of {crate.folder}\n{process.tail(answer.output, 30)}")
    return msgspec.json.decode(answer.output, type=Resolved)


def crate_graph(resolved: Resolved, folder: Path) -> nx.DiGraph:
    """What the package in the folder depends on, and it; an edge goes to the dependency, `kinds` says for what it is.

    Tests may depend on what depends on them: there are cycles.
    """
    import networkx as nx

    packages = {package.id: package for package in resolved.packages}
    names = _names(resolved.packages)
    graph = nx.DiGraph()
    for package in resolved.packages:
        is_own = package.id in resolved.workspace_members
        graph.add_node(names[package.id], **_described(package, is_own, package.folder.resolve() == folder.resolve()))
    for node in resolved.resolve.nodes:
        for dependency in node.deps:
            kinds = sorted({each.kind or "normal" for each in dependency.dep_kinds})
            graph.add_edge(names[node.id], names[dependency.pkg], kinds=kinds or ["normal"])
    chosen = next(names[each.id] for each in packages.values() if each.folder.resolve() == folder.resolve())
    return graph.subgraph([chosen, *nx.descendants(graph, chosen)]).copy()


def _described(package: Package, is_own: bool, is_chosen: bool) -> dict[str, Any]:
    """What a node says of a package, before anything is known of its build."""
    origin = (package.source or "path").partition("+")[0]
    return {
        "name": package.name,
        "version": package.version,
        "crate": package.crate_name,
        "package": package.id,
        "origin": "workspace" if is_own else origin,
        "chosen": is_chosen,
        "proc_macro": package.has("proc-macro"),
        "build_script": package.has("custom-build"),
        "folder": None if package.source else str(package.folder),
    }


def _names(packages: Iterable[Package]) -> dict[str, str]:
    """What nodes are called: `name@version`, or as cargo does where that is not enough."""
    short = {package.id: f"{package.name}@{package.version}" for package in packages}
    counted = Counter(short.values())
    return {each: name if counted[name] == 1 else each for each, name in short.items()}


def add_what_is_built(graph: nx.DiGraph, build: Build, stages: nx.DiGraph) -> None:
    """Say of each crate how it stands, what it took, how much bitcode it left, and which derivatives it holds.

    The state of crate_bitcode says by content whether all crates are fresh; which of them are not the times of files tell.
    """
    of_stage = stages.nodes["crate_bitcode"]
    bitcode = State(of_stage["state"], of_stage["why"])
    states = _states(graph, build, bitcode)
    seconds = _seconds(build)
    sizes = _by_node(graph, _sizes(build), build.crate)
    derivatives = _derivatives(build)
    held = _by_node(graph, derivatives or {}, build.crate)
    for node, data in graph.nodes.items():
        data |= {"state": states[node].word, "why": states[node].why, "bytes": sum(sizes.get(node, [])) or None}
        data["seconds"] = seconds.get(data["package"])
        data["uses_autodiff"] = any(graph.nodes[each]["name"] == FRONTEND for each in graph.successors(node))
        data["derivatives"] = None if derivatives is None else held.get(node, [])


def _states(graph: nx.DiGraph, build: Build, bitcode: State) -> dict[str, State]:
    built = _built(graph, build.crate.artifact)
    unused = dict.fromkeys(graph, State(NOT_MADE, "this artifact does without it"))
    return unused | _states_of_built(built, build, bitcode)


def _built(graph: nx.DiGraph, artifact: Artifact) -> nx.DiGraph:
    """The crates that the artifact is built of, or by: what is for tests only counts for the tests of the chosen package."""
    import networkx as nx

    chosen = next(node for node, is_chosen in graph.nodes.data("chosen") if is_chosen)
    tests = artifact.is_test or artifact.kind == "example"
    edges = [(a, b) for a, b, kinds in graph.edges.data("kinds") if kinds != ["dev"] or (tests and a == chosen)]
    used = graph.edge_subgraph(edges)
    return graph.subgraph([chosen]) if chosen not in used else used.subgraph([chosen, *nx.descendants(used, chosen)])


def _states_of_built(built: nx.DiGraph, build: Build, bitcode: State) -> dict[str, State]:
    made = build.made("crate_bitcode")
    if made is None:
        return dict.fromkeys(built, State(NOT_MADE, f"crate_bitcode: {bitcode.why}"))
    if bitcode.word == FRESH:
        return dict.fromkeys(built, State(FRESH))
    edited = _edited(built, made)
    if not edited or _concerns_all(build, made):
        return dict.fromkeys(built, State(bitcode.word, f"crate_bitcode: {bitcode.why}"))
    return {node: _state_by_files(built, node, edited) for node in built}


def _edited(graph: nx.DiGraph, made: Made) -> dict[str, str]:
    """The crates of which sources are younger than the bitcode, with their names."""
    found = {}
    for node, folder in graph.nodes.data("folder"):
        if folder and (files := edited_since(made, map(Path, source_files(Path(folder))))):
            found[node] = why.first_of([str(path.relative_to(folder)) for path in files])
    return found


def _concerns_all(build: Build, made: Made) -> bool:
    """True where more than sources is another, or where the lock is: which crates that concerns is cargo's to know."""
    was, now = made.parts, build.parts_now("crate_bitcode")
    if not was or why.told(why.changes(was, now)) or why.changed("inputs", was, now):
        return True
    packages = build.crate.packages
    manifests = [folder / name for folder in packages for name in ("Cargo.lock", "Cargo.toml", ".cargo/config.toml")]
    return bool(edited_since(made, [*manifests, *build.crate.ambient, *build.crate.read]))


def _state_by_files(built: nx.DiGraph, node: str, edited: Mapping[str, str]) -> State:
    import networkx as nx

    if node in edited:
        return State(STALE, f"edited: {edited[node]}")
    below = [each for each in edited if each in nx.descendants(built, node)]
    return State(STALE, f"it uses {why.first_of(below)}, which was edited") if below else State(FRESH)


def _seconds(build: Build) -> dict[str, float]:
    """What cargo took for each package when it compiled it last, as far as that is known."""
    try:
        return msgspec.json.decode(build.times.read_bytes(), type=dict[str, float]) if build.made("crate_bitcode") else {}
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return {}


def _sizes(build: Build) -> dict[str, list[int]]:
    """The bytes of each module of bitcode that the last build left, by crate."""
    made = build.made("crate_bitcode")
    found: dict[str, list[int]] = {}
    for module in (build.store.tree(made.tree) / BITCODE).glob("*/*.bc") if made else ():
        found.setdefault(module.parent.name.partition("-")[2], []).append(module.stat().st_size)
    return found


def _derivatives(build: Build) -> dict[str, list[str]] | None:
    """The derivatives of the last build, by the crate that has the function; None where nobody knows them."""
    made = build.made("abi_fixup") if "abi_fixup" in build.steps else None
    try:
        listed = json.loads((build.store.tree(made.tree) / DERIVATIVES).read_bytes()) if made else None
    except (OSError, ValueError):  # damaged: a build makes it again
        listed = None
    if listed is None:
        return None
    found: dict[str, list[str]] = {}
    for each in listed:
        told = f"{each['derivative']}: {each['mode']} mode of {each['primal']}"
        of_crate = found.setdefault(each["primal"].partition("::")[0], [])
        if told not in of_crate:  # one for each monomorphisation
            of_crate.append(told)
    return found


def _by_node(graph: nx.DiGraph, by_crate: Mapping[str, list[Any]], crate: Crate) -> dict[str, list[Any]]:
    """What is known by the name of a crate, by node; of two versions of a crate nobody knows which it is.

    The artifact is a crate by itself, of the chosen package.
    """
    counted = Counter(graph.nodes[node]["crate"] for node in graph)
    found: dict[str, list[Any]] = {}
    for node, data in graph.nodes.items():
        own = {crate.artifact.name, crate.artifact.name.replace("-", "_")} if data["chosen"] else set()
        others = {data["crate"]} if counted[data["crate"]] == 1 else set()
        found[node] = [each for name in sorted(own | others) for each in by_crate.get(name, [])]
    return found


def _cargos(build: Build) -> CrateBitcode:
    stage = build.steps["crate_bitcode"].stage
    assert isinstance(stage, CrateBitcode), "it is cargo that makes bitcode"
    return stage
