// SPDX-License-Identifier: Apache-2.0
// Constants with equal bytes are stored once in the file: biases of several products, tables of
// several types, constants of a loop body and of the code around it.
#include <gtest/gtest.h>

#include <vector>

#include "converter/graph/lower.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

int64_t StoredBytes(GraphBuilder& g) {
  EXPECT_TRUE(InferAndFold(g.graph, {}, g.faults)) << g.FaultText();
  program::Program program;
  EXPECT_TRUE(graph::Lower(g.graph, program, g.faults)) << g.FaultText();
  int64_t bytes = 0;
  for (const program::Value& value : program.values) {
    const bool is_stored =
        value.storage == program::Storage::kWeights && value.parent == program::kNone;
    if (is_stored) bytes += value.bytes;
  }
  return bytes;
}

// A product with a matrix of that number, and a bias.
ir::Source Layer(GraphBuilder& g, ir::Source x, float number, const Dims& bias, float bias_number) {
  const ir::Source product = g.Add("MatMul", 1, {x, g.Floats({4, 4}, std::vector(16, number))});
  return g.Add("Add", 1, {product, g.Floats(bias, std::vector(4, bias_number))});
}

int64_t BytesOfTwoLayers(float first, float second, float first_bias, float second_bias) {
  GraphBuilder g;
  const ir::Source y = Layer(g, g.Parameter(F32({2, 4})), first, {4}, first_bias);
  g.Result(Layer(g, y, second, {1, 4}, second_bias));
  return StoredBytes(g);
}

TEST(SharedWeights, OfSeveralLayers) {
  const int64_t apart = BytesOfTwoLayers(1, 2, 3, 4);
  EXPECT_EQ(BytesOfTwoLayers(1, 2, 3, 3), apart - 16);
  EXPECT_EQ(BytesOfTwoLayers(1, 1, 3, 3), apart / 2);
}

TEST(SharedWeights, WhateverTheirTypes) {
  GraphBuilder g;
  const ir::Source rows = g.Parameter({ElementType::i32, {3}}), axis = g.Int(0);
  const ir::Source floats = g.Floats({8, 2}, std::vector(16, 1.0f));
  const ir::Source ints = g.Const({ElementType::i32, {8, 2}}, std::vector<int32_t>(16, 0x3F800000));
  for (const ir::Source& table : {floats, ints}) g.Result(g.Add("Gather", 8, {table, rows, axis}));
  EXPECT_EQ(StoredBytes(g), 64);
}

int64_t BytesOfALoop(bool has_layer_before) {
  CountedLoop loop(3);
  ir::Source x = loop.outer.Parameter(F32({2, 4}));
  if (has_layer_before) {
    x = Layer(loop.outer, x, 1, {4}, 2);
    x.node->outputs[0].type = F32({2, 4});
  }
  const ir::Source state = loop.Input(x);
  const ir::Source next = Layer(loop.body, state, 1, {4}, 2);
  next.node->outputs[0].type = F32({2, 4});
  loop.GoesBack(next, state);
  loop.GoOn(loop.body.Const<uint8_t>({ElementType::boolean, {}}, {1}));
  loop.Last(next);
  loop.Close();
  return StoredBytes(loop.outer);
}

TEST(SharedWeights, InABodyAndAround) {
  EXPECT_GE(BytesOfALoop(false), 80);
  EXPECT_EQ(BytesOfALoop(true), BytesOfALoop(false));
}

}  // namespace
}  // namespace weft
