"""The stages and the crates as one SVG, laid out by Graphviz's `dot`: any browser opens it, light or dark."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from pipeline import process
from pipeline.errors import UserError
from pipeline.graph.choosing import THROUGH
from pipeline.standing import FRESH, STALE, WAITS
from pipeline.why import first_of
from pipeline.yaml_source import visible

if TYPE_CHECKING:
    import networkx as nx

DOT = Path("/usr/bin/dot")
HOW_TO_GET_DOT = "apt-get install graphviz"

_PATIENCE_S = 120
_SVG = "http://www.w3.org/2000/svg"
_WIDTH = 34
_DENSE = 500
"""From so many edges on the layout is not made as good as it could be."""

_LOOK = """
svg { --paper: #fff; --ink: #1b1f24; --line: #8a93a0; --frame: #c9ced6; --accent: #3b5bdb;
  --plain: #f3f4f6; --fresh: #dff3e3; --stale: #ffd9c9; --waits: #fff2c2; background: var(--paper); }
@media (prefers-color-scheme: dark) {
  svg { --paper: #16181c; --ink: #e6e9ee; --frame: #454c57; --accent: #91a7ff;
    --plain: #2a2e35; --fresh: #17402a; --stale: #5e2b17; --waits: #4d4212; }
}
text { fill: var(--ink); font-family: system-ui, sans-serif; }
.cluster path { fill: none; stroke: var(--frame); }
.node path { fill: var(--plain); stroke: var(--line); }
.fresh path { fill: var(--fresh); }
.stale path { fill: var(--stale); }
.waits path { fill: var(--waits); }
.holder path { stroke: var(--accent); }
.edge path, .edge polygon { stroke: var(--line); }
.edge polygon { fill: var(--line); }
.edge:hover path, .edge:hover polygon { stroke: var(--accent); }
"""

_KEY = "green: fresh · red: stale · yellow: waits for one before it · grey: not made · ∂: holds derivatives"
_STYLES = {"dev": "dashed", THROUGH: "dotted"}


def draw(title: str, stages: nx.DiGraph, crates: nx.DiGraph, note: str) -> str:
    """The text of the SVG; `note` stands below the crates' title.

    Raises: UserError where dot is not there, or does not get done.
    """
    names = {node: f"s{number}" for number, node in enumerate(stages)}
    names |= {node: f"c{number}" for number, node in enumerate(crates)}
    tooltips = {names[node]: _stage_told(node, data) for node, data in stages.nodes.items()}
    tooltips |= {names[node]: _crate_told(node, data) for node, data in crates.nodes.items()}
    for graph in (stages, crates):
        tooltips |= {f"{names[a]}->{names[b]}": _edge_told(a, b, data) for (a, b), data in graph.edges.items()}
    tooltips |= {"cluster_stages": "stages", "cluster_crates": note or "crates", "all": title}
    return _with_tooltips(_lay_out("\n".join(_dot(title, stages, crates, note, names))), tooltips)


def write(file: Path, svg: str) -> None:
    """Put the drawing there, whole or not at all.

    Raises: UserError where that cannot be.
    """
    scratch = file.with_name(f".{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(svg.encode())
        scratch.replace(file)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise UserError(f"error: {file} cannot be written: {error.strerror}\n  = help: --out=FILE draws elsewhere") from None


def size_of(number: int) -> str:
    """Bytes as people say them: `15.7 MB`."""
    return next(
        (f"{number / unit:.1f} {name}" for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")) if number >= unit),
        f"{number} B",
    )


def _dot(title: str, stages: nx.DiGraph, crates: nx.DiGraph, note: str, names: Mapping[str, str]) -> Iterator[str]:
    """The input of dot.  All text is in labels of its HTML kind: what is escaped there is plain everywhere."""
    yield "digraph all {"
    yield "rankdir=LR; nodesep=0.12; ranksep=0.45; fontname=sans; labelloc=t; labeljust=l; bgcolor=transparent"
    yield 'node [shape=box style="rounded,filled" fontname=sans fontsize=11 margin="0.1,0.05" height=0.3]'
    yield "edge [arrowsize=0.6]"
    if crates.number_of_edges() > _DENSE:
        yield "nslimit=1; mclimit=0.2"  # or dot would take minutes for a few crossings less
    yield f"label=<{_big(title)}<BR ALIGN='LEFT'/>{_small(_KEY)}<BR ALIGN='LEFT'/>>"
    yield "subgraph cluster_stages { labeljust=l; style=rounded; label=<<B>stages</B>>"
    yield from (_node(names[node], _stage_lines(node, data), data["state"]) for node, data in stages.nodes.items())
    yield "}"
    notes = "".join(f"{_small(line)}<BR ALIGN='LEFT'/>" for line in (note, *_key_to_edges(crates)) if line)
    yield f"subgraph cluster_crates {{ labeljust=l; style=rounded; label=<<B>crates</B><BR ALIGN='LEFT'/>{notes}>"
    for node, data in crates.nodes.items():
        looks = f"{data['state']} holder" if data["derivatives"] else data["state"]
        yield _node(names[node], _crate_lines(data), looks, 2.5 if data["derivatives"] else 1)
    yield "}"
    yield from (f"{names[a]} -> {names[b]}" for a, b in stages.edges)
    for a, b, kinds in crates.edges.data("kinds"):
        yield f"{names[a]} -> {names[b]} [style={_STYLES.get(' '.join(kinds), 'solid')}]"
    yield "}"


def _key_to_edges(crates: nx.DiGraph) -> Iterator[str]:
    """What the edges mean that are not whole lines, if there are any."""
    there = {kind for _, _, kinds in crates.edges.data("kinds") for kind in kinds}
    if "dev" in there:
        yield "dashed: for tests, examples and benches only"
    if THROUGH in there:
        yield "dotted: through crates that are left out"


def _node(name: str, lines: list[str], looks: str, width: float = 1) -> str:
    first, *rest = lines
    label = f"<B>{_plain(first)}</B>" + "".join(f"<BR/>{_small(line)}" for line in rest)
    return f'{name} [label=<{label}> class="{looks}" penwidth={width}]'


def _stage_lines(name: str, data: Mapping[str, Any]) -> list[str]:
    cost = [] if data["seconds"] is None else [f"{data['seconds']:.2f} s, {size_of(data['bytes'])}"]
    return [name, *cost, *_standing(data)]


def _crate_lines(data: Mapping[str, Any]) -> list[str]:
    what = ", ".join([*_roles(data), *_time(data), *([size_of(data["bytes"])] if data["bytes"] else [])])
    held = [each.partition(":")[0] for each in data["derivatives"] or ()]
    lines = [
        f"{data['name']} {data['version']}",
        what,
        f"∂ {first_of(held)}" if held else "",
        data["state"] if data["state"] == STALE else "",
    ]
    return [line for line in lines if line]


def _standing(data: Mapping[str, Any]) -> list[str]:
    """The state, where it is not `fresh`; and why, as far as there is room and nobody before it says so."""
    if data["state"] == FRESH:
        return []
    return [data["state"], *(_wrapped(data["why"]) if data["state"] != WAITS else [])]


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, _WIDTH, max_lines=4, placeholder=" …")


def _roles(data: Mapping[str, Any]) -> list[str]:
    """What a crate is to the build."""
    own = {"workspace": "yours", "path": "path", "git": "git"}.get(data["origin"])
    roles = [own, "proc macro" if data["proc_macro"] else None, "build script" if data["build_script"] else None]
    return [role for role in roles if role]


def _time(data: Mapping[str, Any]) -> list[str]:
    return [] if data["seconds"] is None else [f"{data['seconds']:.2f} s"]


def _stage_told(name: str, data: Mapping[str, Any]) -> str:
    return "\n".join([name, *_state_told(data), *_stage_lines(name, data)[1:2]])


def _crate_told(name: str, data: Mapping[str, Any]) -> str:
    cost = [
        *(f"compiled in {time}" for time in _time(data)),
        *([f"bitcode: {size_of(data['bytes'])}"] if data["bytes"] else []),
    ]
    return "\n".join([name, *_roles(data), *_state_told(data), *cost, *(data["derivatives"] or ())])


def _state_told(data: Mapping[str, Any]) -> list[str]:
    return [f"{data['state']}: {data['why']}" if data["why"] else data["state"]]


def _edge_told(a: str, b: str, data: Mapping[str, Any]) -> str:
    what = f"through {data['between']} that are left out" if "between" in data else data.get("role") or ", ".join(data["kinds"])
    return f"{a} → {b} ({what})"


def _plain(text: str) -> str:
    return html.escape(visible(text, 200))


def _small(text: str) -> str:
    return f'<FONT POINT-SIZE="9">{_plain(text)}</FONT>'


def _big(text: str) -> str:
    return f'<FONT POINT-SIZE="16">{_plain(text)}</FONT>'


def _lay_out(dot: str) -> str:
    if not DOT.exists():
        raise UserError(
            f"error: {DOT} is missing, which lays the graph out\n  = help: {HOW_TO_GET_DOT}; or --json draws nothing"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "graph.dot")
        source.write_bytes(dot.encode())
        try:
            answer = process.ask([DOT, "-Tsvg", source], env=os.environ, timeout_s=_PATIENCE_S)
        except TimeoutError:
            why = f"dot did not get done with the drawing in {_PATIENCE_S} s"
            raise UserError(f"error: {why}\n  = help: --most=40 draws fewer crates") from None
    if not answer.succeeded:
        raise UserError(f"error: dot failed ({answer.verdict})\n{process.tail(answer.output)}")
    return answer.output


def _with_tooltips(svg: str, tooltips: Mapping[str, str]) -> str:
    """The drawing with the look of ours, and in each `<title>`, which browsers show as a tooltip, what there is to say."""
    ET.register_namespace("", _SVG)
    root = ET.fromstring(svg)  # noqa: S314 - dot has just written it
    for title in root.iter(f"{{{_SVG}}}title"):
        title.text = "\n".join(visible(line, 400) for line in tooltips.get(title.text or "", "").split("\n"))
    look = ET.Element(f"{{{_SVG}}}style")
    look.text = _LOOK
    root.insert(0, look)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"
