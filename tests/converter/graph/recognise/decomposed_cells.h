// SPDX-License-Identifier: Apache-2.0
// For tests of recognition: weights, variants of a sum of products, and a run of the graph before
// and after. Both runs use the same inputs and must agree; the test then checks the remaining
// operations.
#ifndef WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_DECOMPOSED_CELLS_H_
#define WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_DECOMPOSED_CELLS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/infer.h"
#include "converter/graph/lower.h"
#include "converter/graph/recognise/cells/cells.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"

namespace weft {

// Returns distinct numbers in [-1, 1), equal in every run.
inline std::vector<float> Numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<float>(static_cast<int32_t>(seed >> 8) - (1 << 23)) / (1 << 23));
  }
  return numbers;
}

inline ir::Source Constant(GraphBuilder& g, Dims dims, uint32_t seed) {
  const int64_t count = *ElementCount(dims);
  return g.Floats(std::move(dims), Numbers(count, seed));
}

// Counts the operations that are still needed, including bodies.
inline std::map<std::string, int> Operations(const ir::Graph& graph) {
  std::map<std::string, int> counts;
  for (const ir::Node* node : ir::Topological(graph)) {
    if (!node->constant) ++counts[node->type];
    for (const ir::Body& body : node->bodies) {
      for (const auto& [type, count] : Operations(*body.graph)) counts[type] += count;
    }
  }
  return counts;
}

inline program::Program LowerGraph(GraphBuilder& g) {
  program::Program program;
  graph::Lower(g.graph, program, g.faults);
  EXPECT_TRUE(g.faults.ok()) << g.FaultText();
  return program;
}

// Infers and recognises, and checks that the results are equal.
inline std::map<std::string, int> Recognised(GraphBuilder& g) {
  EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  if (!g.faults.ok()) return {};
  const program::Program before = LowerGraph(g);
  graph::RecogniseCells(g.graph);
  const program::Program after = LowerGraph(g);
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : before.inputs) {
    inputs.push_back(Numbers(before.values[port.value].bytes / 4, 77));
  }
  const auto expected = RunFloats(before, inputs), actual = RunFloats(after, inputs);
  EXPECT_EQ(expected.size(), actual.size());
  for (size_t port = 0; port < std::min(expected.size(), actual.size()); ++port) {
    EXPECT_EQ(expected[port].size(), actual[port].size());
    for (size_t i = 0; i < expected[port].size(); ++i) {
      EXPECT_NEAR(actual[port][i], expected[port][i], 2e-6) << "output " << port << " at " << i;
    }
  }
  return Operations(g.graph);
}

enum class CutBy { kSplit, kVariadicSplit, kSlice, kStridedSlice };

// Sizes of all cells in these tests.
inline constexpr int64_t kRows = 2, kInputs = 5, kHidden = 3;

// Splits `whole`, of 3 * `count` columns, into `count` parts of 3 columns.
inline std::vector<ir::Source> CutColumns(GraphBuilder& g, ir::Source whole, int64_t count,
                                          CutBy by) {
  std::vector<ir::Source> parts;
  if (by == CutBy::kSplit || by == CutBy::kVariadicSplit) {
    std::vector<ir::Source> inputs = {whole, g.Int(-1)};
    std::map<std::string, std::string> attributes = {{"num_splits", std::to_string(count)}};
    if (by == CutBy::kVariadicSplit) {
      inputs.push_back(g.Ints(std::vector<int64_t>(static_cast<size_t>(count), kHidden)));
      attributes.clear();
    }
    const ir::Source split = g.Add(by == CutBy::kSplit ? "Split" : "VariadicSplit", 1, inputs,
                                   attributes, static_cast<uint32_t>(count));
    for (uint32_t i = 0; i < count; ++i) parts.push_back({split.node, i});
    return parts;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * kHidden, end = begin + kHidden;
    if (by == CutBy::kSlice) {
      parts.push_back(
          g.Add("Slice", 8, {whole, g.Ints({begin}), g.Ints({end}), g.Ints({1}), g.Ints({1})}));
    } else {
      parts.push_back(g.Add("StridedSlice", 1,
                            {whole, g.Ints({0, begin}), g.Ints({0, end}), g.Ints({1, 1})},
                            {{"begin_mask", "1,0"}, {"end_mask", "1,0"}}));
    }
  }
  return parts;
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_DECOMPOSED_CELLS_H_
