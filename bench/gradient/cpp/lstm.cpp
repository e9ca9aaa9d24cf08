// rust/src/programs/lstm.rs.
#include "measure.hpp"

static double dot(const double *__restrict a, const double *__restrict b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double logistic(double x) { return 1 / (1 + std::exp(-x)); }

struct Memory {
    static constexpr size_t BLOCKS = 2;
    size_t layers, width, steps;
    Blocks blocks;
    std::vector<double> inputs;
    std::vector<size_t> labels;

    Memory(const Sizes &sizes, Numbers &numbers) : layers(sizes[0]), width(sizes[1]), steps(sizes[2]) {
        blocks.push_back(numbers.many(layers * 4 * width * 2 * width, -0.5, 0.5));
        blocks.push_back(numbers.many(layers * 4 * width, -0.5, 0.5));
        inputs = numbers.many(steps * width, -1, 1);
        for (size_t i = 0; i < steps; i++)
            labels.push_back(numbers.below(width));
    }

    auto constants() const { return std::tuple(inputs.data(), labels.data(), layers, width, steps); }

    static double function(const double *__restrict weights, const double *__restrict biases, const double *__restrict inputs,
                           const size_t *__restrict labels, size_t layers, size_t width, size_t steps) {
        Zeros<double> outputs(layers * width), cells(layers * width), gates(4 * width), below(width);
        double sum = 0;
        for (size_t step = 0; step < steps; step++) {
            for (size_t i = 0; i < width; i++)
                below[i] = inputs[step * width + i];
            for (size_t layer = 0; layer < layers; layer++) {
                double *output = outputs + layer * width, *cell = cells + layer * width;
                for (size_t gate = 0; gate < 4 * width; gate++) {
                    const double *row = weights + (layer * 4 * width + gate) * 2 * width;
                    gates[gate] =
                        biases[layer * 4 * width + gate] + dot(row, below, width) + dot(row + width, output, width);
                }
                for (size_t i = 0; i < width; i++) {
                    double forget = gates[i], enter = gates[width + i];
                    double leave = gates[2 * width + i], change = gates[3 * width + i];
                    cell[i] = logistic(forget) * cell[i] + logistic(enter) * std::tanh(change);
                    output[i] = logistic(leave) * std::tanh(cell[i]);
                }
                for (size_t i = 0; i < width; i++)
                    below[i] = output[i];
            }
            double powers = 0;
            for (size_t i = 0; i < width; i++)
                powers += std::exp(below[i]);
            sum += std::log(powers) - below[labels[step]];
        }
        return sum / double(steps);
    }
};

int main(int count, char **words) { return measure<Memory>(count, words); }
