"""`./doit matrix`: one crate built in many ways, cell by cell, on one machine or on several (docs/matrix.md).

reading      the file: axes, include, exclude and cells, each key checked at its place
combining    from axes to cells, as GitHub Actions does it
sharding     the cells as so many parts of about the same cost
running      the cells, one after the other
cluster      the same by the workers of a Dask cluster (`on=`)
report       what came of them: a table, JSON, JUnit's XML, Markdown
ci           what GitHub Actions and GitLab are told
command      the command
"""
