"""A program that is run has the terminal, as where cargo runs it: Ctrl-C and SIGTERM are for it to answer."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

import pytest

from tests.workbench import ROOT

pytestmark = pytest.mark.toolchain

CARGO, DOIT = "/usr/bin/cargo", str(ROOT / "doit")
CTRL_C = b"\x03"

MANIFEST = '[package]\nname = "waits"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'
PROGRAM = """\
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::{env, process, thread::sleep, time::Duration};

static CAME: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

extern "C" fn note(_: i32) {
    CAME.store(true, SeqCst);
}

fn main() {
    let end = env::var("END").ok().and_then(|code| code.parse().ok());
    if end.is_some() {
        unsafe { (signal(2, note), signal(15, note)) };
    }
    println!("ready");
    while !CAME.load(SeqCst) {
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(200));
    println!("tidied");
    process::exit(end.unwrap());
}
"""


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that ends with `END` once it is told to, or by what it is told where that is empty; built by cargo and here."""
    folder = tmp_path_factory.mktemp("waits")
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(MANIFEST)
    (folder / "src/main.rs").write_text(PROGRAM)
    for command in ([CARGO, "build"], [DOIT, "build", "crate=."]):
        subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=True)
    return folder


def environment(end: str = "") -> dict[str, str]:
    return {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:/usr/bin:/bin", "END": end}


def at_terminal(command: list[str], folder: Path, end: str) -> tuple[int, str]:
    """How that ended, and what it said, which has a terminal of its own on which Ctrl-C is typed once it is ready."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(command[0], command, environment(end))
    said = b""
    while said.count(b"ready") == 0:
        said += read(terminal, pid)
    os.write(terminal, CTRL_C)
    try:
        while more := read(terminal, pid):
            said += more
    except OSError:  # nobody has it open any more
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def read(terminal: int, pid: int) -> bytes:
    """What comes next; what says nothing for minutes is ended: it would never end."""
    if not select.select([terminal], [], [], 300)[0]:
        os.kill(pid, signal.SIGKILL)
        pytest.fail("it neither says anything nor ends")
    return os.read(terminal, 1000)


def terminated(command: list[str], folder: Path, end: str) -> tuple[int, str]:
    """The same where the process alone that was started is told to end."""
    with Popen(command, cwd=folder, env=environment(end), stdout=PIPE, stderr=STDOUT, text=True) as child:
        assert child.stdout is not None
        while "ready" not in child.stdout.readline():
            pass
        child.terminate()
        said = child.stdout.read()
    return child.returncode, said


@pytest.mark.parametrize("run", [at_terminal, terminated])
@pytest.mark.parametrize("end", ["7", "0", ""])
def test_what_the_program_is_told_it_answers_as_under_cargo(
    crate: Path, run: Callable[[list[str], Path, str], tuple[int, str]], end: str
) -> None:
    plain, said_by_plain = run([CARGO, "run"], crate, end)
    ours, said = run([CARGO, "autodiff", "run"], crate, end)
    of_doit, said_by_doit = run([DOIT, "run", "crate=."], crate, end)
    assert ours == (plain if plain >= 0 else 128 - plain)  # as a shell has it
    assert of_doit == {"7": 1, "0": 0, "": ours}[end]
    for text in (said_by_plain, said, said_by_doit):
        assert ("tidied" in text) == bool(end)
        assert "Traceback" not in text
    for text in (said, said_by_doit):
        assert ("interrupted" in text) == (not end)
        assert ("target/crategrad/default/waits ended with exit 7" in text) == (end == "7")


def test_with_several_processes_of_doits_it_ends_at_once(crate: Path) -> None:
    code, said = at_terminal([DOIT, "-n", "2", "execute", f"crate={crate}"], crate, "0")
    assert code == 128 + signal.SIGINT
    assert "interrupted" in said


@pytest.mark.parametrize("command", [[DOIT, "list"], [str(ROOT / "cargo-autodiff"), "autodiff", "build", "--help"]])
def test_ctrl_c_at_the_very_beginning_ends_it_without_a_traceback(command: list[str]) -> None:
    """Python's own answer, while it imports, would be one."""
    for milliseconds in range(10, 250, 15):
        with Popen(command, env=environment(), stdout=PIPE, stderr=STDOUT, text=True) as child:
            time.sleep(milliseconds / 1000)
            child.send_signal(signal.SIGINT)
            said, _ = child.communicate()
        assert "Traceback" not in said
        assert child.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT)
