// rust/src/programs/spmv.rs.
#include "measure.hpp"

struct Powers {
    static constexpr size_t BLOCKS = 2;
    size_t rows, times;
    Blocks blocks;
    std::vector<size_t> begins, columns;
    std::vector<double> probe;

    Powers(const Sizes &sizes, Numbers &numbers) : rows(sizes[0]), times(sizes[2]), begins({0}) {
        for (size_t row = 0; row < rows; row++)
            begins.push_back(begins[row] + 1 + numbers.below(2 * sizes[1] - 1));
        for (size_t i = 0; i < begins[rows]; i++)
            columns.push_back(numbers.below(rows));
        blocks.push_back(numbers.many(begins[rows], -0.5, 1));
        blocks.push_back(numbers.many(rows, 0.5, 1));
        probe = numbers.many(rows, -1, 1);
    }

    auto constants() const { return std::tuple(begins.data(), columns.data(), probe.data(), rows, times); }

    static double function(const double *__restrict values, const double *__restrict start, const size_t *__restrict begins,
                           const size_t *__restrict columns, const double *__restrict probe, size_t rows, size_t times) {
        Zeros<double> x(rows), y(rows);
        for (size_t i = 0; i < rows; i++)
            x[i] = start[i];
        for (size_t n = 0; n < times; n++) {
            double squares = 0;
            for (size_t row = 0; row < rows; row++) {
                double sum = 0;
                for (size_t i = begins[row]; i < begins[row + 1]; i++)
                    sum += values[i] * x[columns[i]];
                y[row] = sum;
            }
            for (size_t i = 0; i < rows; i++)
                squares += y[i] * y[i];
            double length = std::sqrt(squares);
            for (size_t i = 0; i < rows; i++)
                x[i] = y[i] / length;
        }
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += probe[i] * x[i];
        return sum;
    }
};

int main(int count, char **words) { return measure<Powers>(count, words); }
