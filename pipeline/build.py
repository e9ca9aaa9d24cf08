"""Carrying out a plan: look up, else run in scratch and publish; and what is left beside the crate for people to look at.

<crate>/target/crategrad/<config>/<binary>               the program
<crate>/target/crategrad/<config>/stages/04-opt1.json    which tree of the store the stage's output is, and its key
<crate>/target/crategrad/<config>/stages/04-opt1         that tree (a link into the cache)
<crate>/target/crategrad/<config>/stages/04-opt1.log     what its tools said
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pipeline.crate import Crate, note_files_read, snapshot, sources_digest
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.key import stage_key
from pipeline.plan import Step
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.store import Entry, Store, write_whole


@dataclass(frozen=True)
class Made:
    """What a step's output is: under which key, which tree, how it came (`ran`, `hit`), after how many seconds, when."""

    key: str
    tree: str
    how: str
    seconds: float
    when: float


class Build:
    """A plan being carried out for a crate and a config, in the folder where the config's artifacts appear."""

    def __init__(self, steps: tuple[Step, ...], crate: Crate, folder: Path, store: Store, digests: Digests) -> None:
        self.steps = {step.name: step for step in steps}
        self.crate = crate
        self.folder = folder
        self.store = store
        self.digests = digests

    @property
    def program(self) -> Path:
        """Where the program appears."""
        return self.folder / self.crate.binary

    def handle(self, name: str) -> Path:
        """The file that says what a stage's output is."""
        return self._view(name, ".json")

    def made(self, name: str) -> Made | None:
        """What a stage has made, if its handle can be read and its tree is there."""
        try:
            made = Made(**json.loads(self.handle(name).read_bytes()))
        except (OSError, ValueError, TypeError):
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

    def carry_out(self, name: str, *, again: bool = False) -> None:
        """Run a step, or take its output from the store; `again` runs it whatever the store has."""
        step = self.steps[name]
        inputs = {role: self.output(source) for role, source in step.inputs.items()}
        key = self._key(step)
        assert key is not None, "a step with all its inputs has a key"
        entry = None if again else self.store.find(key)
        how = "hit" if entry else "ran"
        if entry is None:
            key, entry = self._run(step, inputs, key)
        _install(self.store.log(key), self._view(name, ".log"))
        self._show(name, Made(key, entry.tree, how, entry.seconds, time.time()))
        if name == "link":
            _install(self.store.tree(entry.tree) / self.crate.binary, self.program)

    def clean(self, name: str) -> None:
        """Take away what a stage left beside the crate."""
        for ending in ("", ".json", ".log"):
            self._view(name, ending).unlink(missing_ok=True)
        if name == "link":
            self.program.unlink(missing_ok=True)
        for folder in (self.folder / "stages", self.folder):
            with suppress(OSError):
                folder.rmdir()

    def _run(self, step: Step, inputs: dict[str, Path], key: str) -> tuple[str, Entry]:
        with self.store.scratch() as scratch:
            out, log = scratch / "out", scratch / "log"
            out.mkdir()
            log.touch()
            before = snapshot(self.crate)
            begin = time.monotonic()
            try:
                step.stage.run(inputs, out, log)
            except UserError as error:
                raise UserError(f"{error.message}\n  = log: {self._view(step.name, '.log')}") from error
            finally:
                _install(log, self._view(step.name, ".log"))
            seconds = time.monotonic() - begin
            if isinstance(step.stage, CrateBitcode):
                key = self._key_of_what_was_built(step, step.stage, before == snapshot(self.crate))
            return key, self.store.publish(key, out, log, seconds)

    def _key_of_what_was_built(self, step: Step, stage: CrateBitcode, untouched: bool) -> str:
        """The crate's key once cargo has run: it may have written the lock, and read files of which nobody knew.

        Raises: UserError where a source was edited while cargo was at work: nobody knows what was built.
        """
        if not untouched:
            raise UserError("error: a source file changed while the crate was built\n  = help: run the same command again")
        crate = note_files_read(self.crate, stage.dep_info())
        key = self._key(replace(step, stage=replace(stage, sources=sources_digest(crate, self.digests))))
        assert key is not None, "the inputs were there when it ran"
        return key

    def _key(self, step: Step) -> str | None:
        """The key of a step as things are; None while an input is not made."""
        inputs = {}
        for role, source in step.inputs.items():
            made = self.made(source)
            if made is None:
                return None
            inputs[role] = made.tree
        return stage_key(step.stage, inputs, self.digests)

    def _is_installed(self, made: Made) -> bool:
        """True where the program is the very one that link made: neither removed nor replaced since."""
        linked = self.store.tree(made.tree) / self.crate.binary
        return self.program.is_file() and self.digests.file(self.program) == self.digests.file(linked)

    def _show(self, name: str, made: Made) -> None:
        view = self._view(name)
        view.parent.mkdir(parents=True, exist_ok=True)
        view.unlink(missing_ok=True)
        view.symlink_to(self.store.tree(made.tree).resolve())
        write_whole(self.handle(name), json.dumps(asdict(made)).encode())

    def _view(self, name: str, ending: str = "") -> Path:
        return self.folder / "stages" / f"{self.steps[name].number:02}-{name}{ending}"


def _install(made: Path, place: Path) -> None:
    """Copy a file to its place, whole or not at all; a running program of that name is not disturbed."""
    import shutil

    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = place.with_name(f".{place.name}.new")
    shutil.copy2(made, scratch)
    scratch.replace(place)
