"""Carrying out a plan: look up, else run in scratch and publish; and what is left beside the crate for people to look at.

<crate>/target/crategrad/<config>/<binary>               the artifact; others lie beside it, as in `examples/<name>`
<crate>/target/crategrad/<config>/stages/04-opt1.json    which tree of the store the stage's output is, and its key
<crate>/target/crategrad/<config>/stages/04-opt1         that tree (a link into the cache)
<crate>/target/crategrad/<config>/stages/04-opt1.log     what its tools said
<crate>/target/crategrad/<config>/stages/04-opt1.bc      what `keep=1` leaves of it (`keeping`)
<crate>/target/crategrad/<config>/replay/04-opt1/        what `./doit replay` leaves (`replay`)
<crate>/target/crategrad/<config>/graph.svg              what `./doit graph` drew

For an artifact other than the default one they are in a folder of its own: `stages/examples/<name>/04-opt1`; and the drawing
is `examples/<name>.graph.svg`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec

from pipeline.crate import Crate, file_digests, note_files_read, snapshot, sources_digest
from pipeline.digests import Digests
from pipeline.edited import Edit
from pipeline.errors import UserError
from pipeline.key import describe, stage_key
from pipeline.plan import Step
from pipeline.runs import Runs
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.store import Entry, Store, write_whole
from pipeline.why import Parts, parts

EDITED = "edited"
"""How that came to be which is made of a module edited by hand."""


@dataclass(frozen=True)
class Made:
    """What a step's output is: under which key, which tree, how it came (`ran`, `hit`, EDITED), in how many seconds, when."""

    key: str
    tree: str
    how: str
    seconds: float
    when: float
    parts: Parts = field(default_factory=dict)
    """What the key was made of, for whoever asks why it is another now; nothing, where an older version made it."""


class Build:
    """A plan being carried out for a crate and a config, in the folder where the config's artifacts appear."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        crate: Crate,
        folder: Path,
        store: Store,
        digests: Digests,
        runs: Runs,
        edit: Edit | None = None,
    ) -> None:
        self.steps = {step.name: step for step in steps}
        self.crate = crate
        self.folder = folder
        self.store = store
        self.digests = digests
        self.runs = runs
        self.edit = edit

    @property
    def product(self) -> Path:
        """Where the artifact appears."""
        return self.folder / self.crate.artifact.place

    @property
    def drawing(self) -> Path:
        """Where its graph is drawn."""
        return self.folder / "graph.svg" if self.crate.is_default else self.product.with_name(f"{self.product.name}.graph.svg")

    def replay(self, name: str) -> Path:
        """Where a stage is left as a script (`./doit replay`)."""
        return self._own("replay") / self.view(name).name

    @property
    def _views(self) -> Path:
        return self._own("stages")

    def _own(self, folder: str) -> Path:
        """The folder of that name which the artifact has for itself."""
        return self.folder / folder if self.crate.is_default else self.folder / folder / self.crate.artifact.place

    def handle(self, name: str) -> Path:
        """The file that says what a stage's output is."""
        return self.view(name, ".json")

    def made(self, name: str) -> Made | None:
        """What a stage has made, if its handle can be read and its tree is there."""
        try:
            made = msgspec.json.decode(self.handle(name).read_bytes(), type=Made)
        except (OSError, msgspec.MsgspecError):
            return None
        return made if self.store.has(made.tree) else None

    def output(self, name: str) -> Path:
        """The folder of a stage's output.

        Raises: UserError where it is not there or not whole.
        """
        made = self.made(name)
        if made is None:
            raise UserError(f"error: {name} has made nothing for this crate and config yet\n  = help: run it without -s")
        if not self.store.intact(made.tree):
            raise UserError(f"error: what {name} had made was damaged; it is gone now\n  = help: run the same command again")
        return self.store.tree(made.tree)

    def is_fresh(self, name: str) -> bool:
        """True where a stage's output is there and was made of what there is now."""
        made = self.made(name)
        if made is None or made.key != self._key(self.steps[name]):
            return False
        return name != "link" or self._is_installed(made)

    def parts_now(self, name: str) -> Parts:
        """What the key of a stage is made of as things are, but for the inputs that are not made."""
        return self._parts(self.steps[name])

    def is_cached(self, name: str) -> bool:
        """True where a stage would find its output in the store; what lies there is not read."""
        key = self._key(self.steps[name])
        return key is not None and self.store.knows(key)

    def key_of(self, name: str, trees: Mapping[str, str]) -> str:
        """The key of a stage if earlier ones left these trees."""
        step = self.steps[name]
        return self._key_by(step, {role: trees[source] for role, source in step.inputs.items()})

    def carry_out(self, name: str, *, because: str = "") -> None:
        """Run a step, or take its output from the store; it runs whatever the store has `because` somebody wants it to."""
        with self.runs.recording(self, name, because):
            self._carry_out(self.steps[name], again=bool(because))

    def _carry_out(self, step: Step, *, again: bool) -> None:
        name = step.name
        inputs = {role: self.output(source) for role, source in step.inputs.items()}
        key = self._key(step)
        assert key is not None, "a step with all its inputs has a key"
        is_edited = self.edit is not None and self.edit.concerns(name)
        entry = None if again or is_edited else self.store.find(key)
        how = "hit" if entry else EDITED if is_edited else "ran"
        if entry is None:
            step, key, entry = self._run(step, inputs, key)
        _install(self.store.log(key), self.view(name, ".log"))
        self._show(name, Made(key, entry.tree, how, entry.seconds, time.time(), self._parts(step)))
        if name == "link":
            _install(self.store.tree(entry.tree) / self.crate.artifact.file, self.product)

    def clean(self, name: str) -> None:
        """Take away what a stage left beside the crate."""
        import shutil

        view = self.view(name)
        for path in (view, *view.parent.glob(f"{view.name}.*")):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.replay(name), ignore_errors=True)
        if name == "link":
            self.product.unlink(missing_ok=True)
            self.drawing.unlink(missing_ok=True)
        for left in (self._views, self._own("replay"), self.product.parent):
            for folder in _up_to(self.folder, left):
                with suppress(OSError):
                    folder.rmdir()

    def _run(self, step: Step, inputs: dict[str, Path], key: str) -> tuple[Step, str, Entry]:
        """The output of a step's tools, and its key; of crate_bitcode the step with the sources that cargo has read."""
        with self.store.scratch() as scratch:
            out, log = scratch / "out", scratch / "log"
            out.mkdir()
            log.touch()
            before = snapshot(self.crate)
            begin = time.monotonic()
            try:
                given = self.edit.given_to(step.name, inputs, scratch, log) if self.edit else inputs
                step.stage.run(given, out, log)
            except UserError as error:
                raise UserError(f"{error.message}\n  = log: {self.view(step.name, '.log')}") from error
            finally:
                _install(log, self.view(step.name, ".log"))
            seconds = time.monotonic() - begin
            if isinstance(step.stage, CrateBitcode):
                step = self._what_was_built(step, step.stage, before == snapshot(self.crate))
                key = stage_key(step.stage, self._trees(step), self.digests)
            return step, key, self.store.publish(key, out, log, seconds)

    def _what_was_built(self, step: Step, stage: CrateBitcode, untouched: bool) -> Step:
        """The step once cargo has run: it may have written the lock, and read files of which nobody knew.

        Raises: UserError where a source was edited while cargo was at work: nobody knows what was built.
        """
        if not untouched:
            raise UserError("error: a source file changed while the crate was built\n  = help: run the same command again")
        crate = note_files_read(self.crate, stage.dep_info())
        return replace(step, stage=replace(stage, sources=sources_digest(crate, self.digests)))

    def _key(self, step: Step) -> str | None:
        """The key of a step as things are; None while an input is not made."""
        trees = self._trees(step)
        return self._key_by(step, trees) if len(trees) == len(step.inputs) else None

    def _key_by(self, step: Step, trees: Mapping[str, str]) -> str:
        """The key of a step of which these are the inputs, by role."""
        key = stage_key(step.stage, trees, self.digests)
        return self.edit.key(key) if self.edit and self.edit.concerns(step.name) else key

    def _parts(self, step: Step) -> Parts:
        found = parts(describe(step.stage, self._trees(step), self.digests))
        return {**found, "files": file_digests(self.crate)} if isinstance(step.stage, CrateBitcode) else found

    def _trees(self, step: Step) -> dict[str, str]:
        """The trees of a step's inputs, as far as they are made."""
        made = {role: self.made(source) for role, source in step.inputs.items()}
        return {role: each.tree for role, each in made.items() if each}

    def _is_installed(self, made: Made) -> bool:
        """True where the artifact is the very one that link made: neither removed nor replaced since."""
        linked = self.store.tree(made.tree) / self.crate.artifact.file
        return self.product.is_file() and self.digests.file(self.product) == self.digests.file(linked)

    def _show(self, name: str, made: Made) -> None:
        view = self.view(name)
        view.parent.mkdir(parents=True, exist_ok=True)
        view.unlink(missing_ok=True)
        view.symlink_to(self.store.tree(made.tree).resolve())
        write_whole(self.handle(name), json.dumps(asdict(made)).encode())

    def view(self, name: str, ending: str = "") -> Path:
        """Where what a stage left is to be seen."""
        return self._views / f"{self.steps[name].number:02}-{name}{ending}"


def _up_to(top: Path, folder: Path) -> list[Path]:
    """The folder and those above it, as far as `top`."""
    return [each for each in (folder, *folder.parents) if each.is_relative_to(top)]


def _install(made: Path, place: Path) -> None:
    """Copy a file to its place, whole or not at all; a running program of that name is not disturbed."""
    import shutil

    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = place.with_name(f".{place.name}.new")
    shutil.copy2(made, scratch)
    scratch.replace(place)
