"""Carrying out a plan: look up, else run in scratch and publish; and what is left beside the crate for people to look at.

<crate>/target/crategrad/<config>/<binary>               the artifact; others lie beside it, as in `examples/<name>`
<crate>/target/crategrad/<config>/stages/04-opt1.json    which tree of the store the stage's output is, and its key
<crate>/target/crategrad/<config>/stages/04-opt1         that tree (a link into the cache)
<crate>/target/crategrad/<config>/stages/04-opt1.log     what its tools said
<crate>/target/crategrad/<config>/stages/04-opt1.bc      what `keep=1` leaves of it (`keeping`)
<crate>/…/stages/02-crate_bitcode.times                  what cargo took for each package, by its id (JSON)
<crate>/target/crategrad/<config>/replay/04-opt1/        what `./doit replay` leaves (`replay`)
<crate>/target/crategrad/<config>/graph.svg              what `./doit graph` drew

For an artifact other than the default one they are in a folder of its own: `stages/examples/<name>/04-opt1`; and the drawing
is `examples/<name>.graph.svg`.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import msgspec

from pipeline import cargo_units, std_files
from pipeline.cache import Cache
from pipeline.cargo import building_environment
from pipeline.crate import Crate, Snapshot, file_digests, note_what_was_read, snapshot, sources_digest
from pipeline.digests import Digests, file_digest
from pipeline.edited import Edit
from pipeline.errors import UserError
from pipeline.key import describe, stage_key
from pipeline.locks import Lock
from pipeline.places import NO_NUMBERS, Places
from pipeline.plan import Step
from pipeline.runs import Runs
from pipeline.stages import Inputs
from pipeline.stages.build_std import BuildStd
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.store import Entry, replacing
from pipeline.why import Parts, parts

EDITED = "edited"
"""How that came to be which is made of a module edited by hand."""

_AGAIN = "run the same command again"
_AFTER_EDIT = f"{_AGAIN}; what is written in the crate's folder as it is built, as the output of a command, counts as a source"
_NAMED = 3
"""How many files that changed are named."""

_NEVER_EMPTY = (".bc", ".o", ".a")


@dataclass(frozen=True)
class Made:
    """What a step's output is: its key, its tree, how it came (`ran`, `hit`, `fetched`, EDITED), in how long, when."""

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
        store: Cache,
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
        self._read: dict[str, tuple[tuple[int, ...], Made]] = {}

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

    @cached_property
    def _views(self) -> Path:
        return self._own("stages")

    def _own(self, folder: str) -> Path:
        """The folder of that name which the artifact has for itself."""
        return self.folder / folder if self.crate.is_default else self.folder / folder / self.crate.artifact.place

    @property
    def files_of_std(self) -> Path:
        """The folder where it is kept which files std was made of (`std_files`)."""
        return self.store.store.root / "std"

    @property
    def times(self) -> Path:
        """The file that says what cargo took for each package when it compiled it last."""
        return self.view("crate_bitcode", ".times")

    def handle(self, name: str) -> Path:
        """The file that says what a stage's output is."""
        return self.view(name, ".json")

    def made(self, name: str) -> Made | None:
        """What a stage has made, if its handle can be read and its tree is there."""
        handle = self.handle(name)
        try:
            stat = handle.stat()
            version = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_size)
            if name not in self._read or self._read[name][0] != version:
                self._read[name] = version, msgspec.json.decode(handle.read_bytes(), type=Made)
        except (OSError, msgspec.MsgspecError, UnicodeError):
            return None
        made = self._read[name][1]
        return made if self.store.has(made.tree) else None

    def output(self, name: str) -> Path:
        """The folder of a stage's output.

        Raises: UserError where it is not there or not whole.
        """
        made = self.made(name)
        if made is None:
            raise UserError(f"error: {name} has made nothing for this crate and config yet\n  = help: run it without -s")
        if not self.store.intact(made.tree):
            raise UserError(f"error: what {name} had made was damaged; it is gone now\n  = help: {_AGAIN}")
        return self.store.tree(made.tree)

    @property
    def places(self) -> Places:
        """What the numbers in the modules after llvm_link stand for, as the source is now."""
        made = self.made("llvm_link") if "llvm_link" in self.steps else None
        return Places.beside(self.store.tree(made.tree)) if made else NO_NUMBERS

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
        """Run a step, or take its output from the cache; it runs whatever the cache has `because` somebody wants it to."""
        with self.runs.recording(self, name, because):
            try:
                self._carry_out(name, bool(because))
            except OSError as error:
                if not self.store.do_without(error):
                    raise
                self._carry_out(name, bool(because))

    def _carry_out(self, name: str, again: bool) -> None:
        step = self.steps[name]
        self.store.hold()
        inputs = self._inputs(step, again)
        key = self._key(step)
        if key is None:
            raise UserError(f"error: what {name} is to read was taken away just now\n  = help: {_AGAIN}")
        with self.store.turn(key).held(waiting=f"{name}: waiting for another ./doit, which makes the same"):
            if again or self._is_edited(name) or not self.take(name):
                step, entry = self._run(step, inputs, key)
                self._present(step, entry, EDITED if self._is_edited(name) else "ran")

    def _is_edited(self, name: str) -> bool:
        return self.edit is not None and self.edit.concerns(name)

    def take(self, name: str) -> bool:
        """Take a step's output from the cache; False where that does not have it."""
        step = self.steps[name]
        key = self._key(step)
        entry = self.store.find(key) if key else None
        if entry:
            self._present(step, entry, "fetched" if entry.key in self.store.fetched else "hit")
        return entry is not None

    def look_ahead(self, names: Iterable[str]) -> None:
        """Have what others made of these stages, the first and those after it, brought here side by side; they are not waited
        for.  The key of a stage is known before its inputs are here: it is made of what their trees are called.
        """
        trees: dict[str, str] = {}
        for name in names if self.store.remote else ():
            made, key = self.made(name), self.key_of(name, trees)
            tree = made.tree if made and made.key == key else self.store.find_meanwhile(key)
            if tree is None:
                return
            trees[name] = tree

    def clean(self, name: str) -> None:
        """Take away what a stage left beside the crate."""
        import shutil

        view = self.view(name)
        left_by_killed = self._views.glob(f".{view.name}*")
        for path in (view, *view.parent.glob(f"{view.name}.*"), *left_by_killed):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.replay(name), ignore_errors=True)
        if name == "link":
            self.product.unlink(missing_ok=True)
            self.drawing.unlink(missing_ok=True)
        for left in (self._views, self._own("replay"), self.product.parent):
            for folder in _up_to(self.folder, left):
                with suppress(OSError):
                    folder.rmdir()

    def _inputs(self, step: Step, again: bool) -> dict[str, Path]:
        """The folders of what a step reads, by role: all of one store."""
        store = self.store.store
        inputs = {role: self.output(source) if again else self._input(source) for role, source in step.inputs.items()}
        return inputs if self.store.store is store else self._inputs(step, again)  # the cache failed meanwhile

    def _input(self, name: str) -> Path:
        """The folder of an earlier stage's output, made again where it was damaged or has vanished."""
        made = self.made(name)
        if made and self.store.intact(made.tree):
            return self.store.tree(made.tree)
        self.carry_out(name)
        return self.output(name)

    def _run(self, step: Step, inputs: dict[str, Path], key: str) -> tuple[Step, Entry]:
        """What a step's tools made; of crate_bitcode the step with the sources that cargo has read."""
        with _turn_of_cargo(step), self.store.scratch() as scratch:
            out, log = scratch / "out", scratch / "log"
            out.mkdir()
            log.touch()
            trees = self._trees(step)
            before = snapshot(self.crate) if isinstance(step.stage, CrateBitcode) else {}
            begin = time.monotonic()
            try:
                given = self.edit.given_to(step.name, inputs, scratch, log) if self.edit else inputs
                if isinstance(step.stage, CrateBitcode):
                    step = replace(step, stage=self._compile(step.stage, given, out, log))
                else:
                    step.stage.run(given, out, log)
            except UserError as error:
                self.store.refuse_full()  # whatever the tools say, then
                told = f"{self.places.told(error.message)}\n  = log: {self.view(step.name, '.log')}"
                raise UserError(told, exit_code=error.exit_code) from error
            finally:
                self._show_log(step.name, log.read_bytes())
            seconds = time.monotonic() - begin
            _refuse_hollow(step.name, out)
            for tree in trees.values():
                self.store.vouch(tree)
            if isinstance(step.stage, CrateBitcode):
                step = self._what_was_built(step, step.stage, log, before)
                key = stage_key(step.stage, self._trees(step), self.digests)
            into = self.store.store if self._is_edited(step.name) else self.store  # what is edited is for nobody else
            return step, into.publish(key, out, log, seconds)

    def _compile(self, stage: CrateBitcode, inputs: Inputs, out: Path, log: Path) -> CrateBitcode:
        """Run cargo, again where what it built goes by variables of the user's that it was not given; the stage that has those.

        Which ones these are is known of a build alone, be it one that fails.
        """
        import shutil

        try:
            stage.run(inputs, out, log)
            names = stage.variables_read(log)
        except UserError:
            names = stage.variables_missed(log)
            if building_environment(names).keys() <= stage.environment.keys():
                raise
        asked = building_environment(names)
        if asked.keys() <= stage.environment.keys():
            self.crate = replace(self.crate, variables=tuple(names))
            return replace(stage, environment=asked)
        shutil.rmtree(out)
        out.mkdir()
        return self._compile(replace(stage, environment={**stage.environment, **asked}), inputs, out, log)

    def _present(self, step: Step, entry: Entry, how: str) -> None:
        """Have the crate's folder show what a step has made."""
        self._show_log(step.name, self.store.log(entry.key))
        self._show(step.name, Made(entry.key, entry.tree, how, entry.seconds, time.time(), self._parts(step)))
        if isinstance(step.stage, BuildStd):
            std_files.note(step.stage, self.files_of_std)
        if step.name == "link":
            self._install_program(entry)

    def _install_program(self, entry: Entry) -> None:
        """Put the program in its place, as it is in a tree that is whole.

        Raises: OSError where that cannot be said.
        """
        program = self.store.tree(entry.tree) / self.crate.artifact.file
        digest = file_digest(program)
        self.store.vouch(entry.tree)  # only now: of what was read before
        _install(program, self.product)
        if file_digest(self.product) != digest:
            self.product.unlink(missing_ok=True)
            raise OSError(errno.EIO, "damaged while it was copied", str(program))

    def _what_was_built(self, step: Step, stage: CrateBitcode, log: Path, before: Snapshot) -> Step:
        """The step once cargo has run: it may have written the lock, and read files of which nobody knew.

        Raises: UserError where a source was edited while cargo was at work: nobody knows what was built.
        """
        after = snapshot(self.crate)
        if touched := sorted(path for path in {*before, *after} if before.get(path) != after.get(path)):
            names = ", ".join(f"`{os.path.relpath(path, self.crate.folder.resolve())}`" for path in touched[:_NAMED])
            raise UserError(f"error: a source file changed while the crate was built: {names}\n  = help: {_AFTER_EDIT}")
        self.crate = note_what_was_read(self.crate, stage.dep_info(log), stage.places_read(log))
        with replacing(self.times) as times:
            times.write_text(json.dumps(cargo_units.seconds_by_package(stage.units(log))))
        return replace(step, stage=replace(stage, sources=sources_digest(self.crate, self.digests)))

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
        try:
            return self.digests.file(self.product) == self.digests.file(linked)
        except OSError:
            return False

    def _show_log(self, name: str, said: bytes) -> None:
        with replacing(self.view(name, ".log")) as log:
            log.write_bytes(os.fsencode(self.places.told(os.fsdecode(said))))

    def _show(self, name: str, made: Made) -> None:
        with replacing(self.view(name)) as view:
            view.symlink_to(self.store.tree(made.tree).resolve())
        with replacing(self.handle(name)) as handle:  # not flushed: if half of it is lost, the cache has what it names
            handle.write_bytes(json.dumps(asdict(made)).encode())

    def view(self, name: str, ending: str = "") -> Path:
        """Where what a stage left is to be seen."""
        return self._views / f"{self.steps[name].number:02}-{name}{ending}"


def _turn_of_cargo(step: Step) -> AbstractContextManager[None]:
    """For who has cargo build, the lock of its target folder: there is one for all configs, with one place for the artifact."""
    if not isinstance(step.stage, CrateBitcode):
        return nullcontext()
    return Lock(step.stage.target / "turn").held(waiting=f"{step.name}: waiting for another ./doit, which has cargo at work")


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
