// rust/src/programs/softmax.rs.
#include "measure.hpp"

struct Softmax {
    static constexpr size_t BLOCKS = 2;
    size_t count, features, classes;
    Blocks blocks;
    std::vector<double> samples;
    std::vector<size_t> labels;

    Softmax(const Sizes &sizes, Numbers &numbers) : count(sizes[0]), features(sizes[1]), classes(sizes[2]) {
        blocks.push_back(numbers.many(features * classes, -0.5, 0.5));
        blocks.push_back(numbers.many(classes, -0.5, 0.5));
        samples = numbers.many(count * features, -1, 1);
        for (size_t i = 0; i < count; i++)
            labels.push_back(numbers.below(classes));
    }

    auto constants() const { return std::tuple(samples.data(), labels.data(), features, classes, count); }

    static double function(const double *__restrict weights, const double *__restrict biases, const double *__restrict samples,
                           const size_t *__restrict labels, size_t features, size_t classes, size_t count) {
        Zeros<double> logits(classes);
        double sum = 0;
        for (size_t n = 0; n < count; n++) {
            const double *sample = samples + n * features;
            for (size_t c = 0; c < classes; c++)
                logits[c] = biases[c];
            for (size_t i = 0; i < features; i++)
                for (size_t c = 0; c < classes; c++)
                    logits[c] += sample[i] * weights[i * classes + c];
            double most = -INFINITY, powers = 0;
            for (size_t c = 0; c < classes; c++)
                most = std::fmax(most, logits[c]);
            for (size_t c = 0; c < classes; c++)
                powers += std::exp(logits[c] - most);
            sum += most + std::log(powers) - logits[labels[n]];
        }
        return sum / double(count);
    }
};

int main(int count, char **words) { return measure<Softmax>(count, words); }
