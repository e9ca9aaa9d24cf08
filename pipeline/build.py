"""Carrying out a plan: look up, else run in scratch and publish; and what is left beside the crate for people to look at.

<crate>/target/crategrad/<config>/<binary>               the artifact; others lie beside it, as in `examples/<name>`
<crate>/target/crategrad/<config>/stages/04-opt1.json    which tree of the store the stage's output is, and its key
<crate>/target/crategrad/<config>/stages/04-opt1         that tree (a link into the cache)
<crate>/target/crategrad/<config>/stages/04-opt1.log     what its tools said

<crate>/target/crategrad/<config>/graph.svg              what `./doit graph` drew

For an artifact other than the default one they are in a folder of its own: `stages/examples/<name>/04-opt1`; and the drawing
is `examples/<name>.graph.svg`.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec

from pipeline.cache import Cache
from pipeline.crate import Crate, note_files_read, snapshot, sources_digest
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.key import describe, stage_key
from pipeline.plan import Step
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.store import Entry, replacing, write_whole
from pipeline.why import Parts, parts

_NEVER_EMPTY = (".bc", ".o", ".a")


@dataclass(frozen=True)
class Made:
    """What a step's output is: under which key, which tree, how it came (`ran`, `hit`, `fetched`), in how long, when."""

    key: str
    tree: str
    how: str
    seconds: float
    when: float
    parts: Parts = field(default_factory=dict)
    """What the key was made of, for whoever asks why it is another now; nothing, where an older version made it."""


class Build:
    """A plan being carried out for a crate and a config, in the folder where the config's artifacts appear."""

    def __init__(self, steps: tuple[Step, ...], crate: Crate, folder: Path, store: Cache, digests: Digests) -> None:
        self.steps = {step.name: step for step in steps}
        self.crate = crate
        self.folder = folder
        self.store = store
        self.digests = digests

    @property
    def product(self) -> Path:
        """Where the artifact appears."""
        return self.folder / self.crate.artifact.place

    @property
    def drawing(self) -> Path:
        """Where its graph is drawn."""
        return self.folder / "graph.svg" if self.crate.is_default else self.product.with_name(f"{self.product.name}.graph.svg")

    @property
    def _views(self) -> Path:
        stages = self.folder / "stages"
        return stages if self.crate.is_default else stages / self.crate.artifact.place

    def handle(self, name: str) -> Path:
        """The file that says what a stage's output is."""
        return self._view(name, ".json")

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

    def carry_out(self, name: str, *, again: bool = False) -> None:
        """Run a step, or take its output from the cache; `again` runs it whatever the cache has."""
        try:
            self._carry_out(name, again)
        except OSError as error:
            if not self.store.do_without(error):
                raise
            self._carry_out(name, again)

    def _carry_out(self, name: str, again: bool) -> None:
        step = self.steps[name]
        self.store.hold()
        inputs = {role: self.output(source) if again else self._input(source) for role, source in step.inputs.items()}
        key = self._key(step)
        if key is None:
            raise UserError(f"error: what {name} is to read was taken away just now\n  = help: run the same command again")
        with self.store.turn(key).held(waiting=f"{name}: waiting for another ./doit, which makes the same"):
            if again or not self.take(name):
                step, entry = self._run(step, inputs, key)
                self._present(step, entry, "ran")

    def take(self, name: str) -> bool:
        """Take a step's output from the cache; False where that does not have it."""
        step = self.steps[name]
        key = self._key(step)
        entry = self.store.find(key) if key else None
        if entry:
            self._present(step, entry, "fetched" if entry.key in self.store.fetched else "hit")
        return entry is not None

    def clean(self, name: str) -> None:
        """Take away what a stage left beside the crate."""
        for ending in ("", ".json", ".log"):
            self._view(name, ending).unlink(missing_ok=True)
        for left in self._views.glob(f".{self._view(name).name}*"):  # by a run that was killed
            left.unlink(missing_ok=True)
        if name == "link":
            self.product.unlink(missing_ok=True)
            self.drawing.unlink(missing_ok=True)
        for folder in (*_up_to(self.folder, self._views), *_up_to(self.folder, self.product.parent)):
            with suppress(OSError):
                folder.rmdir()

    def _input(self, name: str) -> Path:
        """The folder of an earlier stage's output, made again where it was damaged or has vanished."""
        made = self.made(name)
        if made is None or not self.store.intact(made.tree):
            self.carry_out(name)
        return self.output(name)

    def _run(self, step: Step, inputs: dict[str, Path], key: str) -> tuple[Step, Entry]:
        """What a step's tools made; of crate_bitcode the step with the sources that cargo has read."""
        with self.store.scratch() as scratch:
            out, log = scratch / "out", scratch / "log"
            out.mkdir()
            log.touch()
            before = snapshot(self.crate)
            begin = time.monotonic()
            try:
                step.stage.run(inputs, out, log)
            except UserError as error:
                self.store.refuse_full()  # whatever the tools say, then
                raise UserError(f"{error.message}\n  = log: {self._view(step.name, '.log')}") from error
            finally:
                _install(log, self._view(step.name, ".log"))
            seconds = time.monotonic() - begin
            _refuse_hollow(step.name, out)
            if isinstance(step.stage, CrateBitcode):
                step = self._what_was_built(step, step.stage, before == snapshot(self.crate))
                key = stage_key(step.stage, self._trees(step), self.digests)
            return step, self.store.publish(key, out, log, seconds)

    def _present(self, step: Step, entry: Entry, how: str) -> None:
        """Have the crate's folder show what a step has made."""
        with replacing(self._view(step.name, ".log")) as log:
            log.write_bytes(self.store.log(entry.key))
        self._show(step.name, Made(entry.key, entry.tree, how, entry.seconds, time.time(), self._parts(step)))
        if step.name == "link":
            _install(self.store.tree(entry.tree) / self.crate.artifact.file, self.product)

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
        return stage_key(step.stage, trees, self.digests) if len(trees) == len(step.inputs) else None

    def _parts(self, step: Step) -> Parts:
        return parts(describe(step.stage, self._trees(step), self.digests))

    def _trees(self, step: Step) -> dict[str, str]:
        """The trees of a step's inputs, as far as they are made."""
        made = {role: self.made(source) for role, source in step.inputs.items()}
        return {role: each.tree for role, each in made.items() if each}

    def _is_installed(self, made: Made) -> bool:
        """True where the artifact is the very one that link made: neither removed nor replaced since."""
        linked = self.store.tree(made.tree) / self.crate.artifact.file
        try:
            return self.digests.file(self.product) == self.digests.file(linked)
        except OSError:
            return False

    def _show(self, name: str, made: Made) -> None:
        with replacing(self._view(name)) as view:
            view.symlink_to(self.store.tree(made.tree).resolve())
        write_whole(self.handle(name), json.dumps(asdict(made)).encode())

    def _view(self, name: str, ending: str = "") -> Path:
        return self._views / f"{self.steps[name].number:02}-{name}{ending}"


def _refuse_hollow(name: str, out: Path) -> None:
    """Raises: UserError where a stage's tools ended well and left nothing, or a file with nothing in it."""
    files = [path for path in out.rglob("*") if path.is_file()]
    empty = [path.relative_to(out) for path in files if path.suffix in _NEVER_EMPTY and not path.stat().st_size]
    if empty or not files:
        what = f"an empty {empty[0]}" if empty else "nothing"
        raise UserError(f"error: the tools of {name} ended well, but left {what}\n  = help: is the disk full? the log may say")


def _up_to(top: Path, folder: Path) -> list[Path]:
    """The folder and those above it, as far as `top`."""
    return [each for each in (folder, *folder.parents) if each.is_relative_to(top)]


def _install(made: Path, place: Path) -> None:
    """Copy a file to its place, whole or not at all; a running program of that name is not disturbed."""
    import shutil

    with replacing(place) as new:
        shutil.copy2(made, new)
