"""Random functions, differentiated in every mode at every level, against dual numbers.

`grammar` is what they are made of, `tree` what a function is, `generate` makes one from a seed, `runner` writes and judges
programs of many, `shrink` makes a small one of one that is wrong.  `python -m tests.fuzz` runs it all.
"""
