// rust/src/programs/nbody.rs.
#include "measure.hpp"

constexpr double STEP = 1e-2, SOFT = 0.05;

static double squared_distance(const double *a, const double *b) {
    double sum = 0;
    for (size_t k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return SOFT + sum;
}

static void set_pulls(const double *__restrict places, const double *__restrict masses, double *__restrict pulls, size_t bodies) {
    for (size_t i = 0; i < bodies; i++) {
        for (size_t k = 0; k < 3; k++)
            pulls[3 * i + k] = 0;
        for (size_t j = 0; j < bodies; j++) {
            if (i == j)
                continue;
            double squared = squared_distance(places + 3 * i, places + 3 * j);
            double strength = masses[j] / (squared * std::sqrt(squared));
            for (size_t k = 0; k < 3; k++)
                pulls[3 * i + k] += strength * (places[3 * j + k] - places[3 * i + k]);
        }
    }
}

static void move_by(double step, const double *__restrict speeds, double *__restrict places, size_t count) {
    for (size_t i = 0; i < count; i++)
        places[i] += step * speeds[i];
}

struct Bodies {
    static constexpr size_t BLOCKS = 3;
    size_t bodies, steps;
    Blocks blocks;

    Bodies(const Sizes &sizes, Numbers &numbers) : bodies(sizes[0]), steps(sizes[1]) {
        blocks.push_back(numbers.many(3 * bodies, -1, 1));
        blocks.push_back(numbers.many(3 * bodies, -0.5, 0.5));
        blocks.push_back(numbers.many(bodies, 0.1, 1));
    }

    auto constants() const { return std::tuple(bodies, steps); }

    static double function(const double *__restrict places_at_first, const double *__restrict speeds_at_first,
                           const double *__restrict masses, size_t bodies, size_t steps) {
        size_t count = 3 * bodies;
        Zeros<double> places(count), speeds(count), pulls(count);
        for (size_t i = 0; i < count; i++)
            places[i] = places_at_first[i];
        for (size_t i = 0; i < count; i++)
            speeds[i] = speeds_at_first[i];
        set_pulls(places, masses, pulls, bodies);
        for (size_t step = 0; step < steps; step++) {
            move_by(0.5 * STEP, pulls, speeds, count);
            move_by(STEP, speeds, places, count);
            set_pulls(places, masses, pulls, bodies);
            move_by(0.5 * STEP, pulls, speeds, count);
        }
        double sum = 0;
        for (size_t i = 0; i < bodies; i++) {
            double squares = 0;
            for (size_t k = 0; k < 3; k++)
                squares += speeds[3 * i + k] * speeds[3 * i + k];
            sum += 0.5 * masses[i] * squares;
            for (size_t j = 0; j < i; j++)
                sum -= masses[i] * masses[j] / std::sqrt(squared_distance(places + 3 * i, places + 3 * j));
        }
        return sum;
    }
};

int main(int count, char **words) { return measure<Bodies>(count, words); }
