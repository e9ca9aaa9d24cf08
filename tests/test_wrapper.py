"""The wrapper `./doit`: what it hands to doit, when it sets up, and what it says when it cannot.

Each test has a checkout of its own with a tiny lock and package list, and a PATH that holds nothing but the few tools
the wrapper needs and fakes of those that would change the machine. The fakes write down how they were called.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ["cat", "chmod", "echo", "env", "flock", "grep", "ln", "mkdir", "readlink", "rm"]
TOOLS += ["sed", "sha256sum", "sleep", "tail", "touch", "tr", "xargs"]

FAKES = {
    "id": 'echo "${FAKE_UID:-0}"',
    "dpkg-query": 'echo dpkg-query >>"$CALLS"; sed "s/^/installed /" "$INSTALLED"; echo "config-files alpha"',
    "apt-get": """
        echo "apt-get $*" >>"$CALLS"
        echo "a line of apt's"
        case "$1 ${FAKE_APT:-}" in
            "update update-fails" | "install install-fails") echo "E: no such luck" >&2; exit 100 ;;
            install*) echo "alpha\nbeta" >"$INSTALLED" ;;
        esac""",
    "sudo": """
        echo "sudo $*" >>"$CALLS"
        [ "$1" != -n ] || shift
        exec "$@" """,
}

# Stands for the Python of `-m venv`, and copies itself to stand for the venv's, whose doit tells what it sees.
FAKE_PYTHON = """#!/bin/sh
case $2 in
    venv)
        echo venv >>"$CALLS"
        rm -rf .venv/bin
        mkdir -p .venv/bin
        cat "$0" >.venv/bin/python3
        chmod +x .venv/bin/python3 ;;
    pip)
        echo pip >>"$CALLS"
        while [ -e "$CALLS.hold" ]; do sleep 0.01; done
        [ -z "${FAKE_PIP_FAILS:-}" ] || { echo "a hash does not match" >&2; exit 1; }
        touch .venv/bin/doit
        chmod +x .venv/bin/doit ;;
    *doit*)
        shift 2
        [ ! -e /proc/$$/fd/9 ] || exit 99
        printf '%s\\0' "$PWD" "$DOIT_FILE" "$CRATEGRAD_CWD" "${PYTHONPATH-none}" "${PYTHONHOME-none}" \\
            "${PYTHONDONTWRITEBYTECODE-none}" "$(umask)" "$@"
        exit "${FAKE_DOIT_EXIT:-0}" ;;
    *) exit "${FAKE_PYTHON_IS_OTHER:-0}" ;;
esac
"""


@dataclass(frozen=True)
class Doit:
    """What one run of the wrapper did; and what doit saw, if it came to that."""

    code: int
    stdout: str
    stderr: str
    saw: dict[str, str]
    args: list[str]


@dataclass(frozen=True)
class Checkout:
    """A copy of the wrapper among fakes."""

    root: Path
    outside: Path

    @property
    def wrapper(self) -> Path:
        return self.root / "doit"

    @property
    def tools(self) -> Path:
        return self.outside / "tools"

    @property
    def calls(self) -> Path:
        return self.outside / "calls"

    def take_calls(self) -> list[str]:
        calls = self.calls.read_text().splitlines()
        self.calls.write_text("")
        return calls

    def start(
        self, *args: str, env: Mapping[str, str] | None = None, command: str | Path | None = None, **how: object
    ) -> subprocess.Popen[str]:
        environment = {
            "PATH": str(self.tools),
            "CALLS": str(self.calls),
            "INSTALLED": str(self.outside / "installed"),
            "CRATEGRAD_PYTHON": str(self.tools / "fake-python"),
            **(env or {}),
        }
        how = {"cwd": self.outside, "stdin": subprocess.DEVNULL, **how}
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            [command or self.wrapper, *args],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **how,
        )

    def run(self, *args: str, **how: object) -> Doit:
        return finish(self.start(*args, **how))  # type: ignore[arg-type]


def finish(process: subprocess.Popen[str]) -> Doit:
    stdout, stderr = process.communicate(timeout=30)
    saw = stdout.split("\0")[:-1]
    facts = ["folder", "DOIT_FILE", "CRATEGRAD_CWD", "PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "umask"]
    return Doit(process.returncode, stdout, stderr, dict(zip(facts, saw, strict=False)), saw[len(facts) :])


def wait_until(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def make_checkout(folder: Path) -> Checkout:
    checkout = Checkout(folder / "a checkout", folder / "outside")
    checkout.root.mkdir()
    checkout.tools.mkdir(parents=True)
    for tool in TOOLS:
        found = shutil.which(tool, path="/usr/bin:/bin")
        assert found, tool
        (checkout.tools / tool).symlink_to(found)
    for name, body in {**FAKES, "fake-python": FAKE_PYTHON}.items():
        script = checkout.tools / name
        script.write_text(body if body.startswith("#!") else f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
    checkout.calls.touch()
    (checkout.outside / "installed").write_text("alpha\nbeta\n")
    for wrapper in ("doit", "cargo-autodiff"):
        shutil.copy(ROOT / wrapper, checkout.root)
    (checkout.root / "requirements.lock").write_text("doit==1\n")
    (checkout.root / "debian-packages.txt").write_text("# What is wanted.\n\nalpha   # for a reason\nbeta\n")
    return checkout


@pytest.fixture
def fresh(tmp_path: Path) -> Checkout:
    """A checkout where nothing was set up, on a machine that has the packages."""
    return make_checkout(tmp_path)


@pytest.fixture
def ready(fresh: Checkout) -> Checkout:
    """A checkout that was set up."""
    assert fresh.run().code == 0
    assert fresh.take_calls() == ["dpkg-query", "venv", "pip"]
    return fresh


@pytest.fixture
def bare(fresh: Checkout) -> Checkout:
    """A checkout where nothing was set up, on a machine that lacks a package."""
    (fresh.outside / "installed").write_text("beta\n")
    return fresh


# What doit gets


def test_arguments_are_passed_on_unchanged(ready: Checkout) -> None:
    args = ["build", "crate=../my crate", "", "-n", "2", 'it\'s "so"', "$HOME", "a\nb", "*", "\\", "--", "-e"]
    assert ready.run(*args).args == args


def test_doit_starts_in_the_checkout_and_is_told_where_the_user_is(ready: Checkout) -> None:
    saw = ready.run("list").saw
    assert saw["folder"] == str(ready.root)
    assert saw["DOIT_FILE"] == f"{ready.root}/dodo.py"
    assert saw["CRATEGRAD_CWD"] == str(ready.outside)


def test_the_exit_code_is_doits(ready: Checkout) -> None:
    assert ready.run(env={"FAKE_DOIT_EXIT": "2"}).code == 2


def test_another_pythons_library_is_kept_out(ready: Checkout) -> None:
    saw = ready.run(env={"PYTHONPATH": "/elsewhere", "PYTHONHOME": "/elsewhere"}).saw
    assert (saw["PYTHONPATH"], saw["PYTHONHOME"]) == ("none", "none")


def test_what_is_compiled_is_kept_whatever_an_image_says(ready: Checkout) -> None:
    assert ready.run(env={"PYTHONDONTWRITEBYTECODE": "1"}).saw["PYTHONDONTWRITEBYTECODE"] == "none"


@pytest.mark.parametrize("kind", ["link to the wrapper", "link to the checkout", "on PATH", "relative", "given to sh"])
def test_the_wrapper_finds_its_checkout(ready: Checkout, kind: str) -> None:
    (ready.outside / "my doit").symlink_to("../a checkout/doit")
    (ready.outside / "there").symlink_to(ready.root)
    command, args, cwd = {
        "link to the wrapper": ("./my doit", [], ready.outside),
        "link to the checkout": (ready.outside / "there/doit", [], ready.outside),
        "on PATH": ("env", ["doit"], ready.outside),
        "relative": ("a checkout/doit", [], ready.root.parent),
        "given to sh": ("/bin/sh", ["doit"], ready.root),
    }[kind]
    path = f"{ready.root}:{ready.tools}" if kind == "on PATH" else str(ready.tools)
    (ready.outside / "decoy/a checkout").mkdir(parents=True)
    seen = ready.run(*args, command=command, cwd=cwd, env={"PATH": path, "CDPATH": str(ready.outside / "decoy")})
    assert (seen.saw["folder"], seen.saw["CRATEGRAD_CWD"], seen.stderr) == (str(ready.root), str(cwd), "")
    assert ready.take_calls() == []


def test_the_real_doit_takes_its_dodo_from_the_checkout_whatever_the_command(ready: Checkout) -> None:
    (ready.root / ".venv/bin/python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (ready.root / "dodo.py").write_text(
        "from doit import get_var\n"
        "def task_greet():\n"
        "    'say hello'\n"
        "    return {'actions': ['echo crate=' + str(get_var('crate'))], 'verbosity': 2}\n"
    )
    (ready.outside / "doit.cfg").write_text("[GLOBAL]\ndodoFile = not-ours.py\nreporter = nonsense\n")
    for command, answer in {
        "list": "say hello",
        "info --no-status greet": "say hello",
        "greet crate=.": "crate=.",
        "run crate=a=b greet": "crate=a=b",
        "clean greet": "",
        "reset-dep greet": "processed greet",
        "ignore greet": "ignoring greet",
        "forget greet": "forgetting greet",
    }.items():
        seen = ready.run(*command.split())
        assert (seen.code, seen.stderr) == (0, ""), command
        assert answer in seen.stdout, command
    assert {path.name for path in ready.outside.iterdir()} == {"calls", "doit.cfg", "installed", "tools"}


# When it sets up


def test_a_machine_that_is_set_up_pays_for_nothing(ready: Checkout) -> None:
    seen = ready.run("list")
    assert (seen.code, seen.stderr, ready.take_calls()) == (0, "", [])


def test_a_set_up_writes_nothing_on_stdout(bare: Checkout) -> None:
    seen = bare.run("list")
    assert seen.stdout.startswith(str(bare.root))
    assert seen.stderr.splitlines() == [
        "crategrad: installing Debian packages: alpha",
        "crategrad: making the Python environment: .venv, from requirements.lock",
    ]


def test_the_content_of_the_lock_counts_and_not_its_date(ready: Checkout) -> None:
    lock = ready.root / "requirements.lock"
    os.utime(lock, (0, 0))
    assert (ready.run().code, ready.take_calls()) == (0, [])
    lock.write_text("doit==2\n")
    os.utime(lock, (0, 0))
    assert (ready.run().code, ready.take_calls()) == (0, ["dpkg-query", "venv", "pip"])
    assert (ready.run().code, ready.take_calls()) == (0, [])


def test_a_changed_package_list_leaves_the_python_environment(ready: Checkout) -> None:
    (ready.root / "debian-packages.txt").write_text("beta\n")
    assert (ready.run().code, ready.take_calls()) == (0, ["dpkg-query"])
    assert (ready.run().code, ready.take_calls()) == (0, [])


@pytest.mark.parametrize("damage", ["moved", "copied", "python gone", "doit gone", "stamp cut short"])
def test_a_dead_python_environment_is_made_anew(ready: Checkout, damage: str) -> None:
    other = Checkout(ready.root.with_name("other"), ready.outside)
    if damage == "moved":
        ready.root.rename(other.root)
    else:
        shutil.copytree(ready.root, other.root, symlinks=True)
    if damage not in ("moved", "copied"):
        other = ready
    if damage.endswith("gone"):
        (other.root / ".venv/bin" / {"python gone": "python3", "doit gone": "doit"}[damage]).unlink()
    elif damage == "stamp cut short":
        os.truncate(other.root / ".venv/python.sha256", 0)
    assert (other.run().code, other.take_calls()) == (0, ["dpkg-query", "venv", "pip"])
    assert (other.run().code, other.take_calls()) == (0, [])


def test_an_environment_that_is_linked_to_stays_as_it_is(ready: Checkout) -> None:
    other = Checkout(ready.root.with_name("other"), ready.outside)
    shutil.copytree(ready.root, other.root, ignore=shutil.ignore_patterns(".venv"))
    (other.root / ".venv").symlink_to(ready.root / ".venv")
    assert (other.run().code, other.take_calls()) == (0, ["dpkg-query", "venv", "pip"])
    assert not (other.root / ".venv").is_symlink()
    assert (ready.run().code, ready.take_calls()) == (0, [])


def test_two_at_once_make_one_set_up(fresh: Checkout) -> None:
    hold = fresh.calls.with_suffix(".hold")
    hold.touch()
    first = fresh.start("one")
    wait_until(lambda: "pip" in fresh.calls.read_text())
    second = fresh.start("two")
    assert second.stderr
    assert second.stderr.readline() == "crategrad: waiting for another ./doit that is setting up\n"
    hold.unlink()
    assert (finish(first).args, finish(second).args) == (["one"], ["two"])
    assert fresh.take_calls() == ["dpkg-query", "venv", "pip"]


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_set_up_is_not_believed(ready: Checkout, blow: signal.Signals) -> None:
    (ready.root / "requirements.lock").write_text("doit==2\n")
    hold = ready.calls.with_suffix(".hold")
    hold.touch()
    process = ready.start(start_new_session=True)
    wait_until(lambda: "pip" in ready.calls.read_text())
    os.killpg(process.pid, blow)
    assert finish(process).code != 0
    hold.unlink()
    assert not (ready.root / ".venv/python.sha256").exists()
    ready.take_calls()
    assert (ready.run().code, ready.take_calls()) == (0, ["dpkg-query", "venv", "pip"])


def test_the_next_waits_for_what_a_killed_wrapper_left_running(fresh: Checkout) -> None:
    hold = fresh.calls.with_suffix(".hold")
    hold.touch()
    first = fresh.start()
    wait_until(lambda: "pip" in fresh.calls.read_text())
    first.kill()
    second = fresh.start()
    assert second.stderr
    assert "waiting" in second.stderr.readline()
    hold.unlink()
    assert finish(second).code == 0
    assert finish(first).code == -signal.SIGKILL
    assert fresh.take_calls() == ["dpkg-query", "venv", "pip"] * 2


def test_others_can_read_the_environment_and_doit_keeps_the_users_umask(fresh: Checkout) -> None:
    seen = fresh.run(umask=0o077)
    assert seen.saw["umask"] == "0077"
    for path in (fresh.root / ".venv").rglob("*"):
        assert path.stat().st_mode & 0o044 == 0o044, path


# Debian's packages


def test_root_gets_the_packages_from_apt(bare: Checkout) -> None:
    assert bare.run().code == 0
    assert bare.take_calls()[1:3] == ["apt-get update", "apt-get install -y --no-install-recommends alpha beta"]


@pytest.mark.parametrize("terminal", [True, False])
def test_sudo_may_ask_only_where_there_is_a_terminal(bare: Checkout, *, terminal: bool) -> None:
    keyboard, stdin = pty.openpty()
    how = {"stdin": stdin} if terminal else {}
    assert bare.run(env={"FAKE_UID": "1000"}, **how).code == 0
    os.close(keyboard)
    os.close(stdin)
    calls = bare.take_calls()
    assert ("sudo apt-get update" if terminal else "sudo -n apt-get update") in calls
    assert "apt-get install -y --no-install-recommends alpha beta" in calls


def test_neither_root_nor_sudo_gets_the_one_line_to_run(bare: Checkout) -> None:
    (bare.tools / "sudo").unlink()
    seen = bare.run(env={"FAKE_UID": "1000"})
    assert (seen.code, seen.stdout) == (3, "")
    assert seen.stderr.splitlines() == [
        "crategrad: Debian packages are missing: alpha. You are not root and have no sudo. As root, run",
        "  apt-get install -y --no-install-recommends alpha beta",
    ]
    assert bare.take_calls() == ["dpkg-query"]


def test_a_failed_install_shows_the_end_of_its_log(bare: Checkout) -> None:
    seen = bare.run(env={"FAKE_APT": "install-fails"})
    assert (seen.code, seen.stdout) == (3, "")
    assert "E: no such luck\n" in seen.stderr
    assert seen.stderr.endswith("  apt-get install -y --no-install-recommends alpha beta\n")
    assert not (bare.root / ".venv").exists()


def test_a_failed_update_leaves_the_verdict_to_the_install(bare: Checkout) -> None:
    assert bare.run(env={"FAKE_APT": "update-fails"}).code == 0


def test_without_dpkg_the_user_is_told_what_is_wanted(fresh: Checkout) -> None:
    (fresh.tools / "dpkg-query").unlink()
    seen = fresh.run()
    assert (seen.code, seen.stdout) == (3, "")
    assert "CRATEGRAD_SKIP_PACKAGES=1" in seen.stderr
    assert seen.stderr.endswith("  alpha beta\n")


def test_skipped_packages_are_asked_for_once_they_are_not_skipped(bare: Checkout) -> None:
    skip = {"CRATEGRAD_SKIP_PACKAGES": "1"}
    assert (bare.run(env=skip).code, bare.take_calls()) == (0, ["venv", "pip"])
    assert (bare.run(env=skip).code, bare.take_calls()) == (0, [])
    assert bare.run().code == 0
    assert bare.take_calls()[:2] == ["dpkg-query", "apt-get update"]


# Where nothing may or can be installed


def test_offline_says_all_that_is_missing(bare: Checkout) -> None:
    seen = bare.run(env={"CRATEGRAD_OFFLINE": "1"})
    assert (seen.code, seen.stdout) == (3, "")
    assert seen.stderr == (
        "crategrad: CRATEGRAD_OFFLINE is set, so this is not installed: Debian packages alpha; the Python environment\n"
    )
    assert bare.take_calls() == ["dpkg-query"]


def test_offline_goes_on_where_all_is_there(ready: Checkout) -> None:
    offline = {"CRATEGRAD_OFFLINE": "1"}
    assert (ready.run(env=offline).code, ready.take_calls()) == (0, [])
    (ready.root / "debian-packages.txt").write_text("beta\n")
    assert (ready.run(env=offline).code, ready.take_calls()) == (0, ["dpkg-query"])


def test_offline_0_is_not_offline(fresh: Checkout) -> None:
    assert fresh.run(env={"CRATEGRAD_OFFLINE": "0"}).code == 0


def test_a_failed_pip_shows_the_end_of_its_log_and_is_tried_again(fresh: Checkout) -> None:
    seen = fresh.run(env={"FAKE_PIP_FAILS": "1"})
    assert (seen.code, seen.stdout) == (3, "")
    assert seen.stderr.splitlines()[1:] == [
        "a hash does not match",
        f"crategrad: the end of {fresh.root}/.venv.log is above",
        "crategrad: the Python environment was not made",
    ]
    fresh.take_calls()
    assert (fresh.run().code, fresh.take_calls()) == (0, ["dpkg-query", "venv", "pip"])


def test_a_python_that_the_lock_is_not_for_is_refused(fresh: Checkout) -> None:
    seen = fresh.run(env={"FAKE_PYTHON_IS_OTHER": "1"})
    assert (seen.code, fresh.take_calls()) == (3, ["dpkg-query"])
    assert "set CRATEGRAD_PYTHON to one" in seen.stderr


@pytest.fixture
def read_only() -> Iterator[Checkout]:
    # Not in tmp_path, whose parents only its owner may enter: root can write everywhere and has to be somebody else.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        checkout = make_checkout(Path(folder))
        checkout.root.chmod(0o555)
        yield checkout
        checkout.root.chmod(0o755)


def test_a_checkout_that_cannot_be_written_is_refused(read_only: Checkout) -> None:
    somebody = {"user": 65534} if os.getuid() == 0 else {}
    seen = read_only.run(**somebody)
    assert (seen.code, seen.stdout) == (3, "")
    assert seen.stderr == f"crategrad: there is something to set up, and {read_only.root} is not writable\n"


# The lock and the real pip


def test_the_lock_has_all_that_was_asked_for_and_nothing_of_catalysts() -> None:
    asked = re.findall(r"^([a-z][\w-]*)(?:==(\S+))?", (ROOT / "requirements.in").read_text(), re.MULTILINE)
    pins = dict(re.findall(r"^(\S+)==(\S+) ", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {name: version or pins[name] for name, version in asked}.items() <= pins.items()
    assert not {"jax", "pennylane", "numpy"} & set(pins)


def make_wheel(folder: Path) -> str:
    """Write a wheel of a doit of one line, and give the line of a lock for it."""
    info = "doit-0.0.1.dist-info"
    files = {
        "doit/__main__.py": "def main(): print('the real pip installed me')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: doit\nVersion: 0.0.1\nRequires-Dist: not-to-be-installed\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ndoit = doit.__main__:main\n",
    }

    def record(name: str) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name].encode()).digest()).decode().rstrip("=")
        return f"{name},sha256={digest},{len(files[name])}\n"

    files[f"{info}/RECORD"] = "".join(map(record, files)) + f"{info}/RECORD,,\n"
    wheel = folder / "doit-0.0.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return f"doit==0.0.1 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.mark.skipif(not Path("/usr/bin/python3.11").exists(), reason="needs Debian 12's Python")
def test_the_real_pip_believes_nothing_but_the_lock(fresh: Checkout) -> None:
    line = make_wheel(fresh.outside)
    env = {
        "CRATEGRAD_PYTHON": "",
        "PATH": f"{fresh.tools}:/usr/bin:/bin",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(fresh.outside),
        "PIP_TARGET": str(fresh.outside / "target"),
        "PIP_USER": "1",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PYTHONHOME": "/nowhere",
    }
    lock = fresh.root / "requirements.lock"
    lock.write_text("doit==0.0.1\n")
    seen = fresh.run(env=env)
    assert seen.code == 3
    assert "Hashes are required" in seen.stderr
    lock.write_text(line)
    seen = fresh.run(env=env)
    assert (seen.code, seen.stdout) == (0, "the real pip installed me\n")
    assert not (fresh.outside / "target").exists()


def test_cargo_finds_its_subcommand_in_the_environment(ready: Checkout) -> None:
    """`cargo autodiff` where .venv/bin is on PATH; an older environment gets it without being made anew."""
    link = ready.root / ".venv/bin/cargo-autodiff"
    assert link.resolve() == ready.root / "cargo-autodiff"
    link.unlink()
    assert (ready.run().code, ready.take_calls()) == (0, ["dpkg-query"])
    assert link.is_symlink()
