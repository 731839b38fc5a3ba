// SPDX-License-Identifier: Apache-2.0
// Bags and segments of rows: steps and errors.
#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using Kind = std::vector<StepKind>;
using Texts = std::map<std::string, std::string>;

TensorType Indices(Dims dims) { return {ElementType::i32, std::move(dims)}; }

struct Bags : testing::Test {
  GraphBuilder g;
  const ir::Source table = g.Parameter(F32({5, 3}));

  Kind KindsOf(const ir::Source& y, const char* type) {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    EXPECT_EQ(ToString(g.type(y)), type);
    return Kinds(g.Lower());
  }
};

TEST_F(Bags, GatherAndReduceWhatIsPacked) {
  const ir::Source y = g.Add("EmbeddingBagPackedSum", 3, {table, g.Parameter(Indices({2, 4}))});
  EXPECT_EQ(KindsOf(y, "f32[2,3]"), (Kind{StepKind::kGather, StepKind::kReduce}));
}

TEST_F(Bags, MultiplyWhatIsWeighted) {
  const ir::Source indices = g.Parameter(Indices({2, 4}));
  const ir::Source y = g.Add("EmbeddingBagPacked", 15, {table, indices, g.Parameter(F32({2, 4}))});
  EXPECT_EQ(KindsOf(y, "f32[2,3]"), (Kind{StepKind::kGather, StepKind::kMatmul}));
}

TEST_F(Bags, TakeAStepForEachRunOfOneSize) {
  const ir::Source offsets = g.Ints({0, 2, 4, 4, 5});
  const ir::Source y =
      g.Add("EmbeddingBagOffsetsSum", 3, {table, g.Parameter(Indices({6})), offsets});
  // Two bags of 2 rows, an empty bag, two bags of 1 row.
  EXPECT_EQ(KindsOf(y, "f32[5,3]"),
            (Kind{StepKind::kGather, StepKind::kReduce, StepKind::kFill, StepKind::kCopy}));
}

TEST_F(Bags, LoopOverRowsWhoseBagsTheRunComputes) {
  g.Add("EmbeddingSegmentsSum", 3,
        {table, g.Ints({0, 4, 2}), g.Parameter({ElementType::i64, {3}}), g.Int(4)});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ASSERT_EQ(program.sections.size(), 1u);
  EXPECT_EQ(program.sections[0].max_trips, 3);
}

TEST_F(Bags, RefuseWhatIsOutOfRange) {
  const ir::Source two = g.Ints({0, 1});
  g.Add("EmbeddingBagPackedSum", 3, {table, g.Const<int64_t>({ElementType::i64, {1, 2}}, {0, 5})});
  g.Add("EmbeddingBagPackedSum", 3, {table, two});
  g.Add("EmbeddingBagOffsetsSum", 3, {table, two, g.Ints({1, 0})});
  g.Add("EmbeddingBagOffsetsSum", 3, {table, two, g.Ints({0, 3})});
  g.Add("EmbeddingBagOffsetsSum", 3, {table, two, g.Ints({0}), g.Int(-2)});
  g.Add("EmbeddingBagOffsetsSum", 3,
        {table, two, g.Ints({0}), g.Parameter({ElementType::i64, {}})});
  g.Add("EmbeddingSegmentsSum", 3, {table, two, g.Ints({0, 2}), g.Int(2)});
  g.Add("EmbeddingSegmentsSum", 3, {table, two, g.Ints({0}), g.Int(2)});
  EXPECT_FALSE(g.Infer());
  for (const char* text :
       {"index 5 of a table of 5 rows; must be from 0 to 4", "indices are i64[2]; must have rank 2",
        "offset 0 follows 1 for 2 indices; must ascend from 0 to 2",
        "offset 3 follows 0 for 2 indices; must ascend from 0 to 2",
        "default_index is -2 and the table has 5 rows; must be from -1 to 4",
        "(default_index) is computed at run time; must be a constant",
        "segment id 2 of 2 segments; must be from 0 to 1",
        "input 2 (segment_ids) is i64[1]; must be [2]"}) {
    EXPECT_PRED2(Contains, g.FaultText(), text);
  }
}

TEST_F(Bags, RefuseMeansThatAreNone) {
  const ir::Source indices = g.Parameter(Indices({2, 4}));
  const Texts mean = {{"reduction", "mean"}};
  g.Add("EmbeddingBagPacked", 15, {table, indices, g.Parameter(F32({2, 4}))}, mean);
  g.Add("EmbeddingBagPacked", 15, {g.Parameter(Indices({5, 3})), indices}, mean);
  g.Add("EmbeddingBagPacked", 15, {table, indices}, {{"reduction", "max"}});
  g.Add("EmbeddingBagPacked", 15, {table, g.Parameter(Indices({2, 0}))});
  g.Add("EmbeddingBagPacked", 15, {g.Parameter(F32({5})), indices, g.Parameter(F32({4}))});
  EXPECT_FALSE(g.Infer());
  for (const char* text :
       {"reduction is mean and input 2 (per_sample_weights) is given; must be a sum",
        "must be one of sum mean", "indices are i32[2,0]; must have elements in every bag",
        "table is f32[5]; must have rank 2 or more",
        "input 2 (per_sample_weights) is f32[4] and indices are i32[2,4]; must have equal "
        "shapes"}) {
    EXPECT_PRED2(Contains, g.FaultText(), text);
  }
}

TEST(SegmentMax, TakesAStepForEachRunOfOneSize) {
  GraphBuilder g;
  const ir::Source y =
      g.Add("SegmentMax", 16, {g.Parameter(F32({6, 3})), g.Ints({0, 0, 1, 1, 3, 9}), g.Int(5)},
            {{"fill_mode", "lowest"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[5,3]");
  EXPECT_EQ(Kinds(g.Lower()),
            (Kind{StepKind::kReduce, StepKind::kFill, StepKind::kCopy, StepKind::kFill}));
}

TEST(SegmentMax, RefusesIdsThatDoNotAscend) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({3, 2})), ids = g.Parameter({ElementType::i64, {3}});
  const Texts zero = {{"fill_mode", "ZERO"}};
  g.Add("SegmentMax", 16, {x, g.Ints({0, 2, 1})}, zero);
  g.Add("SegmentMax", 16, {x, ids}, zero);
  g.Add("SegmentMax", 16, {x, g.Ints({0, 1})}, zero);
  g.Add("SegmentMax", 16, {x, g.Ints({0, 1, 1})});
  g.Add("SegmentMax", 16, {x, ids, g.Int(-1)}, zero);
  EXPECT_FALSE(g.Infer());
  for (const char* text :
       {"segment id 1 after 2; must ascend from 0",
        "input 1 (segment_ids) is computed at run time; must be a constant where input 2",
        "input 1 (segment_ids) is i64[2]; must be [3], one for each row of data",
        "attribute fill_mode is missing; must be given",
        "num_segments is -1; must not be negative"}) {
    EXPECT_PRED2(Contains, g.FaultText(), text);
  }
}

}  // namespace
}  // namespace weft
