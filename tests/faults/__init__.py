"""Faults: what a cache must bear.  Each test is short, or full with `./doit test --faults`; both tell how many."""
