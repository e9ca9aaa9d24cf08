"""The suite of gradients (`./doit bench_gradient`): each program in Rust and in C++, built alike, compared and timed."""
