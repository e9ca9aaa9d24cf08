// rust/src/programs/option.rs.
#include "measure.hpp"

constexpr double YEARS = 1;

struct Price {
    static constexpr size_t BLOCKS = 2;
    size_t paths, steps;
    Blocks blocks;
    std::vector<double> draws;

    Price(const Sizes &sizes, Numbers &numbers) : paths(sizes[0]), steps(sizes[1]) {
        blocks.push_back(numbers.many(steps, 0.1, 0.4));
        blocks.push_back({100, 0.03, 101});
        draws = numbers.many(paths * steps, -1.7, 1.7);
    }

    auto constants() const { return std::tuple(draws.data(), paths, steps); }

    static double function(const double *__restrict volatilities, const double *__restrict market,
                           const double *__restrict draws, size_t paths, size_t steps) {
        double today = market[0], interest = market[1], agreed = market[2];
        double time = YEARS / double(steps), sum = 0;
        for (size_t path = 0; path < paths; path++) {
            double logarithm = std::log(today), total = 0;
            for (size_t i = 0; i < steps; i++) {
                double volatility = volatilities[i];
                logarithm += (interest - 0.5 * volatility * volatility) * time +
                             volatility * std::sqrt(time) * draws[path * steps + i];
                total += std::exp(logarithm);
            }
            sum += std::fmax(total / double(steps) - agreed, 0);
        }
        return std::exp(-interest * YEARS) * sum / double(paths);
    }
};

int main(int count, char **words) { return measure<Price>(count, words); }
