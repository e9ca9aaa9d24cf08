"""Idiomatic Rust: a corpus of functions as people write them, an area to a file, and what becomes of each."""
