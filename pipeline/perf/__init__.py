"""What a derivative in reverse mode keeps between its two sweeps, and why (`docs/perf.md`).

numbering   values named by numbers, by which they are known again in what Enzyme says and makes
remarks     what Enzyme says while it differentiates
trial       a shim differentiated once more, with numbers and remarks
origins     what a user calls a value, and where it is in the source
tape        what is kept, how much of it and how often
reasons     why, and what can be written instead
report      all of it as text, and as JSON
"""
