"""Repairs of what rustc's ABI and LLVM's passes make of functions, so that Enzyme sees floats as floats and every callee.

Each takes the module and the shims that are differentiated, and touches only what they call.  What a repair cannot mend
stays as it is: the audit after it refuses what would come out wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import (
    apart,
    asked_outside,
    beginnings,
    by_pointer,
    c_names,
    c_structs,
    carried,
    chosen_copies,
    chosen_results,
    chunks,
    constant_numbers,
    constants,
    copies,
    dispatch,
    entries,
    extremes,
    fills,
    floats,
    foreign,
    frees,
    frozen,
    growth,
    handed_on,
    hash_tables,
    inline,
    integers,
    joins,
    libm,
    locks,
    loops,
    members,
    mixed,
    nested,
    opaque,
    overlaid,
    overlaps,
    overwritten,
    panics,
    parsed,
    pointers,
    primals,
    promises,
    raised,
    recursive_results,
    results,
    retype,
    reused,
    said_pointers,
    scopes,
    shadows,
    siblings,
    signs,
    split_words,
    statics,
    switches,
    texts,
    thread_locals,
    undefined,
    unguarded,
    unions,
    unwanted,
    variants,
    vtables,
    zeroed,
)
from pipeline.repairs.inline import CLEAN
from pipeline.repairs.words import Words

ENZYMES_OWN = (
    "float2int,lower-constant-intrinsics,"
    "loop(loop-rotate<header-duplication;no-prepare-for-lto>,loop-deletion,loop-unroll-full),gvn,sroa<preserve-cfg>"
)
"""The passes that Enzyme runs before it looks at anything (`augmentPassBuilder` in its Enzyme.cpp), inlining apart.

They make of a loop over two words the word with its halves: done here first, that is mended, too.
"""


def tidy(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Clean up all that the shims reach, be there something to mend or not; nothing is logged.

    Not only where vectors grow: what is mended later is found in what this leaves.
    """
    for function in call_tree(editor, shims):
        editor.run_passes(CLEAN, function)
    return []


def normalise(editor: Editor, functions: Iterable[Value]) -> None:
    """Have functions as Enzyme would have them first, be there something to mend or not."""
    for function in functions:
        switches.say_cases(editor, function)
        editor.run_passes(f"{ENZYMES_OWN},{CLEAN}", function)


OF_RUNGS = {"said_pointers": said_pointers.say_of_all, "variants": variants.copy_each, "places": variants.forget_places}
"""Those that a rung of the ladder asks for (`pipeline/ladder.py`), where Enzyme refuses what all others left."""

_OF_CALLS = (
    ("libm", libm.know_by_c_name),
    ("signs", signs.of_floats),
    ("c_names", c_names.give_own),
    ("c_structs", c_structs.hand_on_each),
    ("inline", inline.results_of_text),
    ("apart", apart.say_inactive),
    ("parsed", parsed.say_inactive),
    ("foreign", foreign.say_inactive),
    ("locks", locks.keep_apart),
    ("nested", nested.inline),
    ("inline", inline.what_shims_call),
    ("inline", inline.headers_with_packed_floats),
    ("dispatch", dispatch.indirect_calls),
    ("apart", apart.say_inactive),  # of what is called by its name only now
    ("inline", inline.headers_with_packed_floats),
    ("by_pointer", by_pointer.recursive_headers),
    ("growth", growth.inline_raw_vec),
    ("growth", tidy),
    ("growth", growth.by_copy),
    ("inline", inline.results_with_pointers_for_numbers),  # not those that growth inlines
    ("inline", inline.addresses_of_thread_locals),
    ("texts", texts.say_capacity),
)
_OF_MEMORY = (
    ("unions", unions.part),
    ("dispatch", dispatch.call_what_is_known),
    ("members", members.choose),
    ("entries", entries.unite),
    ("undefined", undefined.begin_as_zero),
    ("recursive_results", recursive_results.hide),
    ("overlaps", overlaps.by_copy),
    ("chosen_copies", chosen_copies.one_by_one),
    ("zeroed", zeroed.by_store),
    ("texts", texts.be_their_own_shadows),
    ("copies", copies.say_what_is_copied),
    ("fills", fills.say_what_is_filled),
    ("vtables", vtables.keep_from_shadows),
    ("handed_on", handed_on.nothing_instead),
    ("statics", statics.say_inactive),
    ("thread_locals", thread_locals.give_shadows),
    ("overlaid", overlaid.store_once),
    ("reused", reused.hide),
    ("floats", floats.say_loaded),
    ("extremes", extremes.by_older_intrinsics),
)
_OF_PATHS = (
    ("panics", panics.keep),
    ("switches", switches.lower),
    ("chunks", chunks.count),
    ("loops", loops.shape),
    ("joins", joins.part),
    ("asked_outside", asked_outside.keep),
    ("loops", loops.tell_apart),  # by ends of which nothing is kept
    ("siblings", siblings.tell_apart),
    ("overwritten", overwritten.keep),
    ("carried", carried.use_twice),
    ("integers", integers.say_inactive),
    ("undefined", undefined.choose_the_defined),
    ("chosen_results", chosen_results.choose),
    ("extremes", extremes.let_nan_give_way),
    ("primals", primals.preserve),  # of what the others have made, too
    ("scopes", scopes.say_less),
)
NAMES = (
    *dict.fromkeys(name for name, _ in _OF_CALLS),
    *("raised", "split_words", "hash_tables", "retype", "pointers", "opaque", "constants", "unguarded"),
    *dict.fromkeys(name for name, _ in _OF_MEMORY + _OF_PATHS),
    *(
        "shadows",
        "mixed",
        "beginnings",
        "constant_numbers",
        "frees",
        "frozen",
        "results",
        "said_pointers",
        "unwanted",
        "promises",
    ),
)
"""The repairs, in the order in which they are first made."""


def repair(module: Module, shims: Sequence[Value], forward: Sequence[Value] = (), without: Collection[str] = ()) -> list[str]:
    """Mend what the shims call, some repairs left out; what was done, a line each.

    `forward` are those of the shims that are differentiated in forward mode.
    """
    editor = Editor(module)
    done: list[str] = []
    for name, mend in _OF_CALLS:
        done += mend(editor, shims) if name not in without else []
    done += raised.choose_pointers(editor, shims, forward) if "raised" not in without else []
    done += _words(editor, shims, without)
    done += constants.keep_out(editor, forward) if "constants" not in without else []
    by_pointer.say_what_is_read(editor, shims)
    done += unguarded.by_words(editor, shims) if "unguarded" not in without else []
    for name, mend in _OF_MEMORY + _OF_PATHS:
        done += mend(editor, shims) if name not in without else []
    reverse = [shim for shim in shims if shim not in forward]
    done += reused.keep(editor, reverse) if "reused" not in without else []
    done += shadows.store_alike(editor, forward, reverse) if "shadows" not in without else []
    # Last, as others allocate, too.
    done += mixed.make_active(editor, shims) if "mixed" not in without else []
    done += beginnings.make_active(editor, forward) if "beginnings" not in without else []
    done += constant_numbers.say_floats(editor, forward) if "constant_numbers" not in without else []
    done += frees.as_the_others(editor, reverse) if "frees" not in without else []
    done += frozen.keep_shadows(editor, reverse) if "frozen" not in without else []
    done += results.keep(editor, shims) if "results" not in without else []  # others call, too
    done += said_pointers.say_of_chosen(editor, shims) if "said_pointers" not in without else []
    done += undefined.compute_with_zero(editor, shims) if "undefined" not in without else []  # what calls take, too
    done += unwanted.let_zero_be_strong(editor, shims) if "unwanted" not in without else []
    done += promises.take_back(editor, reverse) if "promises" not in without else []
    return done


def _words(editor: Editor, shims: Sequence[Value], without: Collection[str]) -> list[str]:
    """Mend the words that each function moves."""
    done = []
    functions = list(call_tree(editor, shims))
    normalise(editor, functions)
    for function in functions:
        if "split_words" not in without and split_words.split(editor, function):
            editor.run_passes(CLEAN, function)
            done.append(f"split_words: {editor.module.name(function)}")
    done += hash_tables.keep_apart(editor, shims) if "hash_tables" not in without else []
    words = Words(editor, shims)
    for function in functions:
        if "retype" not in without and retype.retype(editor, function, words):
            retype.variables(editor, function)
            editor.run_passes(CLEAN, function)
            done.append(f"retype: {editor.module.name(function)}")
        if "pointers" not in without and pointers.retype(editor, function, words):
            done.append(f"pointers: {editor.module.name(function)}")
        if "opaque" not in without and opaque.hide_integers(editor, function):
            done.append(f"opaque: {editor.module.name(function)}")
    return done
