// SPDX-License-Identifier: Apache-2.0
// Pad in its four modes, extending and cropping, checked per element.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

using program::StepKind;

constexpr std::array kModes = {"constant", "edge", "reflect", "symmetric"};
constexpr int32_t kValue = -7;

// Output position c - begin of an axis reads input position c, which the mode maps into the axis.
int64_t Mirrored(const std::string& mode, int64_t c, int64_t dim) {
  if (mode == "edge") return std::clamp<int64_t>(c, 0, dim - 1);
  if (mode == "reflect") return c < 0 ? -c : (c >= dim ? 2 * (dim - 1) - c : c);
  return c < 0 ? -c - 1 : (c >= dim ? 2 * dim - 1 - c : c);
}

Nd Padded(const Nd& x, const Dims& begin, const Dims& end, const std::string& mode,
          int32_t value = kValue) {
  Dims dims = x.dims;
  for (size_t i = 0; i < dims.size(); ++i) dims[i] += begin[i] + end[i];
  return Make(dims, [&](Dims index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] -= begin[i];
      const bool outside = index[i] < 0 || index[i] >= x.dims[i];
      if (outside && mode == "constant") return value;
      if (outside) index[i] = Mirrored(mode, index[i], x.dims[i]);
    }
    return At(x, index);
  });
}

enum class Value { kAbsent, kKnown, kComputed };

Outcome Pad(const Nd& x, const Dims& begin, const Dims& end, const std::string& mode,
            Value value = Value::kKnown) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter({ElementType::i32, x.dims}), g.Ints(begin),
                                    g.Ints(end)};
  std::vector<Nd> values = {x};
  if (value == Value::kKnown) inputs.push_back(g.Const<int32_t>({ElementType::i32, {}}, {kValue}));
  if (value == Value::kComputed) {
    inputs.push_back(g.Parameter({ElementType::i32, {}}));
    values.push_back({{}, {kValue}});
  }
  return RunGraph(g, values, g.Add("Pad", 12, inputs, {{"pad_mode", mode}}));
}

TEST(Pad, GrowsAxesInEveryMode) {
  for (const std::string mode : kModes) {
    const Nd x = Iota({3, 4});
    EXPECT_EQ(Only(Pad(x, {1, 2}, {2, 0}, mode)), Padded(x, {1, 2}, {2, 0}, mode)) << mode;
    EXPECT_EQ(Only(Pad(x, {0, 1}, {0, 3}, mode)), Padded(x, {0, 1}, {0, 3}, mode)) << mode;
  }
}

TEST(Pad, FillsTheCornersOfManyAxes) {
  for (const std::string mode : kModes) {
    const Nd x = Iota({2, 3, 2, 2, 3});
    const Dims pads = {1, 1, 1, 1, 1};
    EXPECT_EQ(Only(Pad(x, pads, pads, mode)), Padded(x, pads, pads, mode)) << mode;
  }
}

TEST(Pad, CropsWherePadsAreNegative) {
  for (const std::string mode : kModes) {
    const Nd x = Iota({5, 6});
    for (const auto& [begin, end] : {std::pair<Dims, Dims>{{-1, 2}, {3, -2}},
                                     {{-2, -1}, {-1, 0}},
                                     {{-2, 0}, {-3, 0}},
                                     {{-5, 0}, {0, 1}},
                                     {{0, 3}, {0, -6}}}) {
      EXPECT_EQ(Only(Pad(x, begin, end, mode)), Padded(x, begin, end, mode))
          << mode << ToString(begin) << ToString(end);
    }
  }
}

TEST(Pad, DefaultsToZero) {
  EXPECT_EQ(Only(Pad(Iota({2, 3}), {1, 1}, {0, 2}, "constant", Value::kAbsent)),
            Padded(Iota({2, 3}), {1, 1}, {0, 2}, "constant", 0));
}

TEST(Pad, TakesAComputedValue) {
  const Nd x = Iota({2, 3, 2});
  EXPECT_EQ(Only(Pad(x, {1, 0, 2}, {1, 2, 0}, "constant", Value::kComputed)),
            Padded(x, {1, 0, 2}, {1, 2, 0}, "constant"));
}

// A contiguous centre is a copy between values of equal size, which the planner can remove. Then no
// byte of the output is written twice.
TEST(Pad, OfTheOutermostAxisFillsAroundTheCentre) {
  const Outcome outcome = Pad(Iota({1, 4, 3}), {0, 2, 0}, {0, 1, 0}, "constant");
  EXPECT_EQ(Kinds(outcome.program),
            (std::vector<StepKind>{StepKind::kFill, StepKind::kFill, StepKind::kCopy}));
  EXPECT_EQ(ParamsAt<format::FillParams>(outcome.program, 0).count(), 6u);
  EXPECT_EQ(ParamsAt<format::FillParams>(outcome.program, 1).count(), 3u);
  const program::Step copy = Steps(outcome.program)[2];
  EXPECT_EQ(outcome.program.values[copy.outputs[0]].offset_bytes, 24);
  EXPECT_EQ(outcome.program.values[copy.outputs[0]].bytes, 48);
}

TEST(Pad, OfInnerAxesFillsAllAndCopiesTheCentre) {
  EXPECT_EQ(Kinds(Pad(Iota({2, 3, 3}), {0, 1, 1}, {0, 1, 1}, "constant").program),
            (std::vector<StepKind>{StepKind::kFill, StepKind::kCopy}));
}

TEST(Pad, ByNothingOrCroppedToAPieceHasNoStep) {
  for (const std::string mode : kModes) {
    EXPECT_EQ(Pad(Iota({3, 4}), {0, 0}, {0, 0}, mode).step_count(), 0u);
    EXPECT_EQ(Pad(Iota({3, 4}), {-1, 0}, {-1, 0}, mode).step_count(), 0u);
    EXPECT_EQ(Pad(Iota({3, 4}), {-2, 0}, {-1, 0}, mode).step_count(), 0u);
  }
}

TEST(Pad, ChecksHowFarAModeReaches) {
  const Nd x = Iota({3});
  EXPECT_EQ(Only(Pad(x, {2}, {2}, "reflect")), Padded(x, {2}, {2}, "reflect"));
  EXPECT_EQ(Only(Pad(x, {3}, {3}, "symmetric")), Padded(x, {3}, {3}, "symmetric"));
  EXPECT_PRED2(Contains, Pad(x, {3}, {0}, "reflect").faults,
               "pad 3 of axis 0, which has 3; mode reflect allows at most 2");
  EXPECT_PRED2(Contains, Pad(x, {0}, {4}, "symmetric").faults,
               "pad 4 of axis 0, which has 3; mode symmetric allows at most 3");
  EXPECT_PRED2(Contains, Pad(Iota({0}), {1}, {0}, "edge").faults, "mode edge allows at most 0");
}

TEST(Pad, SaysWhatIsWrong) {
  EXPECT_PRED2(Contains, Pad(Iota({3}), {-2}, {-2}, "constant").faults,
               "axis 0 of 3 with pads -2 and -2 is too short");
  EXPECT_PRED2(Contains, Pad(Iota({3, 1}), {1}, {1, 1}, "constant").faults,
               "input 1 (pads_begin) has 1 elements; must have 2");
  EXPECT_PRED2(Contains, Pad(Iota({3}), {1}, {1}, "wrap").faults, "attribute pad_mode is \"wrap\"");
  GraphBuilder g;
  g.Add("Pad", 1, {g.Parameter({ElementType::i32, {3}}), g.Ints({1}), g.Ints({1}), g.Float(0)},
        {{"pad_mode", "constant"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 3 (pad_value) is f32[]; must be a scalar of type i32");
}

TEST(Pad, AgreesWithItsDefinitionOnRandomShapes) {
  Dice dice(12);
  for (int round = 0; round < 300; ++round) {
    const std::string mode = kModes[static_cast<size_t>(dice.Roll(0, 3))];
    Dims dims, begin, end;
    for (int64_t axis = dice.Roll(1, 4); axis > 0; --axis) {
      const int64_t dim = dice.Roll(1, 4);
      const int64_t max = mode == "reflect" ? dim - 1 : dim;
      dims.push_back(dim);
      begin.push_back(dice.Roll(-1, max));
      end.push_back(dice.Roll(std::max<int64_t>(-1, -dim - begin.back()), max));
    }
    const Value value = static_cast<Value>(dice.Roll(1, 2));
    ASSERT_EQ(Only(Pad(Iota(dims), begin, end, mode, value)), Padded(Iota(dims), begin, end, mode))
        << mode << ToString(dims) << ToString(begin) << ToString(end);
  }
}

}  // namespace
}  // namespace weft
