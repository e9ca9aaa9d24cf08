// rust/src/programs/bundle.rs.
#include "measure.hpp"
#include "vectors.hpp"

constexpr size_t CAMERA = 9;

static double dot(Vector<3> a, Vector<3> b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static Vector<3> cross(Vector<3> a, Vector<3> b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Rodrigues' formula.
static Vector<3> rotated(Vector<3> p, Vector<3> axis) {
    double squared = dot(axis, axis);
    if (squared < 1e-20) {
        Vector<3> turned = cross(axis, p);
        return vector<3>([&](size_t i) { return p[i] + turned[i]; });
    }
    double angle = std::sqrt(squared), sin = std::sin(angle), cos = std::cos(angle);
    Vector<3> unit = vector<3>([&](size_t i) { return axis[i] / angle; });
    Vector<3> turned = cross(unit, p);
    double along = dot(unit, p) * (1 - cos);
    return vector<3>([&](size_t i) { return p[i] * cos + turned[i] * sin + unit[i] * along; });
}

static Vector<2> projected(const double *camera, const double *point) {
    Vector<3> at = rotated({point[0], point[1], point[2]}, {camera[0], camera[1], camera[2]});
    double away = at[2] + camera[5];
    double u = (at[0] + camera[3]) / away, v = (at[1] + camera[4]) / away;
    double squared = u * u + v * v;
    double scale = camera[6] * (1 + squared * (camera[7] + squared * camera[8]));
    return {scale * u, scale * v};
}

struct Bundle {
    static constexpr size_t BLOCKS = 3;
    size_t count;
    Blocks blocks;
    std::vector<size_t> seen;
    std::vector<double> features;

    Bundle(const Sizes &sizes, Numbers &numbers) : count(sizes[2]) {
        std::vector<double> cameras;
        for (size_t i = 0; i < sizes[0]; i++) {
            for (size_t k = 0; k < 5; k++)
                cameras.push_back(numbers.between(-0.3, 0.3));
            cameras.push_back(numbers.between(4, 6));
            cameras.push_back(numbers.between(0.8, 1.2));
            for (size_t k = 0; k < 2; k++)
                cameras.push_back(numbers.between(-0.1, 0.1));
        }
        blocks.push_back(cameras);
        blocks.push_back(numbers.many(3 * sizes[1], -1, 1));
        blocks.push_back(numbers.many(count, 0.5, 1.5));
        for (size_t i = 0; i < count; i++) {
            seen.push_back(numbers.below(sizes[0]));
            seen.push_back(numbers.below(sizes[1]));
        }
        features = numbers.many(2 * count, -0.3, 0.3);
    }

    auto constants() const { return std::tuple(seen.data(), features.data(), count); }

    static double function(const double *__restrict cameras, const double *__restrict points, const double *__restrict weights,
                           const size_t *__restrict seen, const double *__restrict features, size_t count) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            Vector<2> at = projected(cameras + seen[2 * i] * CAMERA, points + seen[2 * i + 1] * 3);
            double off_u = weights[i] * (at[0] - features[2 * i]), off_v = weights[i] * (at[1] - features[2 * i + 1]);
            double off_weight = 1 - weights[i] * weights[i];
            sum += 0.5 * (off_u * off_u + off_v * off_v + off_weight * off_weight);
        }
        return sum;
    }
};

int main(int count, char **words) { return measure<Bundle>(count, words); }
