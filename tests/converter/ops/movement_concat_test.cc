// SPDX-License-Identifier: Apache-2.0
// Concat, Split and VariadicSplit: parts that are contiguous in the complete tensor are views.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

Nd Concatenated(const Nd& a, const Nd& b, size_t axis) {
  Dims dims = a.dims;
  dims[axis] += b.dims[axis];
  return Make(dims, [&](Dims index) {
    if (index[axis] < a.dims[axis]) return At(a, index);
    index[axis] -= a.dims[axis];
    return At(b, index);
  });
}

// Numbers that differ from those of Iota.
Nd Other(Dims dims) {
  Nd nd = Iota(std::move(dims));
  for (int32_t& element : nd.elements) element += 1000;
  return nd;
}

Outcome Concat(const Nd& a, const Nd& b, int64_t axis) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::i32, a.dims});
  const ir::Source y = g.Parameter({ElementType::i32, b.dims});
  return RunGraph(g, {a, b}, g.Add("Concat", 1, {x, y}, {{"axis", std::to_string(axis)}}));
}

TEST(Concat, JoinsAlongEveryAxis) {
  for (size_t axis = 0; axis < 3; ++axis) {
    Dims dims = {2, 3, 4};
    const Nd a = Iota(dims);
    dims[axis] = 5;
    const Nd b = Other(dims);
    EXPECT_EQ(Only(Concat(a, b, static_cast<int64_t>(axis))), Concatenated(a, b, axis));
    EXPECT_EQ(Only(Concat(a, b, static_cast<int64_t>(axis) - 3)), Concatenated(a, b, axis));
  }
}

// The planner can remove a bytewise copy between values; a strided copy remains.
TEST(Concat, CopiesBytesIntoViewsWherePartsAreWhole) {
  const Outcome outcome = Concat(Iota({1, 2, 3}), Other({1, 4, 3}), 1);
  ASSERT_EQ(outcome.step_count(), 2u);
  for (const program::Step& step : Steps(outcome.program)) {
    const program::Value& part = outcome.program.values[step.outputs[0]];
    EXPECT_NE(part.parent, program::kNone);
    EXPECT_EQ(part.bytes, outcome.program.values[step.inputs[0]].bytes);
    EXPECT_EQ(std::get<format::CopyParams>(step.params).rank(), 1u);
  }
}

TEST(Concat, SkipsEmptyParts) {
  const Outcome outcome = Concat(Iota({2, 0}), Other({2, 3}), 1);
  EXPECT_EQ(outcome.step_count(), 1u);
  EXPECT_EQ(Only(outcome), Other({2, 3}));
  EXPECT_EQ(Concat(Iota({0, 2}), Iota({0, 3}), 1).step_count(), 0u);
}

TEST(Concat, OfOneInputForwardsIt) {
  const Outcome outcome = Apply("Concat", 1, Iota({2, 3}), {}, {{"axis", "0"}});
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(Only(outcome), Iota({2, 3}));
}

TEST(Concat, NamesBothTypesThatDoNotAgree) {
  EXPECT_PRED2(Contains, Concat(Iota({2, 3}), Iota({2, 4}), 0).faults,
               "input 1 is i32[2,4] and input 0 is i32[2,3]; must agree in all but axis 0");
  EXPECT_PRED2(Contains, Concat(Iota({2, 3}), Iota({2, 3, 1}), 0).faults, "input 1 is i32[2,3,1]");
  EXPECT_PRED2(Contains, Concat(Iota({2, 3}), Iota({2, 3}), 2).faults, "axis 2 of a rank 2 tensor");
  GraphBuilder g;
  g.Add("Concat", 1, {g.Parameter({ElementType::f32, {2}}), g.Parameter({ElementType::i32, {2}})},
        {{"axis", "0"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 is i32[2] and input 0 is f32[2]");
}

TEST(Concat, MovesTypesBelowAByteByWholeBytesOnly) {
  for (const int64_t first : {4, 3}) {
    GraphBuilder g;
    g.Add("Concat", 1,
          {g.Parameter({ElementType::i4, {first}}), g.Parameter({ElementType::i4, {5}})},
          {{"axis", "0"}});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    g.Lower();
    EXPECT_EQ(g.faults.ok(), first == 4) << g.FaultText();
  }
}

Nd Part(const Nd& x, size_t axis, int64_t begin, int64_t length) {
  Dims dims = x.dims;
  dims[axis] = length;
  return Make(dims, [&](Dims index) {
    index[axis] += begin;
    return At(x, index);
  });
}

TEST(Split, CutsEqualParts) {
  const Nd x = Iota({2, 6, 3});
  const Outcome outcome = Apply("Split", 1, x, {{1}}, {{"num_splits", "3"}}, 3);
  ASSERT_EQ(outcome.faults, "");
  EXPECT_EQ(outcome.step_count(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outcome.outputs[i], Part(x, 1, 2 * static_cast<int64_t>(i), 2));
  }
}

TEST(Split, PartsOfTheOutermostAxisAreViews) {
  const Nd x = Iota({1, 6, 3});
  const Outcome outcome = Apply("Split", 1, x, {{-2}}, {{"num_splits", "2"}}, 2);
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(outcome.outputs, (std::vector<Nd>{Part(x, 1, 0, 3), Part(x, 1, 3, 3)}));
}

TEST(Split, NamesBothNumbersThatDoNotDivide) {
  EXPECT_PRED2(Contains, Apply("Split", 1, Iota({2, 5}), {{1}}, {{"num_splits", "2"}}, 2).faults,
               "axis 1 has extent 5; must be divisible by num_splits 2");
  EXPECT_PRED2(Contains, Apply("Split", 1, Iota({2, 6}), {{1}}, {{"num_splits", "3"}}, 2).faults,
               "num_splits is 3 and the layer has 2 outputs");
  EXPECT_PRED2(Contains, Apply("Split", 1, Iota({2, 6}), {{1}}, {}, 1).faults, "num_splits is 0");
  EXPECT_PRED2(Contains, Apply("Split", 1, Iota({6}), {{1}}, {{"num_splits", "2"}}, 2).faults,
               "axis 1 of a rank 1 tensor");
}

TEST(VariadicSplit, CutsByLengthsWithOneFree) {
  const Nd x = Iota({3, 7});
  const Outcome outcome = Apply("VariadicSplit", 1, x, {{1}, {2, -1, 1}}, {}, 3);
  EXPECT_EQ(outcome.outputs,
            (std::vector<Nd>{Part(x, 1, 0, 2), Part(x, 1, 2, 4), Part(x, 1, 6, 1)}))
      << outcome.faults;
  const Outcome empty = Apply("VariadicSplit", 1, x, {{0}, {0, 3, -1}}, {}, 3);
  EXPECT_EQ(empty.step_count(), 0u);
  EXPECT_EQ(empty.outputs, (std::vector<Nd>{Iota({0, 7}), x, Iota({0, 7})})) << empty.faults;
}

TEST(VariadicSplit, WantsLengthsThatAddUp) {
  const auto faults = [](const std::vector<int64_t>& lengths) {
    return Apply("VariadicSplit", 1, Iota({7}), {{0}, lengths}, {},
                 static_cast<uint32_t>(lengths.size()))
        .faults;
  };
  EXPECT_PRED2(Contains, faults({3, 3}), "split_lengths [3,3] sum to 6");
  EXPECT_PRED2(Contains, faults({8, -1}),
               "sum to 8 with 1 entries of -1; must fit axis 0, which has extent 7");
  EXPECT_PRED2(Contains, faults({-1, -1}), "with 2 entries of -1");
  EXPECT_PRED2(Contains, faults({-2, 9}), "hold -2; must be lengths or one -1");
}

}  // namespace
}  // namespace weft
