// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/other_shapes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

struct Inferred {
  bool is_known = false;
  GraphBuilder g;
  graph::OtherShapes other;
};

// Infers x[rows,2] * (w + w) - rows, w = [3, 4], reshaped to [reshaped,2], for three rows and for
// `others`.
Inferred Infer(int64_t others, int64_t reshaped) {
  Inferred inferred;
  GraphBuilder& g = inferred.g;
  const ir::Source x = g.Parameter({ElementType::f32, {3, 2}}), w = g.Floats({2}, {3, 4});
  const ir::Source rows =
      g.Add("Gather", 8, {g.Add("ShapeOf", 3, {x}), g.Int(0), g.Int(0)}, {{"batch_dims", "0"}});
  const ir::Source product = g.Add("Multiply", 1, {x, g.Add("Add", 1, {w, w})});
  const ir::Source count = g.Add("Convert", 1, {rows}, {{"destination_type", "f32"}});
  g.Result(g.Add("Reshape", 1, {g.Add("Subtract", 1, {product, count}), g.Ints({reshaped, 2})},
                 {{"special_zero", "false"}}));
  inferred.other.graph = ir::CopyOf(g.graph);
  inferred.other.graph->parameters[0]->outputs[0].type.dims[0] = others;
  graph::Folding folding = FoldingHere();
  inferred.is_known = graph::InferBoth(g.graph, {}, folding, g.faults, inferred.other);
  return inferred;
}

// Returns the operands of the subtraction that are constant: [w + w, rows].
std::vector<float> ConstantsOf(const ir::Graph& graph, std::vector<const std::byte*>* bytes) {
  std::vector<float> numbers;
  const ir::Node& difference = *graph.results[0]->inputs[0].node->inputs[0].node;
  const ir::Source operands[] = {difference.inputs[0].node->inputs[1], difference.inputs[1]};
  for (const ir::Source& operand : operands) {
    if (!operand.node->constant) continue;
    const std::span<const std::byte> data = operand.node->constant->bytes;
    bytes->push_back(data.data());
    for (size_t i = 0; i < data.size(); i += sizeof(float)) {
      std::memcpy(&numbers.emplace_back(), data.data() + i, sizeof(float));
    }
  }
  return numbers;
}

TEST(OtherShapes, HaveTheirOwnExtentsAndValues) {
  const Inferred inferred = Infer(1, -1);
  EXPECT_TRUE(inferred.is_known) << inferred.g.FaultText();
  EXPECT_TRUE(inferred.other.faults.ok());
  std::vector<const std::byte*> bytes, other_bytes;
  const ir::Graph &graph = inferred.g.graph, &other = *inferred.other.graph;
  EXPECT_EQ(graph::TypeOf(graph.results[0]->inputs[0]).dims, (Dims{3, 2}));
  EXPECT_EQ(graph::TypeOf(other.results[0]->inputs[0]).dims, (Dims{1, 2}));
  EXPECT_EQ(ConstantsOf(graph, &bytes), (std::vector<float>{6, 8, 3}));
  EXPECT_EQ(ConstantsOf(other, &other_bytes), (std::vector<float>{6, 8, 1}));
  ASSERT_EQ(bytes.size(), 2U);
  ASSERT_EQ(other_bytes.size(), 2U);
  EXPECT_EQ(bytes[0], other_bytes[0]);  // computed once
  EXPECT_NE(bytes[1], other_bytes[1]);
}

TEST(OtherShapes, HaveTheirOwnFaults) {
  const Inferred one = Infer(1, 1);
  EXPECT_FALSE(one.is_known);
  EXPECT_EQ(one.g.faults.lines().size(), 1U) << one.g.FaultText();
  EXPECT_TRUE(one.other.faults.ok());
  const Inferred three = Infer(1, 3);
  EXPECT_TRUE(three.is_known) << three.g.FaultText();
  EXPECT_EQ(three.other.faults.lines().size(), 1U);
}

}  // namespace
}  // namespace weft
