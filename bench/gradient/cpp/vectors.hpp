// Small arrays by value.
#pragma once

#include <cstddef>

template <size_t N> struct Vector {
    double at[N];

    double &operator[](size_t i) { return at[i]; }
    double operator[](size_t i) const { return at[i]; }
};

// The vector of what a function gives for each place.
template <size_t N, typename Of> Vector<N> vector(Of of) {
    Vector<N> made;
    for (size_t i = 0; i < N; i++)
        made[i] = of(i);
    return made;
}
