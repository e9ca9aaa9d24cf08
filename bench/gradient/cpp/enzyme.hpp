// What the functions that are differentiated are written with.
#pragma once

#include <cstddef>
#include <cstdlib>

// What Enzyme knows by name; of the calls it knows how they begin.
extern "C" {
extern int enzyme_dup, enzyme_const, enzyme_primal_return;
double __enzyme_autodiff_with_value(void *function, ...);
void __enzyme_autodiff_without(void *function, ...);
}

// Memory that begins as zeros and goes with its block: without the branches of std::vector's, which cost the derivative.
template <typename T> class Zeros {
  public:
    explicit Zeros(size_t count) : numbers(static_cast<T *>(std::calloc(count, sizeof(T)))) {}
    ~Zeros() { std::free(numbers); }
    Zeros(const Zeros &) = delete;
    Zeros &operator=(const Zeros &) = delete;

    operator T *() { return numbers; }

  private:
    T *__restrict numbers;
};
