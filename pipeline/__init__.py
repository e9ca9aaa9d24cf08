"""Crategrad: gradients of Rust functions by the Enzyme LLVM pass, from outside rustc.

One room per stage (`stages/`), one file per merge strategy (`strategies/`).
Values flow one way: config and crate -> plan (stages as frozen values) -> tasks (doit) -> store (files by content).
"""
