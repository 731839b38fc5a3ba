// SPDX-License-Identifier: Apache-2.0
// Stacks of recurrent layers made by chance, and what they compute, step by step.
#ifndef WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_
#define WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/loop.h"
#include "converter/program/builder.h"
#include "tests/converter/plan/elementwise.h"

namespace weft {

// One input [trips, width]. A layer adds its input to the first elements of its state, which is its
// output; some keep the state before that as well, or run backward. Some outputs are negated, or have the
// layer's input added.
class RandomStack {
 public:
  explicit RandomStack(uint32_t seed) : random_(seed), trips_(2 + Below(9)) {
    const size_t width = 1 + Below(40);
    plan::ValueId x = builder_.Scratch(Rows(trips_, width));
    program_.inputs.push_back({x, {"x"}});
    for (size_t i = 0; i < trips_; ++i) {
      std::vector<float>& row = sequence_.emplace_back();
      for (size_t k = 0; k < width; ++k) row.push_back(static_cast<float>(Below(64)));
      input_.insert(input_.end(), row.begin(), row.end());
    }
    for (size_t layer = 1 + Below(4); layer > 0; --layer) x = AddLayer(x);
    const size_t last = sequence_.back().size();
    if (Below(2) == 0) {
      const auto offset = static_cast<int64_t>((trips_ - 1) * last * sizeof(float));
      Output(builder_.View(x, offset, Rows(1, last)), sequence_.back());
    } else {
      std::vector<float> all;
      for (const std::vector<float>& row : sequence_) all.insert(all.end(), row.begin(), row.end());
      Output(x, std::move(all));
    }
  }

  const plan::Program& program() const { return program_; }
  std::vector<std::vector<float>> inputs() const { return {input_}; }
  const std::vector<std::vector<float>>& expected() const { return expected_; }

 private:
  size_t Below(size_t end) { return random_() % end; }
  static TensorType Rows(size_t rows, size_t width) {
    return {ElementType::f32, {static_cast<int64_t>(rows), static_cast<int64_t>(width)}};
  }

  void Output(plan::ValueId value, std::vector<float> expected) {
    program_.outputs.push_back({value, {"y" + std::to_string(expected_.size())}});
    expected_.push_back(std::move(expected));
  }

  plan::ValueId AddLayer(plan::ValueId x) {
    const size_t from = sequence_[0].size(), width = Below(3) == 0 ? from : 1 + Below(40);
    const std::vector<std::vector<float>> input = sequence_;
    const bool backward = Below(8) == 0, keeps_old = Below(3) == 0, gives_last = Below(4) == 0;
    ops::LoopSpec spec;
    spec.trips = static_cast<int64_t>(trips_);
    spec.sliced.push_back({x, 0, 1, backward});
    for (size_t state = 0; state < (keeps_old ? 2 : 1); ++state) {
      const plan::ValueId initial = builder_.Scratch(Rows(1, width));
      builder_.Fill(initial);
      spec.carried.push_back({initial, state});
    }
    spec.scans.push_back({0, 0, backward, Rows(trips_, width)});
    if (gives_last) spec.lasts.push_back({keeps_old ? size_t{1} : 0, Rows(1, width)});
    const ops::LoopResults results = ops::LowerLoop(
        builder_, spec, [&](const ops::Iteration& iteration) -> std::vector<plan::ValueId> {
          return {Next(iteration, from, width), iteration.states[0]};
        });
    std::vector<float> before = Compute(width, backward, keeps_old);
    if (gives_last) Output(results.lasts[0], std::move(before));
    plan::ValueId y = results.scans[0];
    if (Below(4) == 0) {
      for (std::vector<float>& row : sequence_) {
        for (float& number : row) number = -number;
      }
      y = Unary(builder_, format::UnaryOp::negative, y);
    }
    if (from != width || Below(2) == 0) return y;
    for (size_t i = 0; i < trips_; ++i) {
      for (size_t k = 0; k < width; ++k) sequence_[i][k] += input[i][k];
    }
    return Add(builder_, y, x);
  }

  // The state, with the input added to its first elements; of the old state, too, where it is kept.
  plan::ValueId Next(const ops::Iteration& iteration, size_t from, size_t width) {
    const auto common = static_cast<int64_t>(std::min(from, width));
    const TensorType row = {ElementType::f32, {common}};
    const plan::ValueId next = builder_.Scratch(Rows(1, width));
    builder_.Copy(iteration.states.back(), next);
    builder_.Copy(Add(builder_, builder_.View(iteration.states[0], 0, row),
                      builder_.View(iteration.slices[0], 0, row)),
                  builder_.View(next, 0, row));
    return next;
  }

  // Of all iterations; returns the last value of the result that the layer gives as such.
  std::vector<float> Compute(size_t width, bool backward, bool keeps_old) {
    std::vector<float> state(width), old(width);
    for (size_t i = 0; i < trips_; ++i) {
      std::vector<float>& row = sequence_[backward ? trips_ - 1 - i : i];
      std::vector<float> next = keeps_old ? old : state;
      for (size_t k = 0; k < std::min(width, row.size()); ++k) next[k] = state[k] + row[k];
      old = std::exchange(state, next);
      row = std::move(next);
    }
    return keeps_old ? old : state;
  }

  std::minstd_rand random_;
  const size_t trips_;
  plan::Program program_;
  plan::Builder builder_{program_};
  std::vector<std::vector<float>> sequence_;  // that the layers so far make
  std::vector<float> input_;
  std::vector<std::vector<float>> expected_;
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_
