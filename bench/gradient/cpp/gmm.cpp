// rust/src/programs/gmm.rs.
#include "measure.hpp"

static double log_sum_exp(const double *terms, size_t count) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        most = std::fmax(most, terms[i]);
    for (size_t i = 0; i < count; i++)
        sum += std::exp(terms[i] - most);
    return most + std::log(sum);
}

struct Mixture {
    static constexpr size_t BLOCKS = 3;
    size_t dims, parts, count;
    Blocks blocks;
    std::vector<double> points;

    Mixture(const Sizes &sizes, Numbers &numbers) : dims(sizes[0]), parts(sizes[1]), count(sizes[2]) {
        blocks.push_back(numbers.many(parts, -1, 1));
        blocks.push_back(numbers.many(parts * dims, -1, 1));
        blocks.push_back(numbers.many(parts * dims * (dims + 1) / 2, -0.5, 0.5));
        points = numbers.many(count * dims, -2, 2);
    }

    auto constants() const { return std::tuple(points.data(), dims, parts, count); }

    static double function(const double *__restrict weights, const double *__restrict means, const double *__restrict factors,
                           const double *__restrict points, size_t dims, size_t parts, size_t count) {
        size_t triangle = dims * (dims + 1) / 2;
        Zeros<double> scales(parts * dims), log_determinants(parts);
        double prior = 0;
        for (size_t k = 0; k < parts; k++) {
            const double *factor = factors + k * triangle;
            double trace = 0, squares = 0;
            for (size_t i = 0; i < dims; i++) {
                scales[k * dims + i] = std::exp(factor[i]);
                trace += factor[i];
            }
            log_determinants[k] = trace;
            for (size_t i = dims; i < triangle; i++)
                squares += factor[i] * factor[i];
            prior += 0.5 * squares;
        }
        double squares = 0, traces = 0;
        for (size_t i = 0; i < parts * dims; i++)
            squares += scales[i] * scales[i];
        for (size_t k = 0; k < parts; k++)
            traces += log_determinants[k];
        prior += 0.5 * squares - traces;

        Zeros<double> terms(parts), centred(dims);
        double sum = 0;
        for (size_t n = 0; n < count; n++) {
            const double *point = points + n * dims;
            for (size_t k = 0; k < parts; k++) {
                const double *mean = means + k * dims, *scale = scales + k * dims;
                const double *row = factors + k * triangle + dims;
                for (size_t i = 0; i < dims; i++)
                    centred[i] = point[i] - mean[i];
                double squared = 0;
                for (size_t i = 0; i < dims; i++) {
                    double below = 0;
                    for (size_t j = 0; j < i; j++)
                        below += row[j] * centred[j];
                    double y = scale[i] * centred[i] + below;
                    squared += y * y;
                    row += i;
                }
                terms[k] = weights[k] + log_determinants[k] - 0.5 * squared;
            }
            sum += log_sum_exp(terms, parts);
        }
        return sum - double(count) * log_sum_exp(weights, parts) - prior;
    }
};

int main(int count, char **words) { return measure<Mixture>(count, words); }
