"""The crate `autodiff`, and a crate that depends on it, built by the real cargo in either kind of build."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "frontend"
CARGO = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo"))
RUSTC = CARGO.with_name("rustc")
PIPELINE = "--cfg crategrad"

MANIFEST = f"""
[package]
name = "forms"
version = "0.0.0"
edition = "2024"

[lib]
path = "{PROGRAMS / "forms.rs"}"

[dependencies]
autodiff = {{ path = "{ROOT / "rust" / "autodiff"}" }}

[workspace]
"""

CALLER = """
fn main() {
    let mut dx = [0.0; 2];
    forms::d_dot(&[1.0, 2.0], &mut dx, &[3.0, 4.0], &mut [0.0; 2], 1.0);
}
"""


Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Build:
    """What cargo made of the crate `forms`, in one kind of build."""

    messages: str
    autodiff: Path
    """The facade's rlib."""
    dependencies: tuple[Path, ...]
    """The directories of what it depends on."""
    out: Path
    """An empty directory for what is compiled against it."""

    def rustc(self, source: Path, *arguments: str, edition: str = "2024", **environment: str) -> Done:
        """Compile one file against the facade."""
        found = [f"-Ldependency={directory}" for directory in self.dependencies]
        command = [str(RUSTC), f"--edition={edition}", str(source), f"--extern=autodiff={self.autodiff}", *found]
        return run([*command, "--out-dir", str(self.out), *arguments], self.out, **environment)

    def llvm_ir(self, opt_level: int) -> str:
        """The crate `forms` as the text of an LLVM module."""
        done = self.rustc(PROGRAMS / "forms.rs", "--crate-type=lib", "--emit=llvm-ir", f"-Copt-level={opt_level}")
        assert done.returncode == 0, done.stderr
        return (self.out / "forms.ll").read_text()


def run(command: list[str], cwd: Path, **environment: str) -> Done:
    """Run a command with the cargo and rustc under test, and no flags of the environment's."""
    # Cargo takes the rustc that is beside it, whatever the PATH says.
    environment = {
        **os.environ,
        "RUSTC": str(RUSTC),
        "RUSTDOC": str(CARGO.with_name("rustdoc")),
        "CARGO_TERM_COLOR": "never",
        "RUSTFLAGS": "",
        **environment,
    }
    return subprocess.run(command, cwd=cwd, env=environment, text=True, capture_output=True, check=False)


def write_crate(folder: Path) -> Path:
    """A crate whose library is `frontend/forms.rs` and whose program calls a derivative of it."""
    (folder / "Cargo.toml").write_text(MANIFEST)
    (folder / "src").mkdir()
    (folder / "src" / "main.rs").write_text(CALLER)
    return folder


def for_host() -> str:
    """The option `--target` for this machine: flags are then those of the program alone, and all builds share the macros."""
    host = re.search(r"^host: (.*)$", run([str(RUSTC), "-vV"], Path()).stdout, re.MULTILINE)
    assert host
    return f"--target={host[1]}"


def build(crate: Path, flags: str, *targets: str) -> Build:
    """Build the crate with cargo and these flags for rustc."""
    command = [str(CARGO), "build", "--message-format=json", for_host(), f"--target-dir={crate / 'target'}"]
    done = run([*command, *targets], crate, RUSTFLAGS=flags)
    assert done.returncode == 0, done.stdout + done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    artifacts = {m["target"]["name"]: m["filenames"] for m in messages if m["reason"] == "compiler-artifact"}
    rlib = next(Path(name) for name in artifacts["autodiff"] if name.endswith(".rlib"))
    macros = Path(artifacts["autodiff_macros"][0])
    out = crate / ("pipeline" if flags else "plain")
    out.mkdir()
    warned = "".join(m["message"]["rendered"] for m in messages if m["reason"] == "compiler-message")
    return Build(warned + done.stderr, rlib, (rlib.parent, macros.parent), out)
