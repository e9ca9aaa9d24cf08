// rust/src/programs/rk4.rs.
#include "measure.hpp"
#include "vectors.hpp"

constexpr size_t SPECIES = 3;
constexpr double STEP = 0.05;

using State = Vector<SPECIES>;

static State speed(State y, const double *rates, const double *effects) {
    return vector<SPECIES>([&](size_t i) {
        double sum = 0;
        for (size_t j = 0; j < SPECIES; j++)
            sum += effects[SPECIES * i + j] * y[j];
        return y[i] * (rates[i] + sum);
    });
}

static State ahead(State y, double by, State speed) {
    return vector<SPECIES>([&](size_t i) { return y[i] + by * speed[i]; });
}

struct Fit {
    static constexpr size_t BLOCKS = 3;
    size_t steps;
    Blocks blocks;
    std::vector<double> counts;

    Fit(const Sizes &sizes, Numbers &numbers) : steps(sizes[0]) {
        blocks.push_back(numbers.many(SPECIES, 0.5, 1));
        blocks.push_back(numbers.many(SPECIES * SPECIES, -0.6, -0.2));
        blocks.push_back(numbers.many(SPECIES, 0.2, 1));
        counts = numbers.many(SPECIES * steps, 0.2, 1);
    }

    auto constants() const { return std::tuple(counts.data(), steps); }

    static double function(const double *__restrict rates, const double *__restrict effects, const double *__restrict begin,
                           const double *__restrict counts, size_t steps) {
        State y = vector<SPECIES>([&](size_t i) { return begin[i]; });
        double sum = 0;
        for (size_t step = 0; step < steps; step++) {
            State a = speed(y, rates, effects);
            State b = speed(ahead(y, 0.5 * STEP, a), rates, effects);
            State c = speed(ahead(y, 0.5 * STEP, b), rates, effects);
            State d = speed(ahead(y, STEP, c), rates, effects);
            State mean = vector<SPECIES>([&](size_t i) { return a[i] + 2 * b[i] + 2 * c[i] + d[i]; });
            y = ahead(y, STEP / 6, mean);
            for (size_t i = 0; i < SPECIES; i++)
                sum += (y[i] - counts[SPECIES * step + i]) * (y[i] - counts[SPECIES * step + i]);
        }
        return sum / double(SPECIES * steps);
    }
};

int main(int count, char **words) { return measure<Fit>(count, words); }
