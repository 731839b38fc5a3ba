// SPDX-License-Identifier: Apache-2.0
// States of the caller or of the model: --streaming with --state, and models with their own caches,
// which already stream.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/graph/input_states.h"
#include "tests/models/streamed_graph.h"

namespace weft::caches {
namespace {

constexpr int64_t kUnits = 4, kInputs = 3;

struct Gru {
  ir::Source steps, last;
};

// A sequence over [1, steps, 3] with the initial state [1, 1, 4], as PyTorch exports it: the batch
// is axis 1 of the state.
Gru Over(GraphBuilder& g, ir::Source x, ir::Source state, int64_t steps) {
  const ir::Source order = g.Ints({1, 0, 2});
  const ir::Source initial = g.Add("Transpose", 1, {state, order});
  const ir::Source gru =
      g.Add("GRUSequence", 5,
            {x, initial, g.Ints({steps}), Weights(g, {1, 3 * kUnits, kInputs}, 1),
             Weights(g, {1, 3 * kUnits, kUnits}, 2), Weights(g, {1, 3 * kUnits}, 3)},
            {{"hidden_size", "4"}, {"direction", "forward"}}, 2);
  return {gru, g.Add("Transpose", 1, {{gru.node, 1}, order})};
}

Build WithZeros(int64_t steps) {
  return [=](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, steps, kInputs}));
    g.Result(Over(g, x, g.Floats({1, 1, kUnits}, std::vector<float>(kUnits, 0)), steps).steps);
  };
}

// The state is an input and an output, which --state declares as one.
Build WithDeclaredState(int64_t steps) {
  return [=](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, steps, kInputs}));
    const ir::Source state = g.Parameter(F32({1, 1, kUnits}));
    const Gru gru = Over(g, x, state, steps);
    g.Result(gru.steps);
    g.Result(gru.last);
    graph::ApplyStates(g.graph, {{state.node->name, gru.last.node->name}}, g.faults);
  };
}

TEST(StreamingCaches, KeepsADeclaredState) {
  for (const int64_t steps : {1, 2, 3}) {
    ExpectSameBits(WithZeros(6), WithDeclaredState(6), 6, steps);
  }
  const Model model(WithDeclaredState(6), 1);
  EXPECT_EQ(model.engine.input_count(), 1U);
  EXPECT_EQ(model.engine.output_count(), 1U);
  EXPECT_EQ(model.variables, std::vector<std::string>{"Parameter1"});
}

// A layer between the variable and the sequence changes the stored value.
TEST(StreamingCaches, RefusesADeclaredStateThatIsNoneOfASequence) {
  const Build build = [](GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 6, kInputs}));
    const ir::Source state = g.Parameter(F32({1, 1, kUnits}));
    const Gru gru = Over(g, x, g.Add("Tanh", 1, {state}), 6);
    g.Result(gru.steps);
    g.Result(gru.last);
    graph::ApplyStates(g.graph, {{state.node->name, gru.last.node->name}}, g.faults);
  };
  EXPECT_EQ(Refusal(build),
            NeedsAll("1 \"Parameter1\" (ReadValue)",
                     "it reads variable \"Parameter1\" once for all steps, so --state must "
                     "not name it"));
}

// The memory block of an FSMN: the cache is prepended to the steps, and the last steps are the next
// cache.
struct Fsmn {
  explicit Fsmn(GraphBuilder& g) {
    const ir::Source x = g.Parameter(F32({1, 8, kInputs}));
    cache = g.Parameter(F32({1, kInputs, 5, 1}));
    const ir::Source permuted = g.Add("Transpose", 1, {x, g.Ints({0, 2, 1})});
    const ir::Source steps = g.Add("Unsqueeze", 1, {permuted, g.Ints({3})});
    const ir::Source joined = g.Add("Concat", 1, {cache, steps}, {{"axis", "2"}});
    last = g.Add("Slice", 8, {joined, g.Ints({-5}), g.Ints({INT32_MAX}), g.Ints({1}), g.Ints({2})});
    const ir::Source memory = g.Add(
        "GroupConvolution", 1, {joined, Weights(g, {kInputs, 1, 1, 6, 1}, 5)},
        {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "0,0"}, {"pads_end", "0,0"}});
    g.Result(g.Add("Add", 1, {memory, steps}));
    g.Result(last);
  }
  ir::Source cache, last;
};

TEST(StreamingCaches, NamesTheOptionsOfAModelThatKeepsItsPast) {
  const Build as_ports = [](GraphBuilder& g) { Fsmn{g}; };
  const Build as_state = [](GraphBuilder& g) {
    const Fsmn fsmn(g);
    graph::ApplyStates(g.graph, {{fsmn.cache.node->name, fsmn.last.node->name}}, g.faults);
  };
  for (const Build& build : {as_ports, as_state}) {
    const std::string text = Refusal(build);
    EXPECT_EQ(
        text.find("test.xml: input \"Parameter1\": the model stores its own past and needs no "
                  "--streaming; must be converted without --streaming (--shape Parameter0=1,8,3 "
                  "Parameter1=1,3,5,1 --state Parameter1="),
        0U)
        << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  }
}

}  // namespace
}  // namespace weft::caches
