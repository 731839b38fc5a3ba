// SPDX-License-Identifier: Apache-2.0
// Bucketize, SearchSorted and the adaptive pools: shapes, steps and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;

TEST(Bucketize, CountsWhatHolds) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  const ir::Source y =
      g.Add("Bucketize", 3, {x, g.Floats({4}, {1, 2, 3, 4})}, {{"output_type", "i32"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "i32[2,3]");
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program).at(0), StepKind::kCompare);
  EXPECT_EQ(Kinds(program).at(2), StepKind::kReduce);
}

TEST(Bucketize, RefusesWhatIsNoLine) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  g.Add("Bucketize", 3, {x, g.Floats({2, 1}, {1, 2})});
  g.Add("Bucketize", 3, {x, g.Int(1)});
  g.Add("Bucketize", 3, {x, g.Floats({1}, {1})}, {{"output_type", "u8"}});
  g.Add("Bucketize", 3, {x, g.Parameter({ElementType::boolean, {3}})});
  g.Add("SearchSorted", 15, {g.Parameter(F32({3, 4})), x});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "buckets are f32[2,1]; must have one axis");
  EXPECT_PRED2(Contains, g.FaultText(), "must be one of i64 i32");
  EXPECT_PRED2(
      Contains, g.FaultText(),
      "input 1 has element type boolean; this operation supports f32, i8, u8, i16, i32, i64");
  EXPECT_PRED2(
      Contains, g.FaultText(),
      "f32[3,4] is searched for f32[2,3]; must have one axis, or equal axes except the last");
}

Kind KindsOf(const char* pool, Dims x, const std::vector<int64_t>& out) {
  GraphBuilder g;
  g.Add(pool, 8, {g.Parameter(F32(std::move(x))), g.Ints(out)});
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return Kinds(g.Lower());
}

TEST(AdaptivePool, ReducesEvenWindowsInOneStep) {
  EXPECT_EQ(KindsOf("AdaptiveAvgPool", {2, 3, 6, 9}, {3, 1}), (Kind{StepKind::kReduce}));
  EXPECT_EQ(KindsOf("AdaptiveMaxPool", {2, 3, 6, 4, 8}, {3, 4, 2}), (Kind{StepKind::kReduce}));
  EXPECT_EQ(KindsOf("AdaptiveAvgPool", {2, 3, 6}, {6}), (Kind{}));
}

TEST(AdaptivePool, MapsUnevenMeansByAMatrix) {
  EXPECT_EQ(KindsOf("AdaptiveAvgPool", {2, 3, 7}, {3}), (Kind{StepKind::kDense}));
  EXPECT_EQ(KindsOf("AdaptiveAvgPool", {2, 3, 6, 7}, {2, 3}),
            (Kind{StepKind::kReduce, StepKind::kDense}));
}

TEST(AdaptivePool, RefusesWhatItCannotPool) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3, 6, 9}));
  g.Add("AdaptiveAvgPool", 8, {x, g.Ints({3})});
  g.Add("AdaptiveAvgPool", 8, {x, g.Ints({0, 1})});
  g.Add("AdaptiveAvgPool", 8, {g.Parameter(F32({2, 3})), g.Ints({})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (output shape)");
  EXPECT_PRED2(Contains, g.FaultText(),
               "spatial axis 0 is pooled from 6 to 0; must be at least 1 each");
  EXPECT_PRED2(Contains, g.FaultText(), "data is f32[2,3]; must have rank 3, 4 or 5");
}

}  // namespace
}  // namespace weft
