"""Fits a normal distribution to samples by the gradient that the library beside this file gives, and says how right it is.

Build the library first: ./doit build crate=examples/python_extension
"""

from __future__ import annotations

import ctypes
import math
import statistics
import sys
from pathlib import Path

SAMPLES = (2.1, 3.4, 1.9, 2.8, 3.0, 2.2, 4.1, 2.6)

Pair = ctypes.c_double * 2
Samples = ctypes.c_double * len(SAMPLES)


def load(config: str) -> ctypes.CDLL:
    """The library as it was built by a config."""
    library = ctypes.CDLL(str(Path(__file__).parent / "target/crategrad" / config / "libdensity.so"))
    function = library.likelihood_and_gradient
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.POINTER(Pair), ctypes.POINTER(Pair), ctypes.POINTER(Samples), ctypes.c_size_t]
    return library


def main(config: str = "default") -> None:
    """Climb to the largest likelihood; the mean and the deviation there are known."""
    library, samples = load(config), Samples(*SAMPLES)
    parameters, gradient = Pair(0.0, 1.0), Pair()
    for step in range(2001):
        value = library.likelihood_and_gradient(parameters, gradient, samples, len(samples))
        if step % 400 == 0:
            print(f"{step:>6} {value:>12.6f}   mean {parameters[0]:.6f}   deviation {math.exp(parameters[1]):.6f}")
        for i in range(2):
            parameters[i] += 0.02 * gradient[i]
    mean, deviation = statistics.fmean(SAMPLES), statistics.pstdev(SAMPLES)
    print(f"closed form {' ' * 9} mean {mean:.6f}   deviation {deviation:.6f}")
    if not (math.isclose(parameters[0], mean, rel_tol=1e-9) and math.isclose(math.exp(parameters[1]), deviation, rel_tol=1e-9)):
        sys.exit("the gradient is wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
