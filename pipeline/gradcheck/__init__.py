"""`./doit gradcheck`: a crate's derivatives, checked at random points by the program itself (`docs/check.md`).

Data flows one way: the plans of `builds`, the program's answers in `harness`, what is told of them in `report`.
"""
