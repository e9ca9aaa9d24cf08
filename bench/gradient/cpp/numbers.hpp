// Where all programs have their inputs from: numbers that Rust makes in the same way (rust/src/numbers.rs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Splitmix64 (Steele, Lea and Flood, 2014).
class Numbers {
  public:
    explicit Numbers(uint64_t seed) : state(seed) {}

    // A number from `low` up to `high`, all alike probable.
    double between(double low, double high) { return low + (high - low) * (double(next() >> 11) / double(1ull << 53)); }

    // So many of them.
    std::vector<double> many(size_t count, double low, double high) {
        std::vector<double> drawn(count);
        for (double &number : drawn)
            number = between(low, high);
        return drawn;
    }

    // A whole number from 0 up to `end`, which is not among them.
    size_t below(size_t end) { return next() % end; }

  private:
    uint64_t state;

    uint64_t next() {
        state += 0x9e3779b97f4a7c15;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
};
