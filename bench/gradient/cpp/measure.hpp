// A program's numbers and times, printed a line each, `name number …`, as rust/src/measure.rs does.
//
// A program is a type that is made of sizes and numbers and has
//     static double function(const double *block…, constants…);
//     static constexpr size_t BLOCKS;      how many of its arguments are blocks, which it is differentiated by
//     Blocks blocks;                       what these are
//     auto constants() const;              the other arguments, as a tuple
#pragma once

#include "enzyme.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using Blocks = std::vector<std::vector<double>>;
using Sizes = std::vector<size_t>;

// Calls something with a program's arguments, each block and each constant as these make a tuple of it.
template <typename P, typename Block, typename Constant, typename Callee>
auto called(const P &program, Block block, Constant constant, Callee callee) {
    auto blocks = [&]<size_t... I>(std::index_sequence<I...>) { return std::tuple_cat(block(I)...); };
    auto constants = [&](auto... its) { return std::tuple_cat(constant(its)...); };
    return std::apply(callee, std::tuple_cat(blocks(std::make_index_sequence<P::BLOCKS>()),
                                             std::apply(constants, program.constants())));
}

// Its value.
template <typename P> double primal(const P &program) {
    return called(
        program, [&](size_t i) { return std::tuple(program.blocks[i].data()); }, [](auto its) { return std::tuple(its); },
        [](auto... arguments) { return P::function(arguments...); });
}

// What Enzyme makes of it, by one of its names; the gradient is added to the blocks.
template <typename P, typename Derivative> auto derived(const P &program, Blocks &adjoint, Derivative derivative) {
    return called(
        program, [&](size_t i) { return std::tuple(enzyme_dup, program.blocks[i].data(), adjoint[i].data()); },
        [](auto its) { return std::tuple(enzyme_const, its); }, derivative);
}

// The value, and the gradient.
template <typename P> double gradient(const P &program, Blocks &adjoint) {
    return derived(program, adjoint, [](auto... arguments) {
        return __enzyme_autodiff_with_value((void *)P::function, enzyme_primal_return, arguments...);
    });
}

// The gradient alone.
template <typename P> void gradient_only(const P &program, Blocks &adjoint) {
    derived(program, adjoint,
            [](auto... arguments) { __enzyme_autodiff_without((void *)P::function, arguments...); });
}

// A sample is of as many calls as take so long, that the clock's own time is nothing.
constexpr double SAMPLE_S = 1e-3;

// How many samples there are at least, however long they take.
constexpr size_t LEAST = 3;

struct Timed {
    const char *name;
    std::function<void()> call;
    size_t calls;
    std::vector<double> samples;
};

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double taken(const std::function<void()> &function, size_t calls) {
    double begin = now();
    for (size_t i = 0; i < calls; i++)
        function();
    return now() - begin;
}

// The compiler takes it that this is read, and written.
template <typename T> void black_box(T &value) { asm volatile("" : : "r"(&value) : "memory"); }

// The most memory that this process has had so far, as Linux tells it.
inline long most_resident_kb() {
    long kb = 0;
    FILE *status = std::fopen("/proc/self/status", "r");
    for (char line[256]; std::fgets(line, sizeof line, status);)
        if (std::sscanf(line, "VmHWM: %ld", &kb) == 1)
            break;
    std::fclose(status);
    return kb;
}

template <typename P> Blocks zeros(const P &program) {
    Blocks blocks;
    for (const auto &block : program.blocks)
        blocks.emplace_back(block.size(), 0.0);
    return blocks;
}

// How far two gradients are apart, over how long the first is.
inline double farthest(const Blocks &one, const Blocks &other) {
    double squares = 0, apart = 0;
    for (size_t b = 0; b < one.size(); b++)
        for (size_t i = 0; i < one[b].size(); i++) {
            squares += one[b][i] * one[b][i];
            apart = std::max(apart, std::abs(one[b][i] - other[b][i]));
        }
    return apart / std::sqrt(squares);
}

// Prints the numbers of a program, then the times of its functions, measured in turn for so many seconds in all.
template <typename P> int measure(int count, char **words) {
    if (count < 2)
        return std::fprintf(stderr, "SECONDS SIZE…\n"), 1;
    double seconds = std::atof(words[1]);
    Sizes sizes;
    for (int i = 2; i < count; i++)
        sizes.push_back(std::strtoul(words[i], nullptr, 10));
    Numbers numbers(1);
    P program(sizes, numbers);
    Blocks adjoint = zeros(program), alone = zeros(program);
    std::printf("value %.17g\n", primal(program));
    std::printf("resident_before_kB %ld\n", most_resident_kb());
    std::printf("value_of_gradient %.17g\n", gradient(program, adjoint));
    std::printf("resident_after_kB %ld\n", most_resident_kb());
    gradient_only(program, alone);
    std::printf("without_value %.17g\n", farthest(adjoint, alone));
    for (const auto &block : adjoint) {
        double squares = 0, mixed = 0;
        for (size_t i = 0; i < block.size(); i++) {
            squares += block[i] * block[i];
            mixed += std::cos(double(i)) * block[i];
        }
        std::printf("block %zu %.17g %.17g\n", block.size(), std::sqrt(squares), mixed);
    }
    auto value_of = [&](double value) { black_box(value); };
    std::vector<Timed> functions = {
        {"primal", [&] { black_box(program), value_of(primal(program)); }, 1, {}},
        {"gradient", [&] { black_box(program), value_of(gradient(program, adjoint)); }, 1, {}},
        {"gradient_only", [&] { black_box(program), gradient_only(program, alone), black_box(alone); }, 1, {}},
    };
    for (Timed &timed : functions)
        while (taken(timed.call, timed.calls) < SAMPLE_S)
            timed.calls *= 2;
    for (double begin = now(); functions[0].samples.size() < LEAST || now() - begin < seconds;)
        for (Timed &timed : functions)
            timed.samples.push_back(taken(timed.call, timed.calls) / double(timed.calls));
    for (Timed &timed : functions) {
        std::sort(timed.samples.begin(), timed.samples.end());
        std::printf("%s_s %.6e %.6e\n", timed.name, timed.samples[0], timed.samples[timed.samples.size() / 2]);
    }
    return 0;
}
