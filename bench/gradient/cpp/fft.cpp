// rust/src/programs/fft.rs.
#include "measure.hpp"

#include <numbers>

struct Spectrum {
    static constexpr size_t BLOCKS = 1;
    size_t length;
    Blocks blocks;
    std::vector<double> weights, roots;

    Spectrum(const Sizes &sizes, Numbers &numbers) : length(sizes[0]) {
        blocks.push_back(numbers.many(2 * length, -1, 1));
        weights = numbers.many(length, 0, 1);
        for (size_t k = 0; k < length / 2; k++) {
            double angle = -2 * std::numbers::pi * double(k) / double(length);
            roots.push_back(std::cos(angle));
            roots.push_back(std::sin(angle));
        }
    }

    auto constants() const { return std::tuple(roots.data(), weights.data(), length); }

    static double function(const double *__restrict signal, const double *__restrict roots, const double *__restrict weights,
                           size_t length) {
        Zeros<double> x(2 * length);
        for (size_t i = 0; i < length; i++) {
            size_t from = 0;
            for (size_t bit = 1, mirrored = length / 2; bit < length; bit *= 2, mirrored /= 2)
                from |= i & bit ? mirrored : 0;
            x[2 * i] = signal[2 * from];
            x[2 * i + 1] = signal[2 * from + 1];
        }
        for (size_t half = 1; half < length; half *= 2) {
            size_t stride = length / (2 * half);
            for (size_t block = 0; block < length; block += 2 * half)
                for (size_t k = 0; k < half; k++) {
                    double *a = x + 2 * (block + k), *b = a + 2 * half;
                    const double *root = roots + 2 * k * stride;
                    double re = b[0] * root[0] - b[1] * root[1];
                    double im = b[0] * root[1] + b[1] * root[0];
                    b[0] = a[0] - re;
                    b[1] = a[1] - im;
                    a[0] += re;
                    a[1] += im;
                }
        }
        double sum = 0;
        for (size_t i = 0; i < length; i++)
            sum += weights[i] * std::log(1 + x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);
        return sum;
    }
};

int main(int count, char **words) { return measure<Spectrum>(count, words); }
