"""`./doit graph`: the stages of a build and the crates that go into it, drawn, and as JSON (`docs/graph.md`).

state        fresh, stale and why
stage_graph  the stages of the config, with what they read of each other
crate_graph  the crates, as cargo knows them
choosing     what of many crates is drawn
drawing      both as SVG, by Graphviz
report       what is printed, and the JSON
"""
