"""What Enzyme says in words of Rust, and what can be done about a refusal, whoever refuses."""

from __future__ import annotations

import re
from dataclasses import replace

from pipeline.enzyme_driver import Diagnostic

_LONGEST = 300
"""Enzyme prints all it knows of a type at times."""

_APART = "put it into a function `#[autodiff::inactive]` that returns numbers or nothing (docs/frontend.md)"
_PROCESSOR = "of the processor"
_REPLACED = "is replaced here"
_INACTIVE = f"if no derivative is wanted of it, {_APART}"
_HAND_IN = "hand the value in as an argument, `Const` if it does not count, and return what is to be kept"
_FLOATS = "compute with the float itself: `abs`, `copysign`, `signum`, `powi`, `exp2`, `ln`, `sqrt`, `floor` have derivatives"
_OF_STD = f"hand in what it gives as an argument; or {_APART}"
_TYPES = "give the value a type of its own: a struct, or an enum whose variants do not share a word with its floats"
_RUST = f"write it in Rust; {_INACTIVE}"
_BITCODE = f"write it in Rust, or have a build script compile its C by clang (`c_bitcode`, docs/artifacts.md); {_INACTIVE}"

_WORDS = {
    r"Enzyme: No (?:augmented forward pass|forward mode derivative|reverse pass) found for (?P<name>[^\s(]+).*": (
        "`{name}` has no body in the program's bitcode, and Enzyme knows no derivative of it"
    ),
    r"Enzyme: No create nofree of (?:empty function|unknown value) \(?(?P<name>[^\s)(]+).*": (
        "`{name}` has no body in the program's bitcode, and Enzyme knows no derivative of it"
    ),
    r"Enzyme: cannot handle (?:\(\w+\) )?unknown intrinsic ?(?P<name>\S*).*": (
        "Enzyme knows no derivative of this instruction of the processor, or function of LLVM's {name}"
    ),
    r"Enzyme: cannot handle unknown binary operator.*": "the bits of what may be a float are computed with as an integer here",
    r"Enzyme: Cannot deduce (?:adding )?type.*": "it cannot be told whether this is a float or an integer",
    r"Enzyme: the same memory holds values of two types.*": "the same memory holds values of two types, as far as can be told",
    r"Enzyme: in Mode: .*": "an exchange in memory that may hold floats, as of an atomic, cannot be differentiated",
    r"Enzyme: cannot compute with global variable.*": "a static that may change cannot be differentiated",
    r"Enzyme: +overwritten_args\.size.*": "Enzyme knows no derivative of a foreign function that is called here",
    r"Enzyme: it does not say why.*": "Enzyme refuses this, and does not say why",
}
"""What Enzyme says, and what it means."""

_HELP = {
    r"what std (?:asks|keeps)": _OF_STD,
    r"pthread_create": "have the thread call a derivative, and not the derivative a thread",
    r"static|thread-local": _HAND_IN,
    _REPLACED: "write into what is there (`&mut [f64]`), or make it `Const` where it is only filled; forward mode takes it",
    r"not in its tangent": "differentiate one function in reverse mode, and another like it in forward mode",
    r"may hold floats is moved|half of a float|stored as an integer": _TYPES,
    r"\bbits\b": _FLOATS,
    r"no body in the program": _BITCODE,
    r"variadic|digamma|foreign function|inline assembly|instruction of the processor": _RUST,
    r"another header": "hand on a pointer to the struct (`*const S`), or write the function in Rust",
    r"called from outside of Rust": "call a function without `#[no_mangle]` from both, and have that differentiated",
    r"called here through a pointer": f"name what is called, or choose by an `enum` and `match`; {_INACTIVE}",
    r"text is written": "make the text outside of the differentiated function, or print it (`println!`)",
    r"atomic|exchange": "keep floats in a `Cell`, a `RefCell` or a `Mutex`",
    r"broke down|does not end|does not say why": f"the log has Enzyme's last words, and the function; {_INACTIVE}",
    r"two types": f"give each variable a type of its own, without a `union` or a cast of pointers; {_INACTIVE}",
    r"said to have no derivative": "leave the floats out of what it returns and writes, or do not write text in it",
    r"loop|iteration": "give the loop one exit and a counter of its own, or write it as an iterator (docs/abi.md)",
}
"""By what is said, what to do; the first that fits counts."""

_ELSE = f"write this place otherwise (docs/abi.md has what is known to be refused); {_INACTIVE}"


def in_words_of_rust(diagnostic: Diagnostic) -> Diagnostic:
    """The refusal as a user of Rust understands it, with what can be done; Enzyme's own words as a note."""
    said = _shortened(diagnostic.message)
    meant, notes = said, diagnostic.notes
    for pattern, words in _WORDS.items():
        if match := re.fullmatch(pattern, said, re.DOTALL):
            meant, notes = words.format(**match.groupdict()).strip(), (said, *notes)
            break
    help_line = next((help_line for pattern, help_line in _HELP.items() if re.search(pattern, meant)), _ELSE)
    return replace(diagnostic, message=meant, notes=notes, help=help_line)


def of_what_is_called(diagnostic: Diagnostic, place: str, leads_to: str) -> Diagnostic:
    """A refusal of something in std, or in another crate, at the place in the user's that leads there."""
    deep = f"it is in what is called here, at {leads_to}"
    is_as_elsewhere = any(said in diagnostic.message for said in (_PROCESSOR, _REPLACED))
    help_line = diagnostic.help if is_as_elsewhere else _OF_STD
    return replace(diagnostic, place=place, is_deep=True, notes=(*diagnostic.notes, deep), help=help_line)


def _shortened(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]} …"
