"""The README's table of limits is what is refused: each message has its row, and each row its messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pipeline.advice import _WORDS
from tests.workbench import ROOT

LIMITS = (ROOT / "README.md").read_text().partition("## Honest limits")[2].partition("\n## ")[0]
AUDIT = sorted((ROOT / "pipeline/audit").glob("*.py"))
SOURCES = [*AUDIT, *(ROOT / "pipeline" / name for name in ("enzyme_driver.py", "marked.py"))]
SOURCES += [ROOT / "pipeline/stages" / name for name in ("enzyme.py", "abi_fixup.py")]
REFUSING = {"Diagnostic": 0, "RefusedError": 1, "UserError": 0}
"""What makes a refusal, and which of its arguments is the message."""

ROWS = {
    "- Headers:": (
        "values made of nothing but numbers",
        "there is no float in it",
        "hold them by value, `&mut`",
        "the types of its arguments are not known",
    ),
    "foreign functions without bitcode": (
        "`{}` has no body in the program's bitcode, and Enzyme",
        "its primal `{}` has no body",
        "a variadic function",
        "called by another header",
        "gamma function wants digamma",
        "a foreign function that is called here",
        "given a function to call",
        "what a foreign function writes",
    ),
    "inline assembly": ("inline assembly", "instruction of the processor"),
    "a name of C's": ("called from outside of Rust",),
    "more than 64 functions": ("through a pointer would count as constant", "comes from outside of the program"),
    "a float written to a `static`": (
        "a thread-local that may hold floats",
        "a static that may hold floats",
        "a static that may change",
    ),
    "files, the environment": ("what std asks", "what std keeps in a thread-local", "what std keeps in a static"),
    "text written elsewhere": ("text is written here", "said to have no derivative returns a float"),
    "an `#[inactive]` function": ("given memory to keep", "returns through memory"),
    "computed with by their bits": (
        "the bits of a float are computed with",
        "an integer that was computed is stored",
        "the bits of an integer are taken",
        "the bits of a float are moved",
        "moved in parts",
        "the bits of what may be a float",
    ),
    "exchanged in an atomic": ("an exchange of pointers", "an exchange in memory"),
    "enums and unions": (
        "a word that may hold floats",
        "what may be half of a float",
        "moved as a pointer",
        "the bits of an integer that is stored here would be added",
        "in the integers of its header",
        "returns floats beside integers",
    ),
    "copies of many elements": ("a copy of elements", "amid an element", "may be of a `Const` argument", "now of one type"),
    "loops that reverse mode": (
        "a loop is entered",
        "this loop is left",
        "what this loop ends on",
        "this loop ends where",
        "this loop goes on",
        "this loop reads",
        "a run of this loop begins",
        "what this loop carries is undefined",
        "what is computed with here may be undefined",
        "written over by a later run",
        "a value that this loop carries",
        "what a loop came to",
    ),
    "three ways that come together": (
        "three ways",
        "comes here twice",
        "what is returned here would be lost",
        "is sure only behind",
    ),
    "an infinite slope": ("an infinite slope", "the larger or the smaller"),
    "memory of which": (
        "allocated zeroed",
        "one of several at a place",
        "what another reference reads",
        "freed twice",
        "what is later in its place",
        "a recursive function returns by pointer",
        "an overlapping move",
        "reverse mode would take it for an adjoint",
        "a value of another type is written",
        "a reference is stored here where a number is",
    ),
    "in reverse mode: memory": ("is replaced here",),
    "in forward mode": (
        "stored as an integer here, and forward mode",
        "a constant's number",
        "may be without a derivative",
        "and not in its tangent",
    ),
    "finds no type for": (
        "it cannot be told whether",
        "values of two types",
        "does not say why",
        "broke down",
        "does not end",
        "Enzyme: {}",
    ),
}
"""Words of each row of the table, and of the line about headers; and of each message that is told there."""

NO_LIMITS = (
    "the crate uses an `autodiff` of version",
    "description cannot be read",
    "placeholder is used otherwise",
    "placeholder is called without",
    "the placeholder passes",
    "this pipeline knows no {}",
    "`enzyme.flags` in the config has it",
)
"""Of messages that are about a frontend that does not fit the pipeline, or about the config."""


def rows() -> list[str]:
    """The first column of the table, and the line about headers."""
    table = [row[0] for line in LIMITS.splitlines() if (row := re.findall(r"^  \| (.*?) \| ", line))]
    return [*table[1:], *re.findall("^- Headers:.*", LIMITS, re.MULTILINE)]


def test_each_row_is_of_messages_and_each_message_of_one_row() -> None:
    assert {row: [words for words in ROWS if words in row] for row in rows() if sum(words in row for words in ROWS) != 1} == {}
    assert [words for words in ROWS if sum(words in row for row in rows()) != 1] == []
    told = [*(words for of_row in ROWS.values() for words in of_row), *NO_LIMITS]
    assert {said: [words for words in told if words in said] for said in messages() if _count(told, said) != 1} == {}
    assert [words for words in told if not any(words in said for said in messages())] == []


def _count(told: list[str], said: str) -> int:
    return sum(words in said for words in told)


@cache
def messages() -> frozenset[str]:
    """All that is refused with, by the sources; what differs from time to time is `{}`."""
    in_words_of_rust = (re.sub(r"\{\w+\}", "{}", words) for words in _WORDS.values())
    return frozenset([*(said for path in SOURCES for said in _said(path)), *in_words_of_rust])


def _said(path: Path) -> Iterator[str]:
    """What is handed to a refusal; what is returned and begins as an error does; the audit's constants that are sentences."""
    tree = ast.parse(path.read_text())
    named = {
        target.id: _text(node.value, {})
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSING and node.args:
            yield from filter(None, [_text(node.args[REFUSING[node.func.id]], named)])
        if isinstance(node, ast.Return) and node.value and _text(node.value, {}).startswith("error: "):
            yield _text(node.value, {})
    if path in AUDIT:
        yield from (text for name, text in named.items() if name.startswith("_") and " " in text)


def _text(node: ast.expr, named: dict[str, str]) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value, named) if isinstance(value, ast.Constant) else "{}" for value in node.values)
    if isinstance(node, ast.Name):
        return named.get(node.id, "")
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
