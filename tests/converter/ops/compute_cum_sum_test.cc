// SPDX-License-Identifier: Apache-2.0
// CumSum: the section that adds one position per iteration, and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;

program::Program LowerCumSum(Dims dims, int64_t axis,
                             const std::map<std::string, std::string>& attributes = {}) {
  GraphBuilder g;
  g.Add("CumSum", 3, {g.Parameter(F32(std::move(dims))), g.Int(axis)}, attributes);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

TEST(CumSum, AddsOnePlaceInEachIteration) {
  const program::Program program = LowerCumSum({2, 5, 3}, -2);
  ASSERT_EQ(program.sections.size(), 1u);
  const program::Section& section = program.sections[0];
  EXPECT_EQ(section.trip_count, 5);
  const program::Block& body = program.blocks[section.loop->body];
  ASSERT_EQ(body.items.size(), 1u);
  const auto& step = std::get<program::Step>(body.items[0]);
  ASSERT_EQ(step.kind(), StepKind::kBinary);
  const auto& sum = std::get<format::BinaryParams>(step.params);
  EXPECT_EQ(sum.op(), format::BinaryOp::add);
  EXPECT_EQ(First(sum.dims(), sum.rank()), Dims{6});
  // The accumulated sum is the first operand: this fixes the accumulation order.
  EXPECT_EQ(step.inputs[0], section.loop->carried.at(0).state);
}

// The result that is collected, and whether it is collected backwards.
std::pair<size_t, bool> ScanOf(const std::map<std::string, std::string>& attributes) {
  const program::Program program = LowerCumSum({4}, 0, attributes);
  const program::Loop& loop = program.sections.at(0).loop.value();
  EXPECT_EQ(loop.scans.at(0).backward, loop.sliced.at(0).backward);
  return {loop.scans[0].result, loop.scans[0].backward};
}

TEST(CumSum, KnowsWhatItKeepsAndFromWhichEnd) {
  using Scan = std::pair<size_t, bool>;
  EXPECT_EQ(ScanOf({}), Scan(0, false));
  EXPECT_EQ(ScanOf({{"exclusive", "true"}}), Scan(1, false));
  EXPECT_EQ(ScanOf({{"reverse", "1"}}), Scan(0, true));
  EXPECT_EQ(ScanOf({{"exclusive", "true"}, {"reverse", "true"}}), Scan(1, true));
}

TEST(CumSum, GoesAlongTheFirstAxisWhereNoneIsGiven) {
  GraphBuilder g;
  g.Add("CumSum", 3, {g.Parameter(F32({7, 3}))});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(g.Lower().sections.at(0).trip_count, 7);
}

TEST(CumSum, TakesThoseAlongTheAxisThatTheRunComputes) {
  GraphBuilder g;
  g.Add("CumSum", 3, {g.Parameter(F32({7, 3, 2})), g.Parameter({ElementType::i32, {}})});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(program.sections.size(), 3u);
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(program.sections[axis].trip_count, Dims({7, 3, 2})[axis]);
  }
}

TEST(CumSum, HasNoSectionWithoutElements) {
  EXPECT_TRUE(LowerCumSum({0, 3}, 0).sections.empty());
  EXPECT_TRUE(LowerCumSum({2, 0}, 0).sections.empty());
}

TEST(CumSum, RefusesWhatItCannotMean) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  g.Add("CumSum", 3, {x, g.Int(2)});
  g.Add("CumSum", 3, {x, g.Parameter({ElementType::i64, {2}})});
  g.Add("CumSum", 3, {g.Parameter(F32({})), g.Parameter({ElementType::i64, {}})});
  g.Add("CumSum", 3, {g.Parameter({ElementType::boolean, {3}}), g.Int(0)});
  g.Add("CumSum", 3, {x, g.Int(0)}, {{"exclusive", "maybe"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor; must be from -2 to 1");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (axis) is i64[2]; must be one i32 or i64");
  EXPECT_PRED2(Contains, g.FaultText(), "input 0 is f32[]; must have an axis");
  EXPECT_PRED2(Contains, g.FaultText(),
               "element type boolean; this operation supports f32, i8, u8, i16, i32, i64");
  EXPECT_PRED2(Contains, g.FaultText(), "exclusive");
}

}  // namespace
}  // namespace weft
