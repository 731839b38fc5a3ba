// SPDX-License-Identifier: Apache-2.0
// Random stacks of recurrent layers, and their expected results, computed step by step.
#ifndef WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_
#define WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/ops/support/packed.h"
#include "converter/program/builder.h"
#include "kernels/matrix/pack.h"
#include "tests/converter/plan/elementwise.h"

namespace weft {

// One input [trips, width]. A layer adds its input to the first elements of its state, which is its
// output. Some layers also keep the previous state, or run backward. Some outputs are negated, or
// have the layer's input added. With windows there are more iterations, and convolutions and
// pooling along them.
class RandomStack {
 public:
  explicit RandomStack(uint32_t seed, bool has_windows = false)
      : random_(seed), trips_(2 + Below(has_windows ? 40 : 9)) {
    const size_t width = 1 + Below(40);
    program::ValueId x = builder_.Scratch(Rows(trips_, width));
    program_.inputs.push_back({x, {"x"}});
    for (size_t i = 0; i < trips_; ++i) {
      std::vector<float>& row = sequence_.emplace_back();
      for (size_t k = 0; k < width; ++k) row.push_back(static_cast<float>(Below(64)));
      input_.insert(input_.end(), row.begin(), row.end());
    }
    for (size_t layer = 1 + Below(4); layer > 0; --layer) {
      while (has_windows && Below(2) == 0) x = AddWindow(x);
      x = AddLayer(x);
    }
    if (has_windows && Below(4) == 0) x = AddWindow(x);
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

  const program::Program& program() const { return program_; }
  std::vector<std::vector<float>> inputs() const { return {input_}; }
  const std::vector<std::vector<float>>& expected() const { return expected_; }

 private:
  size_t Below(size_t end) { return random_() % end; }
  static TensorType Rows(size_t rows, size_t width) {
    return {ElementType::f32, {static_cast<int64_t>(rows), static_cast<int64_t>(width)}};
  }

  void Output(program::ValueId value, std::vector<float> expected) {
    program_.outputs.push_back({value, {"y" + std::to_string(expected_.size())}});
    expected_.push_back(std::move(expected));
  }

  program::ValueId AddLayer(program::ValueId x) {
    const size_t from = sequence_[0].size(), width = Below(3) == 0 ? from : 1 + Below(40);
    const std::vector<std::vector<float>> input = sequence_;
    const bool backward = Below(8) == 0, keeps_old = Below(3) == 0, gives_last = Below(4) == 0;
    ops::LoopSpec spec;
    spec.trips = static_cast<int64_t>(trips_);
    spec.sliced.push_back({x, 0, 1, backward});
    for (size_t state = 0; state < (keeps_old ? 2 : 1); ++state) {
      const program::ValueId initial = builder_.Scratch(Rows(1, width));
      builder_.Fill(initial);
      spec.carried.push_back({initial, state});
    }
    spec.scans.push_back({0, 0, backward, Rows(trips_, width)});
    if (gives_last) spec.lasts.push_back({keeps_old ? size_t{1} : 0, Rows(1, width)});
    const ops::LoopResults results = ops::LowerLoop(
        builder_, spec, [&](const ops::Iteration& iteration) -> std::vector<program::ValueId> {
          return {Next(iteration, from, width), iteration.states[0]};
        });
    std::vector<float> before = Compute(width, backward, keeps_old);
    if (gives_last) Output(results.lasts[0], std::move(before));
    program::ValueId y = results.scans[0];
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

  // The next state: the last of the states, with the sum of the first state and the input in its
  // first elements.
  program::ValueId Next(const ops::Iteration& iteration, size_t from, size_t width) {
    const auto common = static_cast<int64_t>(std::min(from, width));
    const TensorType row = {ElementType::f32, {common}};
    const program::ValueId next = builder_.Scratch(Rows(1, width));
    builder_.Copy(iteration.states.back(), next);
    builder_.Copy(Add(builder_, builder_.View(iteration.states[0], 0, row),
                      builder_.View(iteration.slices[0], 0, row)),
                  builder_.View(next, 0, row));
    return next;
  }

  // Computes all iterations; returns the last value of the result that the layer returns.
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

  // A window along time, with its own padding: row i of its result depends on rows i - front + tap
  // * dilation.
  struct Window {
    size_t kernel = 0, dilation = 0, front = 0, out = 0;
  };
  Window RandomWindow(bool has_taps) {
    Window window{1 + Below(4), 1 + Below(3)};
    const size_t reach = (window.kernel - 1) * window.dilation, kind = Below(4);
    window.front = kind == 0 ? reach / 2 : kind == 1 ? 0 : kind == 2 ? Below(reach + 1) : reach;
    const size_t after = kind == 0 ? reach - reach / 2 : kind == 2 ? Below(reach + 1) : 0;
    const bool is_long = trips_ + window.front + after > reach;
    if (!is_long || has_taps) return {window.kernel, window.dilation, reach, trips_};
    window.out = trips_ + window.front + after - reach;
    return window;
  }

  // Calls `add` with each row of the input that the row of the result depends on, and its tap.
  template <typename F>
  void ForTaps(const Window& window, size_t row, F add) const {
    for (size_t tap = 0; tap < window.kernel; ++tap) {
      const size_t location = row + tap * window.dilation;
      if (location >= window.front && location - window.front < trips_) {
        add(sequence_[location - window.front], tap);
      }
    }
  }

  program::ValueId AddWindow(program::ValueId x) {
    const size_t kind = Below(3), from = sequence_[0].size();
    const size_t width = kind == 0 ? 1 + Below(40) : from;
    const Window window = RandomWindow(kind == 2);
    const bool has_planes = Below(6) == 0;
    if (has_planes) x = Permuted(x, trips_, from);
    const program::ValueId y =
        builder_.Scratch(has_planes ? Rows(width, window.out) : Rows(window.out, width));
    if (kind == 0) {
      Convolve(window, x, y, width, has_planes);
    } else if (kind == 1) {
      ConvolveDepthwise(window, x, y, has_planes);
    } else {
      TakeMax(window, x, y, has_planes);
    }
    trips_ = window.out;
    return has_planes ? Permuted(y, width, trips_) : y;
  }

  program::ValueId Permuted(program::ValueId x, size_t rows, size_t columns) {
    const auto width = static_cast<int64_t>(columns), height = static_cast<int64_t>(rows);
    const program::ValueId y = builder_.Scratch(Rows(columns, rows));
    builder_.CopyStrided(x, y, {width, height}, {1, width}, 0, {height, 1}, 0);
    return y;
  }

  template <typename P>
  void SetWindow(P& params, const Window& window, size_t from, size_t width,
                 bool has_planes) const {
    const auto strides = [&](size_t rows, size_t channels) {
      return has_planes ? format::MapStrides(0, 0, 1, static_cast<uint32_t>(rows))
                        : format::MapStrides(0, 0, static_cast<uint32_t>(channels), 1);
    };
    params.mutate_batch(1);
    params.mutate_in_height(1);
    params.mutate_out_height(1);
    params.mutate_kernel_height(1);
    params.mutate_stride_y(1);
    params.mutate_dilation_y(1);
    params.mutate_stride_x(1);
    params.mutate_in_width(static_cast<uint32_t>(trips_));
    params.mutate_out_width(static_cast<uint32_t>(window.out));
    params.mutate_kernel_width(static_cast<uint32_t>(window.kernel));
    params.mutate_dilation_x(static_cast<uint32_t>(window.dilation));
    params.mutate_pad_left(static_cast<uint32_t>(window.front));
    params.mutable_x() = strides(trips_, from);
    params.mutable_y() = strides(window.out, width);
  }

  std::vector<float> RandomNumbers(size_t count) {
    std::vector<float> numbers;
    for (size_t i = 0; i < count; ++i) {
      numbers.push_back((static_cast<float>(Below(17)) - 8.0f) / 12.0f);
    }
    return numbers;
  }
  program::ValueId Bias(const std::vector<float>& bias) {
    return builder_.WeightsOf({ElementType::f32, {static_cast<int64_t>(bias.size())}}, bias);
  }

  void Convolve(const Window& window, program::ValueId x, program::ValueId y, size_t width,
                bool has_planes) {
    const size_t from = sequence_[0].size(), taps = window.kernel;
    const std::vector<float> weights = RandomNumbers(width * from * taps);
    const std::vector<float> bias = RandomNumbers(width);
    format::ConvParams params;
    SetWindow(params, window, from, width, has_planes);
    params.mutate_groups(1);
    params.mutate_in_channels(static_cast<uint32_t>(from));
    params.mutate_out_channels(static_cast<uint32_t>(width));
    params.mutate_weights(ElementType::f32);
    builder_.Emit(params, {x, ops::PackConv(builder_, weights, params), Bias(bias)}, {y});
    std::vector<std::vector<float>> made(window.out, bias);
    for (size_t i = 0; i < window.out; ++i) {
      for (size_t k = 0; k < width; ++k) {
        ForTaps(window, i, [&](const std::vector<float>& row, size_t tap) {
          for (size_t c = 0; c < from; ++c) {
            made[i][k] = std::fma(row[c], weights[(k * from + c) * taps + tap], made[i][k]);
          }
        });
      }
    }
    sequence_ = std::move(made);
  }

  void ConvolveDepthwise(const Window& window, program::ValueId x, program::ValueId y,
                         bool has_planes) {
    const size_t width = sequence_[0].size(), taps = window.kernel;
    const std::vector<float> weights = RandomNumbers(width * taps), bias = RandomNumbers(width);
    format::DepthwiseParams params;
    SetWindow(params, window, width, width, has_planes);
    params.mutate_channels(static_cast<uint32_t>(width));
    params.mutate_multiplier(1);
    params.mutate_weights(ElementType::f32);
    std::vector<float> packed(
        kernels::PackedDepthwiseFloats(params.channels(), 1, params.kernel_width()));
    kernels::PackDepthwise(weights.data(), params.channels(), 1, params.kernel_width(),
                           packed.data());
    builder_.Emit(params, {x, Bias(packed), Bias(bias)}, {y});
    std::vector<std::vector<float>> made(window.out, bias);
    for (size_t i = 0; i < window.out; ++i) {
      ForTaps(window, i, [&](const std::vector<float>& row, size_t tap) {
        for (size_t k = 0; k < width; ++k) {
          made[i][k] = std::fma(row[k], weights[k * taps + tap], made[i][k]);
        }
      });
    }
    sequence_ = std::move(made);
  }

  void TakeMax(const Window& window, program::ValueId x, program::ValueId y, bool has_planes) {
    const size_t width = sequence_[0].size();
    format::PoolParams params;
    SetWindow(params, window, width, width, has_planes);
    params.mutate_channels(static_cast<uint32_t>(width));
    params.mutate_op(format::PoolOp::max);
    builder_.Emit(params, {x}, {y});
    std::vector<std::vector<float>> made(
        window.out, std::vector<float>(width, -std::numeric_limits<float>::infinity()));
    for (size_t i = 0; i < window.out; ++i) {
      ForTaps(window, i, [&](const std::vector<float>& row, size_t) {
        for (size_t k = 0; k < width; ++k) made[i][k] = std::max(made[i][k], row[k]);
      });
    }
    sequence_ = std::move(made);
  }

  std::minstd_rand random_;
  size_t trips_;  // length of the sequence
  program::Program program_;
  program::Builder builder_{program_};
  std::vector<std::vector<float>> sequence_;  // output of the layers so far
  std::vector<float> input_;
  std::vector<std::vector<float>> expected_;
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_PLAN_LOOPS_RANDOM_STACK_H_
