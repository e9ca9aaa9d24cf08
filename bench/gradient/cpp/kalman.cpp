// rust/src/programs/kalman.rs.
#include "measure.hpp"
#include "vectors.hpp"

constexpr size_t STATE = 4, SEEN = 2;

struct Matrix {
    double at[STATE][STATE];
};

template <typename Of> static Matrix matrix(Of of) {
    Matrix made;
    for (size_t i = 0; i < STATE; i++)
        for (size_t j = 0; j < STATE; j++)
            made.at[i][j] = of(i, j);
    return made;
}

static Matrix times(const Matrix &a, const Matrix &b) {
    return matrix([&](size_t i, size_t j) {
        double sum = 0;
        for (size_t k = 0; k < STATE; k++)
            sum += a.at[i][k] * b.at[k][j];
        return sum;
    });
}

static Matrix transposed(const Matrix &a) {
    return matrix([&](size_t i, size_t j) { return a.at[j][i]; });
}

struct Filter {
    static constexpr size_t BLOCKS = 2;
    size_t steps;
    Blocks blocks;
    std::vector<double> seen;

    Filter(const Sizes &sizes, Numbers &numbers) : steps(sizes[0]) {
        blocks.push_back(numbers.many(STATE * STATE, -0.1, 0.1));
        for (size_t i = 0; i < STATE; i++)
            blocks[0][i * STATE + i] += 0.9;
        blocks.push_back(numbers.many(STATE + SEEN, -2, 0));
        seen = numbers.many(SEEN * steps, -2, 2);
    }

    auto constants() const { return std::tuple(seen.data(), steps); }

    static double function(const double *__restrict transition, const double *__restrict logarithms,
                           const double *__restrict seen, size_t steps) {
        Matrix f = matrix([&](size_t i, size_t j) { return transition[i * STATE + j]; });
        Vector<STATE + SEEN> noise = vector<STATE + SEEN>([&](size_t i) { return std::exp(logarithms[i]); });
        Vector<STATE> mean = vector<STATE>([](size_t) { return 0.0; });
        Matrix covariance = matrix([](size_t i, size_t j) { return i == j ? 1.0 : 0.0; });
        double sum = 0;
        for (size_t step = 0; step < steps; step++) {
            mean = vector<STATE>([&](size_t i) {
                double sum = 0;
                for (size_t j = 0; j < STATE; j++)
                    sum += f.at[i][j] * mean[j];
                return sum;
            });
            covariance = times(times(f, covariance), transposed(f));
            for (size_t i = 0; i < STATE; i++)
                covariance.at[i][i] += noise[i];
            Vector<SEEN> off = {seen[2 * step] - mean[0], seen[2 * step + 1] - mean[1]};
            double a = covariance.at[0][0] + noise[STATE], d = covariance.at[1][1] + noise[STATE + 1];
            double b = covariance.at[0][1], c = covariance.at[1][0];
            double determinant = a * d - b * c;
            double inverse[SEEN][SEEN] = {{d / determinant, -b / determinant}, {-c / determinant, a / determinant}};
            double gain[STATE][SEEN];
            for (size_t i = 0; i < STATE; i++)
                for (size_t j = 0; j < SEEN; j++)
                    gain[i][j] = covariance.at[i][0] * inverse[0][j] + covariance.at[i][1] * inverse[1][j];
            mean = vector<STATE>([&](size_t i) { return mean[i] + gain[i][0] * off[0] + gain[i][1] * off[1]; });
            Matrix before = covariance;
            covariance = matrix([&](size_t i, size_t j) {
                return before.at[i][j] - gain[i][0] * before.at[0][j] - gain[i][1] * before.at[1][j];
            });
            Vector<SEEN> by_inverse =
                vector<SEEN>([&](size_t i) { return inverse[i][0] * off[0] + inverse[i][1] * off[1]; });
            sum += 0.5 * (std::log(determinant) + off[0] * by_inverse[0] + off[1] * by_inverse[1]);
        }
        return sum;
    }
};

int main(int count, char **words) { return measure<Filter>(count, words); }
