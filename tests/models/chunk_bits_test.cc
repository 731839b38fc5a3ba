// SPDX-License-Identifier: Apache-2.0
// Models whose caller keeps the state: the number of steps in a call is a dimension of the model, and
// must not change a bit. Eight steps in one call, in four calls of two and in eight calls of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft::chunks {
namespace {

constexpr int64_t kSteps = 8;

// A net over [1, steps, channels]. State i is input 1 + i and output 1 + i.
class Net {
 public:
  Net(GraphBuilder& g, int64_t steps, uint32_t seed)
      : g_(g), steps_(steps), seed_(seed), channels_(2 + Draw(19)) {}

  void Build() {
    ir::Source y = g_.Parameter(F32({1, steps_, channels_}));
    const int64_t layers = 1 + Draw(4);
    for (int64_t i = 0; i < layers; ++i) y = Layer(y);
    g_.Result(y);
    for (const ir::Source& state : states_) g_.Result(state);
  }

 private:
  int64_t Draw(int64_t below) {
    seed_ = seed_ * 1664525u + 1013904223u;
    return static_cast<int64_t>(seed_ >> 16) % below;
  }
  ir::Source Constant(Dims dims) { return Weights(g_, std::move(dims), seed_ += 77); }
  ir::Source Sum(ir::Source a, ir::Source b) { return g_.Add("Add", 1, {a, b}); }
  ir::Source Turned(ir::Source x) { return g_.Add("Transpose", 1, {x, g_.Ints({0, 2, 1})}); }

  // The past of [1, channels, steps], joined in front.
  ir::Source WithPast(ir::Source x, int64_t past) {
    const ir::Source cache = g_.Parameter(F32({1, channels_, past}));
    const ir::Source joined = g_.Add("Concat", 1, {cache, x}, {{"axis", "2"}});
    states_.push_back(g_.Add(
        "Slice", 8, {joined, g_.Ints({-past}), g_.Ints({INT32_MAX}), g_.Ints({1}), g_.Ints({2})}));
    return joined;
  }
  ir::Source Convolved(const std::string& type, ir::Source x, Dims filters) {
    return g_.Add(type, 1, {x, Constant(std::move(filters))},
                  {{"strides", "1"}, {"dilations", "1"}, {"pads_begin", "0"}, {"pads_end", "0"}});
  }
  ir::Source Dense(ir::Source x) {
    return g_.Add("MatMul", 1, {x, Constant({channels_, channels_})});
  }

  ir::Source Layer(ir::Source y) {
    const ir::Source x = Turned(y);
    const int64_t past = 1 + Draw(4), c = channels_;
    switch (Draw(7)) {
      case 0:  // the memory block of an FSMN
        return Turned(
            Sum(Convolved("GroupConvolution", WithPast(x, past), {c, 1, 1, past + 1}), x));
      case 1:
        return Turned(Sum(Convolved("Convolution", WithPast(x, past), {c, c, past + 1}), x));
      case 2:
        return Turned(Sum(Sum(Convolved("Convolution", x, {c, c, 1}), Constant({1, c, 1})), x));
      case 3:
        return Sum(Sum(Dense(y), Constant({c})), y);
      case 4:
        return Sum(Dense(g_.Add("Tanh", 1, {y})), Dense(y));
      case 5: {
        const ir::Source past_too = Convolved("Convolution", WithPast(x, past), {c, c, past + 1});
        return Turned(Sum(past_too, Convolved("Convolution", x, {c, c, 1})));
      }
      default:
        return g_.Add("Tanh", 1, {Sum(Dense(y), Constant({c}))});
    }
  }

  GraphBuilder& g_;
  const int64_t steps_;
  uint32_t seed_;
  const int64_t channels_;
  std::vector<ir::Source> states_;
};

// All steps of the output.
PortBytes OutputOf(int64_t steps, uint32_t seed) {
  Model model([&](GraphBuilder& g) { Net(g, steps, seed).Build(); }, 0);
  if (!model.opened) return {};
  Engine& engine = model.engine;
  for (uint32_t i = 1; i < engine.input_count(); ++i) {
    std::fill_n(engine.input(i).as<unsigned char>(), engine.input(i).bytes, 0);
  }
  const size_t count = engine.input(0).bytes / sizeof(float);
  const auto runs = static_cast<size_t>(kSteps / steps);
  const std::vector<float> numbers = Numbers(count * runs, seed);
  PortBytes all;
  for (size_t run = 0; run < runs; ++run) {
    std::copy_n(numbers.begin() + static_cast<int64_t>(run * count), count,
                engine.input(0).as<float>());
    EXPECT_TRUE(engine.Run().ok());
    const PortBytes part = BytesOf(engine.output(0));
    all.insert(all.end(), part.begin(), part.end());
    std::vector<PortBytes> states;
    for (uint32_t i = 1; i < engine.output_count(); ++i)
      states.push_back(BytesOf(engine.output(i)));
    for (uint32_t i = 0; i < states.size(); ++i) {
      std::copy(states[i].begin(), states[i].end(), engine.input(1 + i).as<unsigned char>());
    }
  }
  return all;
}

TEST(ChunkBits, AreTheSameForOneTwoAndEightSteps) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PortBytes whole = OutputOf(kSteps, seed);
    ASSERT_FALSE(whole.empty());
    EXPECT_EQ(whole, OutputOf(2, seed));
    EXPECT_EQ(whole, OutputOf(1, seed));
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace weft::chunks
