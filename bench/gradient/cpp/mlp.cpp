// rust/src/programs/mlp.rs.
#include "measure.hpp"

static void layer(const double *__restrict parameters, const double *__restrict inputs, size_t width,
                  double *__restrict outputs, size_t count) {
    for (size_t n = 0; n < count; n++) {
        const double *neuron = parameters + n * (width + 1);
        double sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += neuron[i] * inputs[i];
        outputs[n] = neuron[width] + sum;
    }
}

struct Perceptron {
    static constexpr size_t BLOCKS = 1;
    size_t count, inputs, within, outputs;
    Blocks blocks;
    std::vector<double> samples, targets;

    Perceptron(const Sizes &sizes, Numbers &numbers)
        : count(sizes[0]), inputs(sizes[1]), within(sizes[2]), outputs(sizes[3]) {
        blocks.push_back(numbers.many((inputs + 1) * within + (within + 1) * within + (within + 1) * outputs, -0.5, 0.5));
        samples = numbers.many(count * inputs, -1, 1);
        targets = numbers.many(count * outputs, -1, 1);
    }

    auto constants() const { return std::tuple(samples.data(), targets.data(), count, inputs, within, outputs); }

    static double function(const double *__restrict parameters, const double *__restrict samples,
                           const double *__restrict targets, size_t count, size_t inputs, size_t within, size_t outputs) {
        const double *first = parameters, *second = first + (inputs + 1) * within, *third = second + (within + 1) * within;
        Zeros<double> a(within), b(within), y(outputs);
        double sum = 0;
        for (size_t n = 0; n < count; n++) {
            layer(first, samples + n * inputs, inputs, a, within);
            for (size_t i = 0; i < within; i++)
                a[i] = std::tanh(a[i]);
            layer(second, a, within, b, within);
            for (size_t i = 0; i < within; i++)
                b[i] = std::tanh(b[i]);
            layer(third, b, within, y, outputs);
            for (size_t i = 0; i < outputs; i++)
                sum += (y[i] - targets[n * outputs + i]) * (y[i] - targets[n * outputs + i]);
        }
        return sum / double(count * outputs);
    }
};

int main(int count, char **words) { return measure<Perceptron>(count, words); }
