"""Programs of every header, activity, mode and optimisation level, each against its closed form.

`types` is a small model of Rust's types, `headers` one of headers and the programs around them, `catalogue` the headers
that are tried and `composite` random ones; `runner` builds many programs at once and finds out what became of each.
`python -m tests.table` writes `docs/table.md`.
"""
