// SPDX-License-Identifier: Apache-2.0
// Graphs around one GRU sequence, cut to a few steps a run: what surrounds a sequence in real
// models must be cut with it to the bit, and what needs steps that are yet to come must be refused
// by name.
#include "converter/passes/streaming.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "converter/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/passes/fuse_tail.h"
#include "converter/passes/hoist.h"
#include "converter/passes/infer.h"
#include "converter/passes/lower.h"
#include "converter/plan/coalesce.h"
#include "runtime/weft.h"
#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

using Build = std::function<void(GraphBuilder&)>;
using Bytes1 = std::vector<unsigned char>;

constexpr int64_t kBatch = 2, kSteps = 6, kInputs = 5, kHidden = 3;

TensorType F32(Dims dims) { return {ElementType::f32, std::move(dims)}; }

std::vector<float> Numbers(size_t count, uint32_t seed) {
  std::vector<float> numbers(count);
  for (float& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = (static_cast<float>(seed >> 19) - 4096.0f) / 4096.0f;
  }
  return numbers;
}

ir::Source Weights(GraphBuilder& g, Dims dims, uint32_t seed) {
  const auto count = static_cast<size_t>(ElementCount(dims).value());
  return g.Floats(std::move(dims), Numbers(count, seed));
}

struct GruOptions {
  int64_t inputs = kInputs;
  std::string direction = "forward";
  std::vector<int32_t> lengths = std::vector<int32_t>(kBatch, kSteps);
};

// [batch, steps, inputs] -> node with outputs [batch, 1, steps, hidden] and [batch, 1, hidden].
ir::Node* Gru(GraphBuilder& g, ir::Source x, ir::Source initial, const GruOptions& options = {}) {
  const int64_t directions = options.direction == "bidirectional" ? 2 : 1;
  return g
      .Add("GRUSequence", 5,
           {x, initial, g.Const<int32_t>({ElementType::i32, {kBatch}}, options.lengths),
            Weights(g, {directions, 3 * kHidden, options.inputs}, 1),
            Weights(g, {directions, 3 * kHidden, kHidden}, 2),
            Weights(g, {directions, 3 * kHidden}, 3)},
           {{"hidden_size", std::to_string(kHidden)}, {"direction", options.direction}}, 2)
      .node;
}

ir::Source Zeros(GraphBuilder& g) {
  return g.Floats({kBatch, 1, kHidden}, std::vector<float>(kBatch * kHidden, 0.0f));
}

ir::Source Input(GraphBuilder& g) { return g.Parameter(F32({kBatch, kSteps, kInputs})); }

// [batch, steps, hidden] of a sequence.
ir::Source Hidden(GraphBuilder& g, ir::Source x, const GruOptions& options = {}) {
  return g.Add("Squeeze", 1, {{Gru(g, x, Zeros(g), options), 0}, g.Ints({1})});
}

bool Infer(GraphBuilder& g) { return passes::InferAndFold(g.graph, {}, g.faults); }

// A model as the converter makes it from a graph, and its engine.
class Model {
 public:
  Model(const Build& build, int64_t streaming_steps) {
    build(graph_);
    EXPECT_TRUE(Infer(graph_)) << graph_.FaultText();
    if (streaming_steps > 0) {
      EXPECT_TRUE(passes::Stream(graph_.graph, streaming_steps, graph_.faults))
          << graph_.FaultText();
      EXPECT_TRUE(Infer(graph_)) << graph_.FaultText();
    }
    if (!graph_.faults.ok()) return;
    plan::Program program;
    EXPECT_TRUE(passes::Lower(graph_.graph, program, graph_.faults)) << graph_.FaultText();
    passes::FuseTails(program, program.main);
    passes::Hoist(program, INT64_MAX);
    plan::Coalesce(program);
    const emit::ModelFile file = emit::WriteModelFile(program, {}, graph_.faults);
    for (const plan::Variable& variable : program.variables) variables.push_back(variable.name);
    model_ = AlignedBytes(file.bytes.size());
    std::memcpy(model_.data(), file.bytes.data(), file.bytes.size());
    state_ = AlignedBytes(static_cast<size_t>(file.state_bytes));
    scratch_ = AlignedBytes(static_cast<size_t>(file.scratch_bytes));
    Memory memory;
    memory.state = {state_.data(), state_.size()};
    memory.scratch = {scratch_.data(), scratch_.size()};
    opened = Engine::Open({model_.data(), model_.size()}, AllSteps(), memory, &engine).ok();
    EXPECT_TRUE(opened);
  }

  Engine engine;
  bool opened = false;
  std::vector<std::string> variables;

 private:
  GraphBuilder graph_;
  AlignedBytes model_{0}, state_{0}, scratch_{0};
};

// Inputs and outputs of these models have the batch first and time second; or no time at all.
void Move(const Tensor& whole, const Tensor& part, Bytes1& bytes, size_t run, bool to_part) {
  const bool has_time = whole.bytes != part.bytes;
  const size_t rows = has_time ? whole.dims[0] : 1;
  const size_t row_bytes = whole.bytes / rows, part_bytes = part.bytes / rows;
  for (size_t row = 0; row < rows; ++row) {
    unsigned char* place = bytes.data() + row * row_bytes + (has_time ? run * part_bytes : 0);
    unsigned char* piece = part.as<unsigned char>() + row * part_bytes;
    std::memcpy(to_part ? piece : place, to_part ? place : piece, part_bytes);
  }
}

void ExpectSameBits(const Build& build, int64_t steps) {
  SCOPED_TRACE(std::to_string(steps) + " steps a run");
  Model whole(build, 0), part(build, steps);
  if (!whole.opened || !part.opened) return;
  std::vector<Bytes1> inputs, expected, actual;
  for (uint32_t i = 0; i < whole.engine.input_count(); ++i) {
    const Tensor tensor = whole.engine.input(i);
    const std::vector<float> numbers = Numbers(tensor.bytes / sizeof(float), 11 + i);
    std::memcpy(tensor.data, numbers.data(), tensor.bytes);
    inputs.emplace_back(tensor.as<unsigned char>(), tensor.as<unsigned char>() + tensor.bytes);
  }
  ASSERT_TRUE(whole.engine.Run().ok());
  for (uint32_t i = 0; i < whole.engine.output_count(); ++i) {
    const Tensor tensor = whole.engine.output(i);
    expected.emplace_back(tensor.as<unsigned char>(), tensor.as<unsigned char>() + tensor.bytes);
    actual.emplace_back(tensor.bytes);
  }
  for (size_t run = 0; run < static_cast<size_t>(kSteps / steps); ++run) {
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      Move(whole.engine.input(i), part.engine.input(i), inputs[i], run, true);
    }
    ASSERT_TRUE(part.engine.Run().ok());
    for (uint32_t i = 0; i < actual.size(); ++i) {
      Move(whole.engine.output(i), part.engine.output(i), actual[i], run, false);
    }
  }
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i], actual[i]) << "output " << i;
}

void ExpectStreams(const Build& build) {
  for (const int64_t steps : {1, 2, 3, 6}) ExpectSameBits(build, steps);
}

// What the pass says of a graph that it refuses.
std::string Refusal(const Build& build, int64_t steps = 1) {
  GraphBuilder g;
  build(g);
  EXPECT_TRUE(Infer(g)) << g.FaultText();
  EXPECT_FALSE(passes::Stream(g.graph, steps, g.faults));
  return g.FaultText();
}

TEST(Streaming, KeepsTheStateInAVariable) {
  const Build build = [](GraphBuilder& g) {
    ir::Node* gru = Gru(g, Input(g), Zeros(g));
    g.Result(g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})}));
    g.Result({gru, 1});
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables, (std::vector<std::string>{"GRUSequence6/hidden"}));
}

TEST(Streaming, ReadsAnInitialStateThatIsAnInputOnce) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = Input(g), initial = g.Parameter(F32({kBatch, 1, kHidden}));
    g.Result(g.Add("Squeeze", 1, {{Gru(g, x, initial), 0}, g.Ints({1})}));
  });
}

TEST(Streaming, CutsWhatStandsAroundASequence) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({kBatch, kSteps, 4}));
    const ir::Source wide = g.Add("MatMul", 1, {x, Weights(g, {4, kInputs}, 4)});
    const ir::Source hidden = Hidden(g, g.Add("Tanh", 1, {wide}));
    const ir::Source mean = g.Add("ReduceMean", 1, {hidden, g.Ints({-1})}, {{"keep_dims", "true"}});
    const ir::Source centred = g.Add("Subtract", 1, {hidden, mean});
    const ir::Source more = g.Add("Concat", 1, {centred, x}, {{"axis", "-1"}});
    g.Result(g.Add("Softmax", 8, {more}, {{"axis", "-1"}}));
    g.Result(g.Add("Slice", 8, {more, g.Ints({1}), g.Ints({5}), g.Ints({2}), g.Ints({2})}));
  });
}

TEST(Streaming, CutsABatchThatTimeIsFlattenedInto) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source hidden = Hidden(g, Input(g));
    const ir::Source rows = g.Add("Reshape", 1, {hidden, g.Ints({kBatch * kSteps, kHidden})});
    const ir::Source dense = g.Add("MatMul", 1, {rows, Weights(g, {kHidden, 7}, 5)});
    const ir::Source shifted = g.Add("Add", 1, {dense, Weights(g, {1, 7}, 6)});
    g.Result(g.Add("Reshape", 1, {shifted, g.Ints({kBatch, -1, 7})}));
  });
}

TEST(Streaming, CutsAStackWithTimeMovedBetween) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source first = Hidden(g, Input(g));
    const ir::Source turned = g.Add("Transpose", 1, {first, g.Ints({1, 0, 2})});
    const ir::Source scaled = g.Add("Multiply", 1, {turned, Weights(g, {kHidden}, 7)});
    const ir::Source back = g.Add("Transpose", 1, {scaled, g.Ints({1, 0, 2})});
    g.Result(Hidden(g, back, {.inputs = kHidden}));
  });
}

TEST(Streaming, TakesTheLastStepOfEachRun) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source hidden = Hidden(g, Input(g));
    const auto dense = [&](ir::Source last) {
      return g.Add("MatMul", 1, {last, Weights(g, {kHidden, 4}, 8)});
    };
    g.Result(dense(g.Add("Gather", 8, {hidden, g.Int(-1), g.Int(1)})));
    g.Result(dense(g.Add("Gather", 8, {hidden, g.Int(kSteps - 1), g.Int(1)})));
    g.Result(
        g.Add("Slice", 8, {hidden, g.Ints({-1}), g.Ints({INT64_MAX}), g.Ints({1}), g.Ints({1})}));
    g.Result(g.Add("StridedSlice", 1, {hidden, g.Ints({0, -1}), g.Ints({0, 0}), g.Ints({1, 1})},
                   {{"begin_mask", "1,0"}, {"end_mask", "1,1"}, {"shrink_axis_mask", "0,1"}}));
  });
}

TEST(Streaming, CutsWhatRepeatsOverTime) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source x = Input(g), who = g.Parameter(F32({kBatch, 1, 2}));
    const ir::Source told =
        g.Add("Broadcast", 3, {who, g.Ints({kBatch, kSteps, 2})}, {{"mode", "numpy"}});
    const ir::Source tiled = g.Add("Tile", 1, {who, g.Ints({kSteps, 1})});
    const ir::Source ones = g.Floats({1, kSteps, 1}, std::vector<float>(kSteps, 0.5f));
    const ir::Source all = g.Add("Concat", 1, {x, told, tiled}, {{"axis", "2"}});
    g.Result(Hidden(g, g.Add("Multiply", 1, {all, ones}), {.inputs = kInputs + 4}));
  });
}

TEST(Streaming, KeepsAStateThatIsAVariableAlready) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = Input(g);
    const ir::Source flat = g.Floats({kBatch, kHidden}, Numbers(kBatch * kHidden, 9));
    const ir::Source read = g.Add("ReadValue", 6, {flat}, {{"variable_id", "mine"}});
    ir::Node* gru = Gru(g, x, g.Add("Unsqueeze", 1, {read, g.Ints({1})}));
    const ir::Source last = g.Add("Squeeze", 1, {{gru, 1}, g.Ints({1})});
    g.Add("Assign", 6, {last}, {{"variable_id", "mine"}});
    g.Result(g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})}));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables, (std::vector<std::string>{"mine"}));
}

// The line of one refusal after the layer's name.
std::string Needs(const std::string& layer, const std::string& what) {
  return "test.xml: layer " + layer + ": needs the whole sequence (" + what +
         "); --streaming must be able to cut time\n";
}

// [batch, steps, channels] through a convolution over time, before and after a sequence.
ir::Source Convolved(GraphBuilder& g, ir::Source x, Dims weights, const std::string& pads_begin,
                     const std::string& pads_end) {
  const ir::Source turned = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
  const ir::Source y = g.Add("Convolution", 1, {turned, Weights(g, std::move(weights), 12)},
                             {{"strides", "1"},
                              {"dilations", "2"},
                              {"pads_begin", pads_begin},
                              {"pads_end", pads_end},
                              {"auto_pad", "explicit"}});
  return g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
}

TEST(Streaming, KeepsThePastOfAConvolutionThatLooksBack) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = Convolved(g, Input(g), {7, kInputs, 3}, "4", "0");
    g.Result(Convolved(g, Hidden(g, x, {.inputs = 7}), {2, kHidden, 2}, "2", "0"));
  };
  ExpectStreams(build);
  EXPECT_EQ(Model(build, 1).variables.size(), 3u);
}

TEST(Streaming, KeepsThePastBehindAPad) {
  ExpectStreams([](GraphBuilder& g) {
    const ir::Source moved = g.Add("Transpose", 1, {Input(g), g.Ints({0, 2, 1})});
    const ir::Source longer =
        g.Add("Pad", 1, {moved, g.Ints({0, 0, 2}), g.Ints({0, 0, 0})}, {{"pad_mode", "constant"}});
    const ir::Source y = g.Add("Convolution", 1, {longer, Weights(g, {4, kInputs, 3}, 13)},
                               {{"strides", "1"},
                                {"dilations", "1"},
                                {"pads_begin", "0"},
                                {"pads_end", "0"},
                                {"auto_pad", "explicit"}});
    const ir::Source back = g.Add("Transpose", 1, {y, g.Ints({0, 2, 1})});
    g.Result(Hidden(g, back, {.inputs = 4}));
  });
}

TEST(Streaming, RefusesAConvolutionThatLooksAhead) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              g.Result(Hidden(g, Convolved(g, Input(g), {7, kInputs, 3}, "2", "2"), {.inputs = 7}));
            }),
            Needs("4 \"Convolution4\" (Convolution)", "it has windows over time"));
}

TEST(Streaming, RefusesAModelThatWalksNothing) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) { g.Result(g.Add("Tanh", 1, {Input(g)})); }),
            "test.xml: no sequence, TensorIterator or Loop walks along a time axis; --streaming "
            "must have one to cut\n");
}

TEST(Streaming, RefusesMoreStepsThanThereAre) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) { g.Result(Hidden(g, Input(g))); }, kSteps + 1),
            "--streaming: 7 steps of test.xml's 6; must be from 1 to 6\n");
}

TEST(Streaming, RefusesEveryStepThatLooksAhead) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source hidden = Hidden(g, Input(g), {.direction = "reverse"});
              g.Result(g.Add("ReduceMax", 1, {hidden, g.Ints({1})}));
              g.Result(g.Add("Softmax", 8, {hidden}, {{"axis", "1"}}));
            }),
            Needs("6 \"GRUSequence6\" (GRUSequence)", "its direction is reverse") +
                Needs("10 \"ReduceMax10\" (ReduceMax)", "it reduces over time") +
                Needs("12 \"Softmax12\" (Softmax)", "it divides by a sum over time"));
}

TEST(Streaming, RefusesLengthsThatEndBefore) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              g.Result(Hidden(g, Input(g), {.lengths = {kSteps, 4}}));
            }),
            Needs("6 \"GRUSequence6\" (GRUSequence)", "its sequence lengths [6,4] are not all 6"));
}

TEST(Streaming, RefusesOtherStepsThanTheLast) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source hidden = Hidden(g, Input(g));
              g.Result(g.Add("Gather", 8, {hidden, g.Int(0), g.Int(1)}));
            }),
            Needs("11 \"Gather11\" (Gather)", "it takes places [0, 1) of 6 along time"));
}

TEST(Streaming, RefusesAnEndThatIsUsedAtEveryStep) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              ir::Node* gru = Gru(g, Input(g), Zeros(g));
              const ir::Source all = g.Add("Squeeze", 1, {{gru, 0}, g.Ints({1})});
              g.Result(g.Add("Add", 1, {all, {gru, 1}}));
            }),
            Needs("9 \"Add9\" (Add)", "it uses at every step what only the last step tells"));
}

TEST(Streaming, RefusesConstantsThatChangeWithTime) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source where = Weights(g, {1, kSteps, kInputs}, 10);
              g.Result(Hidden(g, g.Add("Add", 1, {Input(g), where})));
            }),
            Needs("0 \"Const0\" (Const)", "its value differs from step to step"));
}

TEST(Streaming, RefusesAVariableThatIsReadForAllSteps) {
  EXPECT_EQ(Refusal([](GraphBuilder& g) {
              const ir::Source x = Input(g);
              const ir::Source gain =
                  g.Add("ReadValue", 6, {g.Floats({1}, {2.0f})}, {{"variable_id", "gain"}});
              g.Result(Hidden(g, g.Add("Multiply", 1, {x, gain})));
            }),
            Needs("2 \"ReadValue2\" (ReadValue)", "it reads variable \"gain\" once for all steps"));
}

// A sum over an axis that time stands inside of is a chain; over a single step it would be taken in
// sixteen parts.
TEST(Streaming, RefusesASumThatOneStepWouldRoundOtherwise) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({kBatch, kInputs, kSteps}));
    const ir::Source norm = g.Add("ReduceL2", 4, {x, g.Ints({1})}, {{"keep_dims", "true"}});
    const ir::Source turned =
        g.Add("Transpose", 1, {g.Add("Divide", 1, {x, norm}), g.Ints({0, 2, 1})});
    g.Result({Gru(g, turned, Zeros(g)), 1});
  };
  EXPECT_EQ(Refusal(build),
            Needs("2 \"ReduceL22\" (ReduceL2)",
                  "it sums over axis 1 with the time axis inside, which rounds otherwise for a "
                  "single step"));
}

}  // namespace
}  // namespace weft
