// rust/src/programs/kinematics.rs.
#include "measure.hpp"
#include "vectors.hpp"

constexpr size_t FINGER = 4;

// Three rows of a rotation, each followed by a shift.
using Pose = Vector<12>;

static Pose pose(const double *angles, const double *shift) {
    double sx = std::sin(angles[0]), cx = std::cos(angles[0]);
    double sy = std::sin(angles[1]), cy = std::cos(angles[1]);
    double sz = std::sin(angles[2]), cz = std::cos(angles[2]);
    return {cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz, shift[0],
            cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, shift[1],
            -sy,     sx * cy,                cx * cy,                shift[2]};
}

static Pose joined(const Pose &a, const Pose &b) {
    return vector<12>([&](size_t at) {
        size_t row = 4 * (at / 4), column = at % 4;
        double shift = column == 3 ? a[row + 3] : 0;
        return a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column] + shift;
    });
}

static Vector<3> placed(const Pose &pose, const double *point) {
    return vector<3>([&](size_t i) {
        return pose[4 * i] * point[0] + pose[4 * i + 1] * point[1] + pose[4 * i + 2] * point[2] + pose[4 * i + 3];
    });
}

struct Hand {
    static constexpr size_t BLOCKS = 2;
    size_t bones, count;
    Blocks blocks;
    std::vector<double> skin, shares, seen;
    std::vector<size_t> bound_to;

    Hand(const Sizes &sizes, Numbers &numbers) : bones(sizes[0]), count(sizes[1]) {
        blocks.push_back(numbers.many(3 * bones, -0.5, 0.5));
        blocks.push_back(numbers.many(3 * bones, -1, 1));
        skin = numbers.many(3 * count, -1, 1);
        for (size_t i = 0; i < 2 * count; i++)
            bound_to.push_back(numbers.below(bones));
        shares = numbers.many(count, 0, 1);
        seen = numbers.many(3 * count, -2, 2);
    }

    auto constants() const { return std::tuple(skin.data(), bound_to.data(), shares.data(), seen.data(), bones, count); }

    static double function(const double *__restrict angles, const double *__restrict offsets, const double *__restrict skin,
                           const size_t *__restrict bound_to, const double *__restrict shares, const double *__restrict seen,
                           size_t bones, size_t count) {
        Zeros<Pose> poses(bones);
        for (size_t bone = 0; bone < bones; bone++) {
            Pose own = pose(angles + 3 * bone, offsets + 3 * bone);
            poses[bone] = bone % FINGER == 0 ? own : joined(poses[bone - 1], own);
        }
        double sum = 0;
        for (size_t n = 0; n < count; n++) {
            Vector<3> a = placed(poses[bound_to[2 * n]], skin + 3 * n);
            Vector<3> b = placed(poses[bound_to[2 * n + 1]], skin + 3 * n);
            for (size_t i = 0; i < 3; i++) {
                double off = shares[n] * a[i] + (1 - shares[n]) * b[i] - seen[3 * n + i];
                sum += off * off;
            }
        }
        return sum / double(count);
    }
};

int main(int count, char **words) { return measure<Hand>(count, words); }
