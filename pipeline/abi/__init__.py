"""The ABI ledger: what becomes of each header between Rust and Enzyme, argument by argument.

shapes         when a type is a scalar, a pair of them, or memory
lowering       how rustc passes it: the Expected column
headers        what is there: the Actual column
signature      a Rust header, and how it is lowered
matching       from the one to the other
verdicts       what it comes to
stage_modules  the modules that a stage left
entry, ledger  all of it for a program
report         the ledger as tables, and as JSON
"""
