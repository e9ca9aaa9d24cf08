"""Malformed configs: each is refused with its line and exit code 3, at once, in little memory.

python -m tests.faults.test_configs COUNT    refuse so many, and tell what it took, as JSON
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipeline import config, yaml_source
from pipeline.config import ConfigError, load
from tests.conftest import Rounds
from tests.workbench import ROOT, doit

MOST_SECONDS, MOST_BYTES = 2, 200 * 10**6

SHIPPED = [path.read_text() for path in sorted((ROOT / "configs").glob("*.yaml"))]
PLAIN = [re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE) for text in SHIPPED]
KEYS = sorted(config._keys())
SECTIONS = sorted(key for key in KEYS if "properties" in config._keys()[key])
TOKENS = [
    "\t",
    " ",
    "\n",
    ":",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!!int ",
    "<<: ",
    "? ",
    "| ",
    ">\n",
    "'",
    '"',
    "#",
    "%",
    "@",
]
TOKENS += [
    "\0",
    "\x85",
    "\ufeff",
    "yes",
    "~",
    ".inf",
    "0x_",
    "1:99",
    "---\n",
    "...\n",
    "9" * 50,
    "é",
    "\ud800",
    "`",
    ",",
    "\r",
    "\\",
]
ODD = [
    "[]",
    "{}",
    "[1, 2]",
    "{a: 1}",
    "1.5",
    "-1",
    "99999999999999999999",
    "text",
    '""',
    "~",
    "2026-13-45",
    "0x_",
    ".nan",
    "1e999",
]


def bytes_of(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def mutated(dice: random.Random, texts: Sequence[str] = PLAIN) -> bytes:
    """One of the texts with pieces replaced, moved or cut."""
    text = dice.choice(texts)
    for _ in range(dice.randrange(1, 6)):
        start = dice.randrange(len(text))
        end = min(len(text), start + dice.choice([0, 0, 1, 1, 2, 8, 40]))
        piece = dice.choice([*TOKENS, text[start:end] * 2, text[dice.randrange(len(text)) :][:40]])
        text = text[:start] + piece + text[end:] or " "
    return bytes_of(text)


def truncated(dice: random.Random) -> bytes:
    text = bytes_of(dice.choice(SHIPPED + PLAIN))
    return text[: dice.randrange(len(text))]


def wrong_types(dice: random.Random) -> bytes:
    key = dice.choice(KEYS)
    section, _, name = key.rpartition(".")
    value = dice.choice(ODD)
    return bytes_of(f"extends: default\n{section}: {{{name}: {value}}}\n" if section else f"extends: default\n{key}: {value}\n")


def nested(dice: random.Random) -> bytes:
    deep = dice.choice([9, 10, 100, 1000, 10_000, 60_000])
    opening, closing = dice.choice([("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("[{a: ", "}]"), ("!x [", "]")])
    shut = closing * deep if dice.random() < 0.5 else ""
    return bytes_of(dice.choice(["", "extends: default\nopt1: "]) + opening * deep + shut)


def huge(dice: random.Random) -> bytes:
    size = dice.choice([1000, 30_000, 60_000, 70_000, 1_000_000])
    text = dice.choice(["x", "9", "1.", "..", "-", "a b", "1e", "0", "'", "%41", "é", "enzyme-"]) * (size // 2)
    key = dice.choice([*KEYS, text[:500], text])
    section, _, name = key.rpartition(".")
    quote = dice.choice(["", '"', "'"])
    inner = f"{{f: {{x: {quote}{text}{quote}}}}}"
    value = inner if key == "gradcheck.ranges" else dice.choice([text, inner, f"{quote}{text}{quote}", f"|\n  {text}"])
    return bytes_of(f"extends: default\n{section}: {{{name}: {value}}}\n" if section else f"{key}: {value}\n")


def anchored(dice: random.Random) -> bytes:
    lines = ["a: &a [x, x]"] + [f"{b}: &{b} [*{a}, *{a}]" for a, b in zip("abcdefghij", "bcdefghijk", strict=True)]
    more = [
        "b: *b",
        "c: &c {<<: *c}",
        "<<: {a: 1}",
        "*x : 1",
        "&k k: 1",
        "d: !!python/object/apply:os.system [id]",
        "%YAML 9.9\n---",
    ]
    return bytes_of("\n".join(dice.sample(lines + more, dice.randrange(1, 8))))


def doubled(dice: random.Random) -> bytes:
    key = dice.choice(KEYS).split(".")[0]
    return bytes_of(f"extends: default\n{key}: 1\n" + dice.choice(["", "# more\n"]) + f"{dice.choice([key, repr(key)])}: 2\n")


def binary(dice: random.Random) -> bytes:
    noise = dice.randbytes(dice.randrange(1, 3000))
    return dice.choice(
        [noise, bytes_of(SHIPPED[0]) + noise, b"\x7fELF" + noise, b"\xff\xfe" + "a: 1".encode("utf-16-le"), b"\0" * 99]
    )


def numerous(dice: random.Random) -> bytes:
    count = dice.choice([10, 1000, 7000])
    line = dice.choice(["k{}: 1\n", "? k{}\n", "- {}\n", "k{}\n", "? [k{}]\n: 1\n", "'{}': ~\n"])
    return bytes_of("".join(line.format(number) for number in range(count)))


KINDS: list[Callable[[random.Random], bytes]] = [
    *(mutated, truncated, wrong_types, nested, huge, anchored, doubled, binary, numerous)
]


def refuse(count: int, folder: Path) -> dict[str, object]:
    """Make configs until so many of them are refused, and tell what it took.  What loads in spite of all is none of them."""
    os.chdir(folder)
    dice, refused, loaded, slowest, strange = random.Random(6), 0, 0, 0.0, []
    by_kind = dict.fromkeys((kind.__name__ for kind in KINDS), 0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while refused < count:
        kind = dice.choice(KINDS)
        Path("x.yaml").write_bytes(kind(dice))
        begin = time.process_time()
        try:
            load("x.yaml")
            loaded += 1
        except ConfigError as error:
            refused += 1
            by_kind[kind.__name__] += 1
            if error.exit_code != 3 or not re.match(r"error: x\.yaml:\d+:\d+: \S[^\n]{0,4300}(\n  = help: |$)", error.message):
                strange.append(error.message)
        slowest = max(slowest, time.process_time() - begin)
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    told = {"refused": refused, "loaded": loaded, "strange": strange[:5], "slowest": slowest, "bytes": more}
    return {**told, "by kind": by_kind}


def test_malformed_configs_are_refused_with_their_line(tmp_path: Path, rounds: Rounds) -> None:
    argv = [sys.executable, "-m", "tests.faults.test_configs", str(rounds(400, 10_000)), str(tmp_path)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["strange"] == []
    assert min(told["by kind"].values()) > 0
    assert told["slowest"] < MOST_SECONDS
    assert told["bytes"] < MOST_BYTES
    rounds.tell(
        f"configs: {told['refused']} malformed ones refused with their line ({told['loaded']} more were none); the slowest took"
        f" {told['slowest']:.2f} s, all together {told['bytes'] / 1e6:.0f} MB"
    )


@pytest.mark.parametrize("kind", [nested, huge, binary])
def test_the_whole_command_exits_with_3(tmp_path: Path, kind: Callable[[random.Random], bytes]) -> None:
    (tmp_path / "x.yaml").write_bytes(kind(random.Random(1)))
    finished = doit("list", "config=x.yaml", cwd=tmp_path)
    assert finished.returncode == 3, finished
    assert re.match(r"error: x\.yaml:\d+:\d+: ", finished.stderr)


def test_the_limits_are_what_the_docs_say() -> None:
    assert (yaml_source.MAX_BYTES, yaml_source.MAX_DEPTH) == (64 * 1024, 8)


if __name__ == "__main__":
    print(json.dumps(refuse(int(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()))))
