// SPDX-License-Identifier: Apache-2.0
// LRN: the means around each position, their factor, and errors.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;

std::map<std::string, std::string> LrnAttributes(int size) {
  return {{"alpha", "0.5"}, {"beta", "0.75"}, {"bias", "2"}, {"size", std::to_string(size)}};
}

program::Program LowerLrn(Dims dims, const std::vector<int64_t>& axes, int size) {
  GraphBuilder g;
  g.Add("LRN", 1, {g.Parameter(F32(std::move(dims))), g.Ints(axes)}, LrnAttributes(size));
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

// The constant that step `at` reads as its second operand.
float LrnNumberAt(const program::Program& program, size_t at) {
  const program::Value& value = program.values[Steps(program).at(at).inputs.at(1)];
  float number = 0;
  if (value.data == nullptr) {
    ADD_FAILURE() << "step " << at << " reads no constant";
  } else {
    std::memcpy(&number, value.data->data(), sizeof(number));
  }
  return number;
}

TEST(Lrn, TakesTheMeanAroundEachPlace) {
  const program::Program program = LowerLrn({2, 17, 3, 4}, {1}, 5);
  const std::vector<StepKind> kinds = {StepKind::kBinary, StepKind::kPool,   StepKind::kBinary,
                                       StepKind::kBinary, StepKind::kBinary, StepKind::kBinary};
  ASSERT_EQ(Kinds(program), kinds);
  const auto pool = ParamsAt<format::PoolParams>(program, 1);
  EXPECT_EQ(pool.op(), format::PoolOp::mean_include_pad);
  EXPECT_EQ(pool.batch(), 2u);
  EXPECT_EQ(pool.in_height(), 17u);
  EXPECT_EQ(pool.out_height(), 17u);
  EXPECT_EQ(pool.in_width(), 12u);
  EXPECT_EQ(pool.kernel_height(), 5u);
  EXPECT_EQ(pool.pad_top(), 2u);
  EXPECT_EQ(pool.pad_bottom(), 2u);
  EXPECT_EQ(LrnNumberAt(program, 2), 0.5f);
  EXPECT_EQ(LrnNumberAt(program, 3), 2.0f);
  EXPECT_EQ(LrnNumberAt(program, 4), 0.75f);
  EXPECT_EQ(ParamsAt<format::BinaryParams>(program, 4).op(), format::BinaryOp::power);
  EXPECT_EQ(ParamsAt<format::BinaryParams>(program, 5).op(), format::BinaryOp::divide);
}

TEST(Lrn, DividesByTheSizeThatIsSaid) {
  // The window covers 3 positions; the mean divides by 4.
  const program::Program even = LowerLrn({2, 17}, {1}, 4);
  EXPECT_EQ(ParamsAt<format::PoolParams>(even, 1).kernel_height(), 3u);
  EXPECT_EQ(LrnNumberAt(even, 2), 0.375f);
  // The window covers 33 positions; the mean divides by the given size.
  const program::Program wide = LowerLrn({2, 17}, {-1}, 1 << 30);
  EXPECT_EQ(ParamsAt<format::PoolParams>(wide, 1).kernel_height(), 33u);
  EXPECT_EQ(LrnNumberAt(wide, 2), 0.5f * 33 / (1 << 30));
}

TEST(Lrn, TakesTheMeansOfSeveralAxesOneAfterAnother) {
  const program::Program program = LowerLrn({2, 3, 7, 5}, {2, 3}, 3);
  EXPECT_EQ(ParamsAt<format::PoolParams>(program, 1).in_height(), 7u);
  EXPECT_EQ(ParamsAt<format::PoolParams>(program, 2).in_height(), 5u);
  EXPECT_EQ(ParamsAt<format::PoolParams>(program, 2).batch(), 42u);
}

TEST(Lrn, NeedsNoMeanOfOnePlace) {
  for (const program::Program& program :
       {LowerLrn({2, 17}, {1}, 1), LowerLrn({2, 1}, {1}, 5), LowerLrn({2, 17}, {}, 5)}) {
    EXPECT_EQ(Kinds(program), std::vector<StepKind>(5, StepKind::kBinary));
  }
  EXPECT_EQ(LrnNumberAt(LowerLrn({2, 1}, {1}, 5), 1), 0.1f);
  EXPECT_EQ(LrnNumberAt(LowerLrn({2, 17}, {}, 5), 1), 0.5f);
  EXPECT_TRUE(Kinds(LowerLrn({2, 0, 3}, {1}, 5)).empty());
}

TEST(Lrn, RefusesWhatItCannotMean) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 3}));
  g.Add("LRN", 1, {x, g.Ints({2})}, LrnAttributes(3));
  g.Add("LRN", 1, {x, g.Parameter({ElementType::i64, {1}})}, LrnAttributes(3));
  g.Add("LRN", 1, {x, g.Ints({1})}, LrnAttributes(0));
  g.Add("LRN", 1, {x, g.Ints({1})}, {{"alpha", "1"}, {"bias", "1"}, {"size", "3"}});
  g.Add("LRN", 1, {g.Parameter({ElementType::i32, {2}}), g.Ints({0})}, LrnAttributes(3));
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (axes) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute size is 0; must be at least 1");
  EXPECT_PRED2(Contains, g.FaultText(), "attribute beta is missing; must be given");
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

}  // namespace
}  // namespace weft
