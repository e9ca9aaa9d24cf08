"""What the derivatives of a program keep, function by function."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pipeline import by_name, process
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.ladder import Rung
from pipeline.perf.tape import Kept, in_source_order, read_tape
from pipeline.perf.trial import Trial, differentiate
from pipeline.places import Places
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.stages.enzyme import AT_FIRST, Derivative, Enzyme, rungs_taken


@dataclass(frozen=True)
class Differentiated:
    """A function, by its shim, and the names of its derivatives in reverse mode and of those in forward mode."""

    function: str
    place: str
    shim: str
    reverse: tuple[str, ...]
    forward: tuple[str, ...]
    outlives: bool
    """Whether memory that it allocates may be found when it has returned."""


Cost = tuple[Differentiated, Sequence[Kept]]
"""A function, and what its derivatives in reverse mode keep between their two sweeps; several are looked at together."""


def costs(build: Build, names: Sequence[str]) -> list[Cost]:
    """The costs of all differentiated functions, or of those of these names, in the order of the source; enzyme is fresh.

    Raises: UserError where there is no derivative, or none of such a name.
    """
    stage, module = build.steps["enzyme"].stage, build.output("abi_fixup")
    assert isinstance(stage, Enzyme), "the plan has it so"
    places = build.places
    derivatives = json.loads(places.told((module / DERIVATIVES).read_text()))
    if not derivatives:
        raise UserError(f"error: there is no tape: no #[autodiff…] derivative is used in {build.crate.artifact.name}")
    by_shim = groupby(sorted(derivatives, key=itemgetter("shim")), itemgetter("shim"))
    known = [_differentiated(list(its)) for _, its in by_shim]
    named = [one for name in names for one in by_name.chosen(known, name, _names, "is differentiated here")]
    wanted = sorted(dict.fromkeys(named or known), key=lambda one: in_source_order(one.place))
    rungs = rungs_taken(build.output("enzyme"))
    with build.store.scratch() as scratch:
        tried = [one for one in wanted if one.reverse]
        folders = [scratch / str(number) for number in range(len(tried))]
        taken = (_rung(stage, {rungs.get((name, one.shim), "") for name in one.reverse}) for one in tried)
        calls = [partial(_try, stage, module / MODULE, places, *each) for each in zip(tried, taken, folders, strict=True)]
        trials = dict(zip(tried, process.side_by_side(calls), strict=True))
        return [(one, read_tape(stage.libllvm, trials[one], one.shim, places) if one in trials else []) for one in wanted]


def _try(stage: Enzyme, module: Path, places: Places, wanted: Differentiated, rung: Rung, folder: Path) -> Trial:
    folder.mkdir()
    try:
        return differentiate(
            stage, module, [[{"shim": wanted.shim, "mode": "reverse", "outlives": wanted.outlives}]], rung, folder
        )
    except UserError as error:
        raise UserError(places.told(error.message)) from error


def _rung(stage: Enzyme, rungs: set[str]) -> Rung:
    """The rung by which the derivatives were had, if any was wanted."""
    return next((rung for rung in stage.ladder if rung.name in rungs), AT_FIRST)


def _differentiated(derivatives: Sequence[Derivative]) -> Differentiated:
    first = derivatives[0]
    reverse, forward = (
        tuple(one["derivative"] for one in derivatives if one["mode"] == mode) for mode in ("reverse", "forward")
    )
    return Differentiated(first["primal"], first["place"], first["shim"], reverse, forward, first["outlives"])


def _names(one: Differentiated) -> list[str]:
    return [one.function, *one.reverse, *one.forward]
