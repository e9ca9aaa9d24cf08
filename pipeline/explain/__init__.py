"""What ran, why, and what would run (`docs/debugging.md`).

functions    which functions of two modules differ, by name
outputs      in which files, and so functions, two outputs of a stage differ
answer       `./doit why`: how each stage stands, and what moved in its key
history      `./doit history`: the runs, as a table, as JSON, as a trace for Perfetto
forecast     `dry=1`: what a build would do
"""
