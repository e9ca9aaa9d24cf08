"""The stages of a build as a graph: what each reads, how it stands, what it took and how much it left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.build import Build, Made
from pipeline.standing import states

if TYPE_CHECKING:
    import networkx as nx


def stage_graph(build: Build) -> nx.DiGraph:
    """The stages in order; an edge goes from a stage to one that reads its output, `role` is what that calls it.

    Nothing is run, and nothing in the cache is touched.
    """
    import networkx as nx

    graph = nx.DiGraph()
    stood = states(build)
    for name, step in build.steps.items():
        state = stood[name]
        graph.add_node(name, number=step.number, state=state.word, why=state.why, **_cost(build, build.made(name)))
        graph.add_edges_from((source, name, {"role": role}) for role, source in step.inputs.items())
    return graph


def _cost(build: Build, made: Made | None) -> dict[str, float | int | str | None]:
    if made is None:
        return {"seconds": None, "bytes": None, "made": None}
    return {"seconds": made.seconds, "bytes": build.store.size(made.tree), "made": made.when}
