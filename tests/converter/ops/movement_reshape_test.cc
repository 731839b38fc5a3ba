// SPDX-License-Identifier: Apache-2.0
// Reshape, Squeeze, Unsqueeze and Identity: shape rules, and the absence of steps.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

// Dims after one operation, which must not have a step, or the error.
std::string Renamed(const std::string& type, int opset, Dims dims,
                    const std::vector<std::vector<int64_t>>& controls,
                    const Text& attributes = {}) {
  const Nd x = Iota(std::move(dims));
  const Outcome outcome = Apply(type, opset, x, controls, attributes);
  if (!outcome.faults.empty()) return outcome.faults;
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(outcome.outputs[0].elements, x.elements);
  return ToString(outcome.outputs[0].dims);
}

std::string Reshape(Dims dims, const std::vector<int64_t>& pattern, bool special_zero = true) {
  return Renamed("Reshape", 1, std::move(dims), {pattern},
                 {{"special_zero", special_zero ? "true" : "false"}});
}

TEST(Reshape, ComputesTheFreeDimension) {
  EXPECT_EQ(Reshape({2, 3, 4}, {6, -1}), "[6,4]");
  EXPECT_EQ(Reshape({2, 3, 4}, {-1}), "[24]");
  EXPECT_EQ(Reshape({2, 3, 4}, {4, 6}), "[4,6]");
  EXPECT_EQ(Reshape({1, 1}, {}), "[]");
}

TEST(Reshape, CopiesDimensionsWhereThePatternIsZero) {
  EXPECT_EQ(Reshape({2, 3, 4}, {0, -1}), "[2,12]");
  EXPECT_EQ(Reshape({2, 3, 4}, {0, 0, 0, -1}), "[2,3,4,1]");
  EXPECT_EQ(Reshape({0, 3}, {-1, 0}), "[0,3]");
  EXPECT_EQ(Reshape({0, 3}, {0, 5}, false), "[0,5]");
  EXPECT_PRED2(Contains, Reshape({2, 3}, {2, 3, 0}),
               "copies dimension 2 of the input, which has rank 2");
  EXPECT_PRED2(Contains, Reshape({2, 3}, {0, -1}, false),
               "6 elements of i32[2,3] are not divisible");
}

TEST(Reshape, NamesBothCountsWhereTheyDiffer) {
  EXPECT_PRED2(Contains, Reshape({2, 3}, {7}), "i32[2,3] has 6 elements and pattern [7] gives [7]");
  EXPECT_PRED2(Contains, Reshape({2, 3}, {4, -1}),
               "6 elements of i32[2,3] are not divisible by the 4");
  EXPECT_PRED2(Contains, Reshape({2, 3}, {-1, -1}), "holds -1 2 times");
  EXPECT_PRED2(Contains, Reshape({2, 3}, {-2, 3}), "holds -2; must be -1, 0 or a dimension");
}

TEST(Reshape, WantsItsPatternKnownWholeAndOneDimensional) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {2, 3}});
  g.Add("Reshape", 1, {x, g.Parameter({ElementType::i64, {2}})}, {{"special_zero", "false"}});
  g.Add("Reshape", 1, {x, g.Floats({1}, {6})}, {{"special_zero", "false"}});
  g.Add("Reshape", 1, {x, g.Int(6)}, {{"special_zero", "false"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (pattern) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (pattern) is f32; must be of an integer type");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (pattern) has rank 0; must be one-dimensional");
}

TEST(Squeeze, RemovesNamedOnesAndKeepsOtherDimensions) {
  for (const int opset : {1, 15}) {
    EXPECT_EQ(Renamed("Squeeze", opset, {1, 3, 1, 2}, {{0}}), "[3,1,2]");
    EXPECT_EQ(Renamed("Squeeze", opset, {1, 3, 1, 2}, {{0, -2}}), "[3,2]");
    EXPECT_EQ(Renamed("Squeeze", opset, {1, 3, 1, 2}, {{1}}), "[1,3,1,2]");
    EXPECT_EQ(Renamed("Squeeze", opset, {1, 3, 1, 2}, {}), "[3,2]");
    EXPECT_PRED2(Contains, Renamed("Squeeze", opset, {1, 3}, {{2}}), "axis 2 of a rank 2 tensor");
  }
}

TEST(Unsqueeze, CountsAxesInTheOutput) {
  EXPECT_EQ(Renamed("Unsqueeze", 1, {2, 3}, {{0}}), "[1,2,3]");
  EXPECT_EQ(Renamed("Unsqueeze", 1, {2, 3}, {{-1, 0, 3}}), "[1,2,3,1,1]");
  EXPECT_EQ(Renamed("Unsqueeze", 1, {}, {{0}}), "[1]");
  EXPECT_PRED2(Contains, Renamed("Unsqueeze", 1, {2, 3}, {{3}}), "axis 3 of a rank 3 tensor");
  EXPECT_PRED2(Contains, Renamed("Unsqueeze", 1, {2, 3}, {{1, -3}}), "name axis 1 twice");
}

TEST(Unsqueeze, RefusesRanksAboveEight) {
  EXPECT_PRED2(Contains, Renamed("Unsqueeze", 1, {1, 1, 1, 1, 1, 1, 1, 2}, {{0}}), "of rank 9");
}

TEST(Identity, ForwardsItsInput) { EXPECT_EQ(Renamed("Identity", 16, {2, 3}, {}), "[2,3]"); }

TEST(Reshape, MovesTypesBelowAByte) {
  GraphBuilder g;
  const ir::Source y = g.Add("Reshape", 1, {g.Parameter({ElementType::i4, {3, 5}}), g.Ints({5, 3})},
                             {{"special_zero", "false"}});
  g.Result(y);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_TRUE(Steps(g.Lower()).empty());
  EXPECT_TRUE(g.faults.ok()) << g.FaultText();
}

}  // namespace
}  // namespace weft
