"""Crategrad: gradients of Rust functions by the Enzyme LLVM pass, from outside rustc.

One room per stage (`stages/`), one file per merge strategy (`strategies/`).
Values flow one way: config and crate -> plan (stages as frozen values) -> tasks (doit) -> store (files by content).
"""

import gc

# A build where nothing is to do is mostly imports, and what they make lives to the end: to look through it again and
# again for garbage was a twentieth of the whole.
gc.set_threshold(100_000)
