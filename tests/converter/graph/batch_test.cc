// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

struct Assumed {
  std::vector<Dims> dims;
  std::vector<std::string> lines;
  bool all = false;
};

Assumed AssumedOf(const std::vector<Dims>& inputs, const graph::BatchOptions& options) {
  GraphBuilder g;
  for (const Dims& dims : inputs) g.Parameter({ElementType::f32, dims});
  Assumed assumed;
  assumed.all = graph::AssumeBatches(g.graph, options, g.faults);
  for (const ir::Node* node : g.graph.parameters)
    assumed.dims.push_back(node->outputs[0].type.dims);
  assumed.lines = g.faults.warnings();
  EXPECT_TRUE(g.faults.ok());
  return assumed;
}

TEST(Batch, IsOneWhereNothingElseIsDynamic) {
  const Assumed assumed = AssumedOf({{-1, 3, 8}, {4, 5}}, {});
  EXPECT_EQ(assumed.dims, (std::vector<Dims>{{1, 3, 8}, {4, 5}}));
  ASSERT_EQ(assumed.lines.size(), 1U);
  EXPECT_EQ(assumed.lines[0],
            "test.xml: input \"Parameter0\" f32[?,3,8]: its batch is dynamic; assumed to be 1 "
            "(--shape Parameter0=N,3,8 sets it)");
}

TEST(Batch, StaysDynamicBesideOtherDynamicAxes) {
  const Assumed assumed = AssumedOf({{-1, -1, 8}, {3, -1}}, {});
  EXPECT_EQ(assumed.dims, (std::vector<Dims>{{-1, -1, 8}, {3, -1}}));
  EXPECT_TRUE(assumed.lines.empty());
}

TEST(Batch, IsOneBesideTime) {
  const Assumed assumed = AssumedOf({{-1, -1, 8}, {-1, -1, -1}}, {.streams = true});
  EXPECT_EQ(assumed.dims, (std::vector<Dims>{{1, -1, 8}, {-1, -1, -1}}));
  ASSERT_EQ(assumed.lines.size(), 1U);
  EXPECT_NE(assumed.lines[0].find("--shape Parameter0=N,?,8 sets it"), std::string::npos);
}

// The axis may be time.
TEST(Batch, StaysDynamicAsTheOnlyAxisThatMayBeTime) {
  const graph::BatchOptions options = {.streams = true, .assumes_only_axis = false};
  const Assumed assumed = AssumedOf({{-1, 3, 8}}, options);
  EXPECT_EQ(assumed.dims, (std::vector<Dims>{{-1, 3, 8}}));
  EXPECT_FALSE(assumed.all);
}

TEST(Batch, IsNoAxisThatIsNamedTime) {
  const graph::BatchOptions options = {.streams = true, .time_axes = {{"Parameter0", 0}}};
  EXPECT_EQ(AssumedOf({{-1, 3, 8}}, options).dims, (std::vector<Dims>{{-1, 3, 8}}));
}

TEST(Batch, OfRankOneFollowsOthers) {
  EXPECT_EQ(AssumedOf({{-1}}, {}).dims, (std::vector<Dims>{{-1}}));
  EXPECT_EQ(AssumedOf({{-1}, {-1, 8}}, {}).dims, (std::vector<Dims>{{1}, {1, 8}}));
}

}  // namespace
}  // namespace weft
