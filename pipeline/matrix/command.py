"""`./doit matrix`: which cells, what is done with them, and how that is told."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import msgspec

from pipeline import config, request
from pipeline.config import ConfigError, did_you_mean, nearest
from pipeline.errors import UserError
from pipeline.gradcheck import builds
from pipeline.matrix import ci, report, running, sharding
from pipeline.matrix.reading import CONFIG, Cell, read
from pipeline.request import Request
from pipeline.rerun import Rerun
from pipeline.runs import Runs
from pipeline.yaml_source import quoted, visible

OPTIONS = ("json", "junit", "github", "jobs", "costs")


@dataclass(frozen=True)
class Options:
    """How `./doit matrix` tells what came of it; or only which cells there are (`github`), or what they cost."""

    as_json: bool = False
    junit: str = ""
    github: bool = False
    jobs: int = 0
    costs: bool = False


def run(asked: Request, means: running.Means, options: Options, names: Sequence[str]) -> bool:
    """Build these cells of the matrix, or all, as far as they are of the part that was asked for; False where one failed.

    Raises: ConfigError, before anything is run, for what is wrong in the file or in a cell's config.
    """
    if asked.rerun != Rerun(last=asked.rerun.last):
        raise ConfigError("command line: from=, with=, keep= and dry= are of one build: here they have no place")
    cells = chosen(read(asked.matrix.file, request.started_in()), names)
    layer = cache(config.read_layer)  # cells have most files in common
    requests = {cell.name: request_of(cell, asked, layer) for cell in cells}
    if options.costs:
        print(sharding.written({name: recorded(each) for name, each in requests.items()}))
        return True
    costs = _costs(asked, requests, options)
    parts = sharding.parts(costs, asked.matrix.shards)
    ours = parts[asked.matrix.shard - 1]
    if asked.matrix.shards > 1:
        _tell_parts(parts, asked.matrix.shard)
    if options.github:
        ours_by_cost = {name: costs[name] for name in ours}
        print(ci.github_jobs(sharding.parts(ours_by_cost, options.jobs) if options.jobs else [[name] for name in ours]))
        return True
    results = _run({name: requests[name] for name in ours}, means, asked.matrix.cluster)
    _tell(results, {cell.name: cell for cell in cells}, options)
    return not any(result.failure for result in results)


def _costs(asked: Request, requests: Mapping[str, Request], options: Options) -> Mapping[str, sharding.Costs]:
    """What the cells cost, as far as that matters; where others divide them, too, nothing of which they do not know."""
    if asked.matrix.costs:
        return sharding.read(asked.matrix.costs, requests)
    is_alone = options.github and asked.matrix.shards == 1
    return {name: recorded(each) if is_alone else {} for name, each in requests.items()}


def _run(requests: Mapping[str, Request], means: running.Means, address: str) -> list[running.CellResult]:
    if not address:
        return running.run(requests, means)
    from pipeline.matrix import cluster

    return cluster.run(requests, means, address)


def number_of_jobs(text: str) -> int:
    """What `--jobs=` says; 0 where it is not there.

    Raises: ConfigError where that is no number.
    """
    if re.fullmatch(r"[1-9][0-9]{0,2}", text or "1"):
        return int(text or 0)
    raise ConfigError(f"command line: --jobs={visible(text)}: expected a whole number from 1 to 999")


def chosen(cells: Sequence[Cell], names: Sequence[str]) -> list[Cell]:
    """The cells of these names, or all, in the order of the file.

    Raises: ConfigError where there is none of a name.
    """
    there = [cell.name for cell in cells]
    for name in names:
        if name not in there:
            near = did_you_mean(nearest(name, there))
            raise ConfigError(f"command line: there is no cell {quoted(name)}", near or f"there are {', '.join(there[:20])}")
    return [cell for cell in cells if not names or cell.name in names]


def request_of(cell: Cell, asked: Request, layer: config.Reader = config.read_layer) -> Request:
    """What is asked for in a cell; its config is called as it is, and so is the folder of what it makes."""
    settings = dict(cell.settings)
    start, asked_at = asked.matrix.config, ""
    if given := settings.pop(CONFIG, None):
        start, asked_at = given.value, given.place
        if "/" in start or start.endswith((".yaml", ".yml")):
            start = str(given.source.folder / start)
    loaded, _ = config.load_with_files(
        start, asked.matrix.overrides, relative_to=request.started_in(), settings=settings, asked_at=asked_at, read=layer
    )
    return replace(asked, config=msgspec.structs.replace(loaded, name=cell.name))


def recorded(asked: Request) -> sharding.Costs:
    """What the stages of a cell took, and those of the programs that check its derivatives."""
    configs = [asked.config, *(builds.variants(asked.config, asked.points.levels).values() if asked.config.check else ())]
    costs: dict[str, float] = {}
    for each in configs:
        costs |= sharding.recorded(Runs(request.cache_folder() / "runs" / replace(asked, config=each).name))
    return costs


def _tell_parts(parts: Sequence[Sequence[str]], ours: int) -> None:
    """Say who builds what: machines that say different things here have other matrices, or other files of costs."""
    for number, part in enumerate(parts, 1):
        mark = "*" if number == ours else " "
        print(f" {mark} part {number} of {len(parts)}: {' '.join(part) or 'nothing'}", file=sys.stderr)


def _tell(results: Sequence[running.CellResult], cells: Mapping[str, Cell], options: Options) -> None:
    if options.as_json:
        print(json.dumps(report.as_json(results, {name: cell.settings for name, cell in cells.items()}), indent=1))
    else:
        report.show(results)
    ci.summarise(report.markdown(results))
    if options.junit:
        file = request.started_in() / options.junit
        try:
            report.write_junit(results, file)
        except OSError as error:
            raise UserError(f"error: {request.shown(file)} cannot be written: {error.strerror}") from error
