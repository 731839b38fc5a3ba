// SPDX-License-Identifier: Apache-2.0
// RandomUniform: a constant in its own element type, and errors.
#include <gtest/gtest.h>

#include <cstring>

#include "converter/graph/graph_passes.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using Attributes = std::map<std::string, std::string>;

const Attributes kSeeded = {{"output_type", "f32"}, {"global_seed", "150"}, {"op_seed", "10"}};

Attributes With(const std::string& key, const std::string& value) {
  Attributes attributes = kSeeded;
  attributes[key] = value;
  return attributes;
}

ir::Source Drawn(GraphBuilder& g, const Attributes& attributes) {
  return g.Add("RandomUniform", 8, {g.Ints({3, 3}), g.Float(0), g.Float(1)}, attributes);
}

// The first example of the specification.
TEST(RandomUniform, IsTheConstantOfItsSeeds) {
  GraphBuilder g;
  g.Result(Drawn(g, kSeeded));
  ASSERT_TRUE(InferAndFold(g.graph, {}, g.faults)) << g.FaultText();
  const std::optional<ir::Constant>& drawn = g.graph.results[0]->inputs[0].node->constant;
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->type, F32({3, 3}));
  std::vector<float> numbers(9);
  ASSERT_EQ(drawn->bytes.size(), numbers.size() * sizeof(float));
  std::memcpy(numbers.data(), drawn->bytes.data(), drawn->bytes.size());
  const float must[] = {0.7011236f,  0.30539632f, 0.93931055f, 0.9456035f, 0.11694777f,
                        0.50770056f, 0.5197197f,  0.22727466f, 0.991374f};
  for (size_t i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(numbers[i], must[i]) << i;
  ASSERT_EQ(g.faults.warnings().size(), 1u);
  EXPECT_PRED2(Contains, g.faults.warnings()[0], "every run uses those of the first run");
}

// The type determines the random numbers: f16 numbers are not f32 numbers rounded to f16.
TEST(RandomUniform, KeepsItsTypeWhereFloatsArePromoted) {
  GraphBuilder g;
  g.Result(Drawn(g, With("output_type", "f16")));
  graph::Promote(g.graph);
  ASSERT_TRUE(InferAndFold(g.graph, {}, g.faults)) << g.FaultText();
  const ir::Source& source = g.graph.results[0]->inputs[0];
  ASSERT_TRUE(source.node->constant);
  EXPECT_EQ(source.node->constant->type.dims, (Dims{3, 3}));
}

TEST(RandomUniform, RefusesSeedsThatAreNone) {
  GraphBuilder g;
  Drawn(g, {{"output_type", "f32"}});
  Drawn(g, With("op_seed", "-1"));
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "global_seed and op_seed are 0, so that each run draws");
  EXPECT_PRED2(Contains, g.FaultText(), "op_seed is \"-1\"; must be a number from 0 to");
}

TEST(RandomUniform, RefusesOtherTypesAndAlignments) {
  GraphBuilder g;
  Drawn(g, With("output_type", "f64"));
  Drawn(g, {{"global_seed", "1"}});
  Drawn(g, With("alignment", "numpy"));
  Drawn(g, With("output_type", "i32"));
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "f64");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute output_type is missing");
  EXPECT_PRED2(Contains, g.FaultText(), "numpy");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (minval) is f32 and output_type is i32");
}

TEST(RandomUniform, WantsConstantsForShapeAndLimits) {
  GraphBuilder g;
  const Attributes whole = With("output_type", "i64");
  g.Add("RandomUniform", 8, {g.Parameter({ElementType::i64, {2}}), g.Float(0), g.Float(1)},
        kSeeded);
  g.Add("RandomUniform", 8, {g.Ints({3}), g.Parameter(F32({})), g.Floats({2}, {1, 2})}, kSeeded);
  g.Add("RandomUniform", 8, {g.Ints({3}), g.Int(5), g.Int(5)}, whole);
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 (output shape) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (minval) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (maxval) is f32[2]; must be one number");
  EXPECT_PRED2(Contains, g.FaultText(), "minval is 5 and maxval 5; maxval must be above minval");
}

// Errors of a loop with a random operation. With `selects`, the loop counter also selects a row of
// a table.
std::string FaultsOfDrawingLoop(bool selects) {
  CountedLoop loop(4);
  const TensorType pair = F32({2});
  const ir::Source table = loop.Input(loop.outer.Parameter(F32({4, 2})));
  const ir::Source state = loop.Input(loop.outer.Parameter(pair));
  const ir::Source counter = loop.Iteration();
  const ir::Source row = selects ? loop.Typed("Gather", {table, counter, loop.body.Int(0)}, pair,
                                              {{"batch_dims", "0"}}, 8)
                                 : state;
  const ir::Source drawn =
      loop.Typed("RandomUniform", {loop.body.Ints({2}), loop.body.Float(0), loop.body.Float(1)},
                 pair, kSeeded, 8);
  const ir::Source sum = loop.Typed("Add", {row, drawn}, pair);
  loop.GoesBack(sum, state);
  loop.Last(sum);
  loop.Close();
  graph::Flatten(loop.outer.graph);
  EXPECT_FALSE(InferAndFold(loop.outer.graph, {.check_declared = false}, loop.outer.faults));
  return loop.outer.FaultText();
}

TEST(RandomUniform, RefusesToDrawInALoop) {
  for (const bool selects : {false, true}) {
    EXPECT_PRED2(Contains, FaultsOfDrawingLoop(selects),
                 "is a random operation inside a loop; must be outside the loop");
  }
}

}  // namespace
}  // namespace weft
