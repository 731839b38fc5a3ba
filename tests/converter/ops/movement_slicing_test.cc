// SPDX-License-Identifier: Apache-2.0
// Slice and StridedSlice against NumPy's rule for ranges, masks included.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// The positions that a slice visits, by ONNX's definition. For a negative step, begin is clamped to
// [0, dim - 1] and end to [-1, dim - 1]; otherwise both are clamped to [0, dim]. Absent bounds are
// the ends of the axis.
std::vector<int64_t> Positions(std::optional<int64_t> begin, std::optional<int64_t> end,
                               int64_t step, int64_t dim) {
  const bool forward = step > 0;
  const int64_t high = forward ? dim : dim - 1;
  const auto position = [&](int64_t bound, int64_t low) {
    if (bound < 0) bound += dim;
    return std::min(std::max(bound, low), high);
  };
  const int64_t last = end ? position(*end, forward ? 0 : -1) : (forward ? dim : -1);
  const int64_t first = begin ? position(*begin, 0) : (forward ? 0 : dim - 1);
  std::vector<int64_t> positions;
  for (int64_t at = first; forward ? at < last : at > last;) {
    positions.push_back(at);
    if (step >= dim || -step >= dim) break;
    at += step;
  }
  return positions;
}

// The elements of x at the given positions of every axis.
Nd Picked(const Nd& x, const std::vector<std::vector<int64_t>>& positions) {
  Dims dims;
  for (const std::vector<int64_t>& axis : positions)
    dims.push_back(static_cast<int64_t>(axis.size()));
  return Make(dims, [&](Dims index) {
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = positions[i][static_cast<size_t>(index[i])];
    return At(x, index);
  });
}

TEST(Slice, ClampsBoundsAsNumpyDoes) {
  const Nd x = Iota({4, 5});
  const Outcome outcome = Apply("Slice", 8, x, {{-9, 3}, {kMax, kMin}, {3, -2}, {0, 1}});
  EXPECT_EQ(Only(outcome), Picked(x, {Positions(-9, {}, 3, 4), Positions(3, {}, -2, 5)}));
  EXPECT_EQ(outcome.step_count(), 1u);
}

// Slice and StridedSlice with bounds on both sides of every limit, for extents from 0.
TEST(Slice, ClampsEveryBoundByTheRuleOfItsStep) {
  for (const int64_t dim : {0, 1, 2, 5}) {
    const Nd x = Iota({dim});
    const int64_t bounds[] = {kMin, -dim - 3, -dim - 1, -dim,    -1,      0,
                              1,    dim - 1,  dim,      dim + 1, dim + 3, kMax};
    for (const int64_t step : {int64_t{1}, int64_t{2}, int64_t{-1}, int64_t{-2}, dim, -dim, kMax}) {
      if (step == 0) continue;
      for (const int64_t begin : bounds) {
        for (const int64_t end : bounds) {
          const Nd expected = Picked(x, {Positions(begin, end, step, dim)});
          const auto what = testing::Message() << dim << ": " << begin << " " << end << " " << step;
          EXPECT_EQ(Only(Apply("Slice", 8, x, {{begin}, {end}, {step}, {0}})), expected) << what;
          EXPECT_EQ(Only(Apply("StridedSlice", 1, x, {{begin}, {end}, {step}},
                               {{"begin_mask", "0"}, {"end_mask", "0"}})),
                    expected)
              << what;
        }
      }
    }
  }
}

TEST(Slice, TakesAxesInAnyOrderOrTheFirstOnes) {
  const Nd x = Iota({4, 5, 6});
  EXPECT_EQ(Only(Apply("Slice", 8, x, {{1, 0}, {3, 5}, {1, 2}, {-1, 0}})),
            Picked(x, {Positions(0, 5, 2, 4), Positions({}, {}, 1, 5), Positions(1, 3, 1, 6)}));
  EXPECT_EQ(Only(Apply("Slice", 8, x, {{1, 2}, {3, 4}, {1, 1}})),
            Picked(x, {Positions(1, 3, 1, 4), Positions(2, 4, 1, 5), Positions({}, {}, 1, 6)}));
}

TEST(Slice, OfOnePieceIsAView) {
  EXPECT_EQ(Apply("Slice", 8, Iota({4, 5}), {{1}, {3}, {1}, {0}}).step_count(), 0u);
  EXPECT_EQ(Apply("Slice", 8, Iota({1, 4, 5}), {{-2}, {kMax}, {1}, {1}}).step_count(), 0u);
  EXPECT_EQ(Apply("Slice", 8, Iota({4, 5}), {{2, 1}, {3, 4}, {1, 1}}).step_count(), 0u);
  EXPECT_EQ(Apply("Slice", 8, Iota({4, 5}), {{1}, {3}, {1}, {1}}).step_count(), 1u);
}

TEST(Slice, OfNothingHasNoStep) {
  const Outcome outcome = Apply("Slice", 8, Iota({4, 5}), {{3}, {1}, {1}, {1}});
  EXPECT_EQ(Only(outcome), Iota({4, 0}));
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(Only(Apply("Slice", 8, Iota({0, 5}), {{0}, {1}, {-1}, {0}})), Iota({0, 5}));
}

TEST(Slice, SaysWhatIsWrong) {
  const auto faults = [](const std::vector<std::vector<int64_t>>& controls) {
    return Apply("Slice", 8, Iota({4, 5}), controls).faults;
  };
  EXPECT_PRED2(Contains, faults({{0}, {1}, {0}}), "steps [0] hold 0");
  EXPECT_PRED2(Contains, faults({{0, 0}, {1, 1}, {1, 1}, {0, -2}}), "axes name axis 0 twice");
  EXPECT_PRED2(Contains, faults({{0}, {1}, {1}, {2}}), "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, faults({{0}, {1, 2}, {1}}), "input 2 (stop) has 2 elements; must have 1");
}

Text Masks(const Dims& begin, const Dims& end, const Dims& new_axis = {}, const Dims& shrink = {},
           const Dims& ellipsis = {}) {
  return {{"begin_mask", Listed(begin)},
          {"end_mask", Listed(end)},
          {"new_axis_mask", Listed(new_axis)},
          {"shrink_axis_mask", Listed(shrink)},
          {"ellipsis_mask", Listed(ellipsis)}};
}

TEST(StridedSlice, MasksSetBoundsFree) {
  const Nd x = Iota({4, 5});
  EXPECT_EQ(Only(Apply("StridedSlice", 1, x, {{2, 3}, {3, 1}, {1, -1}}, Masks({1, 0}, {0, 1}))),
            Picked(x, {Positions({}, 3, 1, 4), Positions(3, {}, -1, 5)}));
  EXPECT_EQ(Only(Apply("StridedSlice", 1, x, {{1}, {3}}, Masks({}, {}))),
            Picked(x, {Positions(1, 3, 1, 4), Positions({}, {}, 1, 5)}));
}

TEST(StridedSlice, ShrinksAxesToOnePlace) {
  const Nd x = Iota({2, 3, 4});
  const Outcome row =
      Apply("StridedSlice", 1, x, {{-1, 1}, {0, 2}, {1, 1}}, Masks({0, 0}, {0, 0}, {}, {1, 1}));
  EXPECT_EQ(Only(row), Reshaped(Picked(x, {{1}, {1}, {0, 1, 2, 3}}), {4}));
  EXPECT_EQ(row.step_count(), 0u);
  EXPECT_EQ(
      Only(Apply("StridedSlice", 1, x, {{0, 2}, {0, 0}, {1, 1}}, Masks({0, 0}, {0, 0}, {}, {0, 1})))
          .dims,
      (Dims{0, 4}));
  // A masked begin is position 0.
  EXPECT_EQ(Only(Apply("StridedSlice", 1, x, {{1}, {2}, {-1}}, Masks({1}, {0}, {}, {1}))),
            Reshaped(Picked(x, {{0}, {0, 1, 2}, {0, 1, 2, 3}}), {3, 4}));
  EXPECT_PRED2(Contains,
               Apply("StridedSlice", 1, x, {{2}, {3}, {1}}, Masks({0}, {0}, {}, {1})).faults,
               "begin 2 selects one element of axis 0, which has 2; must be from -2 to 1");
}

TEST(StridedSlice, AddsAxesAndSkipsThem) {
  const Nd x = Iota({2, 3, 4});
  const Outcome outcome = Apply("StridedSlice", 1, x, {{0, 0, 1}, {0, 0, 3}, {1, 1, 1}},
                                Masks({0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {}, {1, 0, 0}));
  EXPECT_EQ(Only(outcome), Reshaped(Picked(x, {{0, 1}, {0, 1, 2}, {1, 2}}), {2, 3, 1, 2}));
  EXPECT_EQ(Only(Apply("StridedSlice", 1, x, {{0, 0, 0, 1}, {0, 1, 1, 3}, {1, 1, 1, 1}},
                       Masks({0, 0, 0, 0}, {0, 0, 0, 0}, {}, {}, {1, 0, 0, 0}))),
            Picked(x, {{0}, {0}, {1, 2}}));
}

TEST(StridedSlice, SaysWhatIsWrong) {
  const Nd x = Iota({2, 3});
  EXPECT_PRED2(Contains, Apply("StridedSlice", 1, x, {{0, 0, 0}, {1, 1, 1}}).faults,
               "3 entries of begin exceed rank 2 at entry 2");
  EXPECT_PRED2(Contains,
               Apply("StridedSlice", 1, x, {{0, 0}, {1, 1}}, Masks({}, {}, {}, {}, {1, 1})).faults,
               "ellipsis_mask has 2 ones");
  EXPECT_PRED2(Contains, Apply("StridedSlice", 1, x, {{0}, {1}, {0}}).faults, "steps [0] hold 0");
  EXPECT_PRED2(Contains, Apply("StridedSlice", 1, x, {{0}, {1}}, {{"begin_mask", "2"}}).faults,
               "begin_mask is [2]; must hold 0 and 1");
}

TEST(StridedSlice, AgreesWithNumpyOnRandomRanges) {
  Dice dice(20);
  for (int round = 0; round < 300; ++round) {
    const Dims dims = {dice.Roll(1, 4), dice.Roll(1, 5), dice.Roll(1, 6)};
    Dims begin, end, step, begin_mask, end_mask;
    std::vector<std::vector<int64_t>> positions;
    for (const int64_t dim : dims) {
      begin.push_back(dice.Roll(-8, 8));
      end.push_back(dice.Roll(-8, 8));
      step.push_back(dice.Roll(1, 3) * (dice.Roll(0, 1) == 0 ? 1 : -1));
      begin_mask.push_back(dice.Roll(0, 3) == 0);
      end_mask.push_back(dice.Roll(0, 2) == 0);
      positions.push_back(Positions(
          begin_mask.back() != 0 ? std::nullopt : std::optional(begin.back()),
          end_mask.back() != 0 ? std::nullopt : std::optional(end.back()), step.back(), dim));
    }
    const Nd x = Iota(dims);
    const Outcome outcome =
        Apply("StridedSlice", 1, x, {begin, end, step}, Masks(begin_mask, end_mask));
    ASSERT_EQ(Only(outcome), Picked(x, positions))
        << ToString(dims) << ToString(begin) << ToString(end) << ToString(step);
    EXPECT_LE(outcome.step_count(), 1u);
  }
}

struct ComputedSlices : testing::Test {
  GraphBuilder g;
  const ir::Source x = g.Parameter(F32({2, 7, 3}));
  const ir::Source given = g.Parameter({ElementType::i64, {1}});

  ir::Source Clamped(const char* low, const char* high) {
    return g.Add("Clamp", 1, {given}, {{"min", low}, {"max", high}});
  }
  ir::Source Slice(const ir::Source& start, const ir::Source& stop) {
    return g.Add("Slice", 8, {x, start, stop, g.Ints({1}), g.Ints({1})});
  }
  ir::Source After(const ir::Source& start, int64_t count) {
    return g.Add("Add", 1, {start, g.Ints({count})});
  }
};

TEST_F(ComputedSlices, AreGathersWhereTheyAreInsideForCertain) {
  const ir::Source start = Clamped("0", "4");
  const ir::Source y = Slice(start, After(start, 3));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_EQ(ToString(g.type(y)), "f32[2,3,3]");
  using program::StepKind;
  EXPECT_EQ(Kinds(g.Lower()), (std::vector<StepKind>{StepKind::kUnary, StepKind::kBinary,
                                                     StepKind::kBinary, StepKind::kGather}));
}

TEST_F(ComputedSlices, HaveARunTimeLengthWhereTheyMayEndOutside) {
  const ir::Source start = Clamped("0", "5");
  const ir::Source slices[] = {Slice(start, After(start, 3)), Slice(given, After(given, 1)),
                               Slice(start, given),           Slice(g.Ints({2}), given),
                               Slice(given, g.Ints({-3})),    Slice(given, g.Ints({3}))};
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const int64_t max[] = {3, 1, 7, 5, 4, 3};
  for (size_t i = 0; i < std::size(slices); ++i) {
    EXPECT_EQ(g.type(slices[i]), F32({2, max[i], 3})) << i;
    const auto& extent = ir::ExtentOf(slices[i]);
    ASSERT_TRUE(extent) << i;
    EXPECT_EQ(extent->axis, 1u);
    EXPECT_EQ(extent->maker, slices[i].node);
  }
}

TEST_F(ComputedSlices, AreViewsWhereTheyBeginAtAKnownPlaceOfTheFirstAxis) {
  const ir::Source rows = g.Parameter(F32({7, 3}));
  g.Result(g.Add("Slice", 8, {rows, g.Ints({2}), given, g.Ints({1}), g.Ints({0})}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::vector<program::StepKind> kinds = Kinds(g.Lower());
  EXPECT_EQ(std::ranges::count(kinds, program::StepKind::kGather), 0);
  EXPECT_EQ(std::ranges::count(kinds, program::StepKind::kCopy), 0);
}

TEST_F(ComputedSlices, SayWhatIsWrong) {
  const ir::Source two = g.Parameter({ElementType::i64, {2}});
  g.Add("Slice", 8, {x, two, After(two, 9), g.Ints({1, 1}), g.Ints({0, 1})});
  g.Add("Slice", 8, {x, two, given, g.Ints({1, 1}), g.Ints({0, 1})});
  g.Add("Slice", 8, {x, given, given, given, g.Ints({1})});
  g.Add("Slice", 8, {x, g.Parameter({ElementType::i16, {1}}), given, g.Ints({1}), g.Ints({1})});
  g.Add("StridedSlice", 1, {g.Parameter(F32({0, 2})), given, given},
        {{"begin_mask", "0"}, {"end_mask", "0"}, {"shrink_axis_mask", "1"}});
  g.Add("Slice", 8, {g.Parameter({ElementType::u4, {6}}), given, g.Ints({6}), g.Ints({1})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "axes 0 and 1 of its output would have run-time lengths; at most one may");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (stop) has 1 elements; must have 2");
  EXPECT_PRED2(Contains, g.FaultText(), "input 3 (step) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (start) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "selects one element of axis 0, which has none");
  EXPECT_PRED2(Contains, g.FaultText(), "moves single elements of input 0, which is u4[6]");
}

}  // namespace
}  // namespace weft
