"""`dry=1`: what a build would do, and why.  Nothing is run, and nothing in the cache is read but its index.

What a stage would make is known where that lies in the cache, so that what comes after it is known, too; and where it is
not, what comes after it would run unless it comes out the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline import standing
from pipeline.build import Build
from pipeline.rerun import Rerun
from pipeline.standing import FRESH, State
from pipeline.yaml_source import visible

UP_TO_DATE, FROM_CACHE, RUN, MAYBE = "up to date", "from cache", "would run", "would run unless"


@dataclass(frozen=True)
class Forecast:
    """What would become of a stage, and why."""

    word: str
    why: str = ""

    def __str__(self) -> str:
        if self.word == MAYBE:
            return f"{self.word} {self.why}"
        return f"{self.word}{f': {self.why}' if self.why else ''}"


def forecast(build: Build, rerun: Rerun) -> dict[str, Forecast]:
    """What would become of each stage that is wanted."""
    found: dict[str, Forecast] = {}
    trees: dict[str, str] = {}
    for name, step in build.steps.items():
        if rerun.wants(name):
            unknown = [source for source in dict.fromkeys(step.inputs.values()) if source not in trees]
            if rerun.forces(name):
                found[name] = Forecast(RUN, f"from={rerun.first}")
            elif unknown:
                found[name] = _after(standing.state_of(build, name), unknown)
            else:
                found[name] = _looked_up(build, name, trees)
    return found


def _after(state: State, unknown: Sequence[str]) -> Forecast:
    """What would become of a stage after one that runs."""
    own = [change for change in state.changes if change.kind != "inputs"]
    if own or state.word == standing.NOT_MADE:
        return Forecast(RUN, f"{state.why}; or the cache has what it makes of what {' and '.join(unknown)} will have made")
    return Forecast(MAYBE, f"{' and '.join(unknown)} {'makes' if len(unknown) == 1 else 'make'} the same as before")


def _looked_up(build: Build, name: str, trees: dict[str, str]) -> Forecast:
    """What would become of a stage of which all inputs are known; what it makes is noted, where that is known, too."""
    key, made, state = build.key_of(name, trees), build.made(name), standing.state_of(build, name)
    if made and made.key == key and (state.word == FRESH or name != "link"):
        trees[name] = made.tree
        return Forecast(UP_TO_DATE)
    others = [source for source in build.steps[name].inputs.values() if _differs(build, source, trees)]
    why = state.why or f"what {' and '.join(others)} would make is another"
    if entry := build.store.entry(key):
        trees[name] = entry.tree
        return Forecast(FROM_CACHE, why)
    return Forecast(RUN, why)


def _differs(build: Build, name: str, trees: dict[str, str]) -> bool:
    made = build.made(name)
    return made is None or made.tree != trees[name]


def show(found: dict[str, Forecast], where: str) -> None:
    """Print what would be done."""
    print(f"{where}: nothing was run")
    for name, each in found.items():
        print(f"   {name:<14}{visible(str(each), 400)}")
