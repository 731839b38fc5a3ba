// SPDX-License-Identifier: Apache-2.0
// Models with caller-kept state: the number of steps per call is a dimension of the model and must
// not change results. Compares eight steps in one call, in four calls of two and in eight calls of
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/streamed_graph.h"

namespace weft::chunks {
namespace {

constexpr size_t kSteps = 8;

// How the caller sets an input after the first one.
enum class Input {
  kState,  // sets it to the next output, counted from 1, of the call before
  kRow     // sets it to the same row in each call
};

// A net over [batch, steps, channels] with random layers, or with layers of one kind.
class Net {
 public:
  // For the kinds see Layer().
  static constexpr int64_t kKinds = 19;

  Net(GraphBuilder& g, int64_t steps, uint32_t seed)
      : g_(g), steps_(steps), seed_(seed), batch_(1 + Draw(3)), channels_(2 + 2 * Draw(15)) {}

  void Build(std::vector<Input>& inputs) {
    Build(inputs, 1 + Draw(4), [this] { return Draw(kKinds); });
  }
  void BuildOf(int64_t kind, std::vector<Input>& inputs) {
    Build(inputs, 1, [kind] { return kind; });
  }

 private:
  template <typename KindOf>
  void Build(std::vector<Input>& inputs, int64_t layers, const KindOf& kind_of) {
    ir::Source y = g_.Parameter(F32({batch_, steps_, channels_}));
    for (int64_t i = 0; i < layers; ++i) y = Layer(kind_of(), y);
    g_.Result(y);
    for (const ir::Source& state : states_) g_.Result(state);
    inputs = inputs_;
  }

  int64_t Draw(int64_t below) {
    seed_ = seed_ * 1664525u + 1013904223u;
    return static_cast<int64_t>(seed_ >> 16) % below;
  }
  ir::Source Constant(Dims dims) { return Weights(g_, std::move(dims), seed_ += 77); }
  ir::Source Sum(ir::Source a, ir::Source b) { return g_.Add("Add", 1, {a, b}); }
  ir::Source Permuted(ir::Source x) { return g_.Add("Transpose", 1, {x, g_.Ints({0, 2, 1})}); }
  ir::Source Reduced(const char* type, ir::Source x, std::vector<int64_t> axes) {
    return g_.Add(type, 1, {x, g_.Ints(std::move(axes))}, {{"keep_dims", "true"}});
  }

  // Prepends the past to x [batch, channels, steps].
  ir::Source WithPast(ir::Source x, int64_t past) {
    const ir::Source cache = g_.Parameter(F32({batch_, channels_, past}));
    inputs_.push_back(Input::kState);
    const ir::Source joined = g_.Add("Concat", 1, {cache, x}, {{"axis", "2"}});
    states_.push_back(g_.Add(
        "Slice", 8, {joined, g_.Ints({-past}), g_.Ints({INT32_MAX}), g_.Ints({1}), g_.Ints({2})}));
    return joined;
  }
  // One row per batch, used in all steps.
  ir::Source Row() {
    inputs_.push_back(Input::kRow);
    return g_.Parameter(F32({batch_, 1, channels_}));
  }
  ir::Source Convolved(const std::string& type, ir::Source x, Dims filters) {
    return g_.Add(type, 1, {x, Constant(std::move(filters))},
                  {{"strides", "1"}, {"dilations", "1"}, {"pads_begin", "0"}, {"pads_end", "0"}});
  }
  ir::Source Pointwise(ir::Source x) {
    return Convolved("Convolution", x, {channels_, channels_, 1});
  }
  ir::Source Dense(ir::Source x) {
    return g_.Add("MatMul", 1, {x, Constant({channels_, channels_})});
  }

  ir::Source Layer(int64_t kind, ir::Source y) {
    const ir::Source x = Permuted(y);
    const int64_t past = 1 + Draw(4), c = channels_;
    switch (kind) {
      case 0:  // the memory block of an FSMN
        return Permuted(
            Sum(Convolved("GroupConvolution", WithPast(x, past), {c, 1, 1, past + 1}), x));
      case 1:
        return Permuted(Sum(Convolved("Convolution", WithPast(x, past), {c, c, past + 1}), x));
      case 2:
        return Permuted(Sum(Sum(Pointwise(x), Constant({1, c, 1})), x));
      case 3:
        return Sum(Sum(Dense(y), Constant({c})), y);
      case 4:
        return Sum(Dense(g_.Add("Tanh", 1, {y})), Dense(y));
      case 5: {
        const ir::Source past_too = Convolved("Convolution", WithPast(x, past), {c, c, past + 1});
        return Permuted(Sum(past_too, Pointwise(x)));
      }
      case 6:
        return g_.Add("Tanh", 1, {Sum(Dense(y), Constant({c}))});
      default:
        return kind < 13 ? RowLayer(kind, y) : ChannelLayer(kind, x);
    }
  }

  // Rows that are added in every step, and additions after a transposition.
  ir::Source RowLayer(int64_t kind, ir::Source y) {
    const ir::Source x = Permuted(y);
    const int64_t c = channels_;
    switch (kind) {
      case 7:
        return Sum(Dense(y), Row());
      case 8:
        return Sum(Sum(Dense(Row()), Dense(y)), Constant({c}));
      case 9:
        return Sum(g_.Add("Tanh", 1, {y}), Dense(Row()));
      case 10:
        return Permuted(
            Sum(Sum(g_.Add("MatMul", 1, {Constant({c, c}), x}), Constant({1, c, 1})), x));
      case 11:
        return Sum(Permuted(Sum(Permuted(Dense(y)), Constant({1, c, 1}))), y);
      default:
        return Sum(Sum(Permuted(Pointwise(x)), Dense(y)), Constant({c}));
    }
  }

  // Sums over the channels, if they are not the last axis of x.
  ir::Source ChannelLayer(int64_t kind, ir::Source x) {
    const ir::Source axes = g_.Ints({1});
    switch (kind) {
      case 13:
        return Permuted(g_.Add("Subtract", 1, {x, Reduced("ReduceMean", x, {1})}));
      case 14:
        return Permuted(
            g_.Add("Multiply", 1, {x, g_.Add("Sigmoid", 1, {Reduced("ReduceSum", x, {1})})}));
      case 15:
        return Permuted(
            g_.Add("MVN", 6, {x, axes},
                   {{"normalize_variance", "true"}, {"eps", "1e-5"}, {"eps_mode", "inside_sqrt"}}));
      case 16:
        return Permuted(Sum(x, g_.Add("Softmax", 8, {x}, {{"axis", "1"}})));
      case 17:
        return Permuted(
            g_.Add("NormalizeL2", 1, {x, axes}, {{"eps", "1e-5"}, {"eps_mode", "add"}}));
      default: {  // over two axes with the steps between them
        const ir::Source parts =
            g_.Add("Reshape", 1, {Permuted(x), g_.Ints({batch_, steps_, 2, channels_ / 2})},
                   {{"special_zero", "false"}});
        const ir::Source apart = g_.Add("Transpose", 1, {parts, g_.Ints({0, 2, 1, 3})});
        const ir::Source means = g_.Add(
            "Reshape", 1, {Reduced("ReduceMean", apart, {1, 3}), g_.Ints({batch_, 1, steps_})},
            {{"special_zero", "false"}});
        return Permuted(Sum(x, means));
      }
    }
  }

  GraphBuilder& g_;
  const int64_t steps_;
  uint32_t seed_;
  const int64_t batch_, channels_;
  std::vector<ir::Source> states_;
  std::vector<Input> inputs_;
};

using BuildNet = std::function<void(GraphBuilder&, int64_t steps, std::vector<Input>&)>;

// Sets the inputs after the first one before each run, because a run may overwrite its inputs.
void SetInputs(Engine& engine, const std::vector<Input>& inputs,
               const std::vector<PortBytes>& states) {
  size_t state = 0;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const Tensor tensor = engine.input(1 + i);
    if (inputs[i] == Input::kState) {
      const PortBytes bytes = states.empty() ? PortBytes(tensor.bytes) : states[state++];
      std::copy(bytes.begin(), bytes.end(), tensor.as<unsigned char>());
    } else {
      const std::vector<float> row = Numbers(tensor.bytes / sizeof(float), 5 + i);
      std::copy(row.begin(), row.end(), tensor.as<float>());
    }
  }
}

std::vector<PortBytes> StatesOf(Engine& engine) {
  std::vector<PortBytes> states;
  for (uint32_t i = 1; i < engine.output_count(); ++i) states.push_back(BytesOf(engine.output(i)));
  return states;
}

// Returns the bits of the output over all steps, [steps, batch, channels].
std::vector<uint32_t> OutputOf(const BuildNet& build, size_t steps) {
  std::vector<Input> inputs;
  Model model([&](GraphBuilder& g) { build(g, static_cast<int64_t>(steps), inputs); },
              Model::WithGraphPasses());
  if (!model.opened) return {};
  Engine& engine = model.engine;
  const Tensor x = engine.input(0);
  const size_t batch = x.dims[0], channels = x.dims[2];
  const std::vector<float> numbers = Numbers(kSteps * batch * channels, 7);
  std::vector<uint32_t> bits;
  std::vector<PortBytes> states;
  for (size_t first = 0; first < kSteps; first += steps) {
    for (size_t t = 0; t < steps; ++t) {
      for (size_t b = 0; b < batch; ++b) {
        const auto row = static_cast<int64_t>(((first + t) * batch + b) * channels);
        std::copy_n(numbers.begin() + row, channels, x.as<float>() + (b * steps + t) * channels);
      }
    }
    SetInputs(engine, inputs, states);
    EXPECT_TRUE(engine.Run().ok());
    const float* y = engine.output(0).as<float>();
    for (size_t t = 0; t < steps; ++t) {
      for (size_t b = 0; b < batch; ++b) {
        for (size_t c = 0; c < channels; ++c) {
          bits.push_back(std::bit_cast<uint32_t>(y[(b * steps + t) * channels + c]));
        }
      }
    }
    states = StatesOf(engine);
  }
  return bits;
}

void ExpectSameBitsForAnyChunk(const BuildNet& build) {
  const std::vector<uint32_t> whole = OutputOf(build, kSteps);
  ASSERT_FALSE(whole.empty());
  EXPECT_EQ(whole, OutputOf(build, 2));
  EXPECT_EQ(whole, OutputOf(build, 1));
}

TEST(ChunkBits, AreTheSameForEachKindOfLayer) {
  for (int64_t kind = 0; kind < Net::kKinds; ++kind) {
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE("kind " + std::to_string(kind) + ", seed " + std::to_string(seed));
      ExpectSameBitsForAnyChunk([&](GraphBuilder& g, int64_t steps, std::vector<Input>& inputs) {
        Net(g, steps, seed).BuildOf(kind, inputs);
      });
      if (HasFailure()) break;
    }
  }
}

TEST(ChunkBits, AreTheSameForRandomNets) {
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ExpectSameBitsForAnyChunk([&](GraphBuilder& g, int64_t steps, std::vector<Input>& inputs) {
      Net(g, steps, seed).Build(inputs);
    });
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace weft::chunks
