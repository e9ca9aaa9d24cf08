// rust/src/programs/brusselator.rs.
#include "measure.hpp"

constexpr double STEP = 1e-3;

static void set_speed(const double *__restrict state, const double *__restrict rates, size_t side, double *__restrict speed) {
    const double *u = state, *v = state + side * side;
    double *du = speed, *dv = speed + side * side;
    double a = rates[0], b = rates[1], diffusion = rates[2];
    for (size_t i = 0; i < side; i++) {
        size_t above = (i + side - 1) % side * side, below = (i + 1) % side * side;
        for (size_t j = 0; j < side; j++) {
            size_t left = i * side + (j == 0 ? side - 1 : j - 1), right = i * side + (j + 1 == side ? 0 : j + 1);
            size_t here = i * side + j;
            double reacting = u[here] * u[here] * v[here];
            double around_u = u[above + j] + u[below + j] + u[left] + u[right];
            double around_v = v[above + j] + v[below + j] + v[left] + v[right];
            du[here] = a + reacting - (b + 1) * u[here] + diffusion * (around_u - 4 * u[here]);
            dv[here] = b * u[here] - reacting + diffusion * (around_v - 4 * v[here]);
        }
    }
}

struct Brusselator {
    static constexpr size_t BLOCKS = 2;
    size_t side, steps;
    Blocks blocks;

    Brusselator(const Sizes &sizes, Numbers &numbers) : side(sizes[0]), steps(sizes[1]) {
        blocks.push_back(numbers.many(2 * side * side, 0.5, 3));
        blocks.push_back({1, 3.4, 10});
    }

    auto constants() const { return std::tuple(side, steps); }

    static double function(const double *__restrict begin, const double *__restrict rates, size_t side, size_t steps) {
        size_t count = 2 * side * side;
        Zeros<double> state(count), speed(count);
        for (size_t i = 0; i < count; i++)
            state[i] = begin[i];
        for (size_t step = 0; step < steps; step++) {
            set_speed(state, rates, side, speed);
            for (size_t i = 0; i < count; i++)
                state[i] += STEP * speed[i];
        }
        double squares = 0;
        for (size_t i = 0; i < count; i++)
            squares += state[i] * state[i];
        return squares / double(count);
    }
};

int main(int count, char **words) { return measure<Brusselator>(count, words); }
