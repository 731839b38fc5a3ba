// SPDX-License-Identifier: Apache-2.0
// Recognition that applies only inside a loop: RNN cells, and splitting of products of [slice,
// state].
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

constexpr int64_t kTime = 4;

// A TensorIterator over x [4, 2, 5] with a state h; `next` computes the state after h.
struct Recurrence {
  GraphBuilder outer, body;
  ir::Source x, h;

  Recurrence()
      : x(body.Parameter(F32({1, kRows, kInputs}))), h(body.Parameter(F32({kRows, kHidden}))) {}

  ir::Source Row() { return body.Add("Squeeze", 1, {x, body.Ints({0})}); }
  ir::Source Joined() { return body.Add("Concat", 1, {Row(), h}, {{"axis", "1"}}); }
  ir::Source Times(ir::Source a, int64_t inputs, uint32_t seed) {
    return body.Add("MatMul", 1, {a, Constant(body, {inputs, kHidden}, seed)});
  }

  // `back`: `next` is the next state; otherwise it is only an output, and h keeps its value.
  std::map<std::string, int> Run(ir::Source next, bool back = true) {
    const ir::Source whole = outer.Parameter(F32({kTime, kRows, kInputs}));
    const ir::Source first = outer.Parameter(F32({kRows, kHidden}));
    const ir::Source loop = outer.Add("TensorIterator", 1, {whole, first}, {}, 1);
    body.Result(next);
    ir::Body& made = loop.node->bodies.emplace_back();
    ir::Node* result = body.graph.results[0];
    made.map.inputs = {{.parameter = x.node, .input = 0, .range = ir::ChunkRange{}},
                       {.parameter = h.node, .input = 1, .next = back ? result : nullptr}};
    made.map.outputs = {{.result = result, .port_id = 0}};
    made.graph = std::make_unique<ir::Graph>(std::move(body.graph));
    outer.Result(loop);
    return Recognised(outer);
  }
};

TEST(RecogniseRnn, TakesWhatTheLoopCarries) {
  Recurrence r;
  const ir::Source sum =
      r.body.Add("Add", 1, {r.Times(r.Row(), kInputs, 1), r.Times(r.h, kHidden, 2)});
  std::map<std::string, int> left = r.Run(r.body.Add("Relu", 1, {sum}));
  EXPECT_EQ(left["RNNCell"], 1);
  EXPECT_EQ(left["MatMul"], 0);
}

TEST(RecogniseRnn, TakesAMergedMatrix) {
  Recurrence r;
  const ir::Source product = r.Times(r.Joined(), kInputs + kHidden, 1);
  const ir::Source sum = r.body.Add("Add", 1, {product, Constant(r.body, {kHidden}, 2)});
  EXPECT_EQ(r.Run(r.body.Add("Tanh", 1, {sum}))["RNNCell"], 1);
}

TEST(RecogniseRnn, LeavesALayerThatIsNotCarried) {
  Recurrence r;
  const ir::Source sum =
      r.body.Add("Add", 1, {r.Times(r.Row(), kInputs, 1), r.Times(r.h, kHidden, 2)});
  EXPECT_EQ(r.Run(r.body.Add("Tanh", 1, {sum}), false)["RNNCell"], 0);
}

TEST(RecogniseProduct, SplitsASliceFromAState) {
  Recurrence r;
  const ir::Source product = r.Times(r.Joined(), kInputs + kHidden, 1);
  std::map<std::string, int> left = r.Run(r.body.Add("Add", 1, {product, r.h}));
  EXPECT_EQ(left["MatMul"], 2);
  EXPECT_EQ(left["Concat"], 0);
}

TEST(RecogniseProduct, LeavesWhatHasNoSlice) {
  Recurrence r;
  const ir::Source both = r.body.Add("Concat", 1, {r.h, r.h}, {{"axis", "1"}});
  std::map<std::string, int> left = r.Run(r.Times(both, 2 * kHidden, 1));
  EXPECT_EQ(left["MatMul"], 1);
  EXPECT_EQ(left["Concat"], 1);
}

}  // namespace
}  // namespace weft
