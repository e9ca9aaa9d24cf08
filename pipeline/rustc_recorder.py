"""Stands where `rustc_wrapper` does while `./doit replay` has cargo build: has that one run rustc, and notes the command.

Run by cargo as `rustc_recorder.py RUSTC ARGUMENTS…`; imports nothing of ours but that one, as it is started without
site-packages.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

RECORDS = "CRATEGRAD_RECORDS"
"""The variable that names the folder for the notes; build scripts' output is copied there, too."""


def note(record: Path, argv: list[str], environment: dict[str, str], returncode: int) -> None:
    """Write down what was run, where, with what in the environment; how it ended, and the digests of what it made."""
    command = {"argv": argv, "cwd": str(Path.cwd()), "environment": environment, "returncode": returncode}
    record.write_text(json.dumps({**command, **(made(argv) if "--target" in argv and "--out-dir" in argv else {})}))
    written = environment.get("OUT_DIR")
    if written:
        shutil.copytree(written, record.with_suffix(".out"), dirs_exist_ok=True)


def made(argv: list[str]) -> dict[str, dict[str, str]]:
    """The digests of the code that a command for the target has made: `files`, and `members` of libraries."""
    extra = next((each.partition("=")[2] for each in argv if each.startswith("extra-filename=")), "")
    stem, folder = argv[argv.index("--crate-name") + 1] + extra, Path(argv[argv.index("--out-dir") + 1])
    members, objects = {}, {}
    for library in sorted(folder.glob(f"lib{stem}.rlib")):
        names = subprocess.run(["ar", "t", library], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        for name in (name for name in names if name.endswith(".o")):
            content = subprocess.run(["ar", "p", library, name], stdout=subprocess.PIPE, check=True).stdout
            members[f"{library.name} {name}"] = hashlib.sha256(content).hexdigest()
    for program in sorted(path for path in folder.glob(f"*{stem}*") if path.is_file() and tarfile.is_tarfile(path)):
        with tarfile.open(program) as record:  # of a link (`link_recorder`)
            for each in (each for each in record if each.name.endswith(".o")):
                content = record.extractfile(each).read()  # type: ignore[union-attr]
                objects[f"{program.name}.{each.name}"] = hashlib.sha256(content).hexdigest()
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob(f"{stem}.*.bc"))}
    return {"files": {**files, **objects}, "members": members}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from pipeline import rustc_wrapper

    name = f"{time.monotonic_ns():020}-{os.getpid()}.json"  # in the order in which they begin
    wrapped = [sys.executable, "-I", "-S", rustc_wrapper.__file__, *sys.argv[1:]]
    code = os.spawnv(os.P_WAIT, wrapped[0], wrapped)  # noqa: S606
    if "--crate-name" in sys.argv and "___" not in sys.argv:
        argv = rustc_wrapper.of_rustc(sys.argv[1:], dict(os.environ), str(Path.cwd()))
        note(Path(os.environ[RECORDS], name), argv, rustc_wrapper.environment_of(sys.argv[1:], dict(os.environ)), code)
    sys.exit(code if code >= 0 else 128 - code)
