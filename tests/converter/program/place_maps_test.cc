// SPDX-License-Identifier: Apache-2.0
// Maps that are written directly to the part of a value where a copy would put them, and those that
// must not be. Every program runs with and without its copies; both results must be bit-identical.
#include <gtest/gtest.h>

#include <algorithm>

#include "converter/program/fuse_tail.h"
#include "converter/program/passes.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using program::StepKind;
using KindList = std::vector<StepKind>;

struct PlacedMaps : testing::Test {
  GraphBuilder g;

  std::vector<float> Ramp(int64_t count) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * 37 % 101) - 50);
    return numbers;
  }
  // A 3 x 3 convolution of channel planes, with padding; the result is [N, H, W, C].
  ir::Source Convolved(ir::Source x, int64_t channels) {
    const ir::Source filters = g.Floats({channels, 3, 3, 3}, Ramp(channels * 27));
    return g.Add("Convolution", 1, {x, filters},
                 {{"strides", "1,1"},
                  {"dilations", "1,1"},
                  {"pads_begin", "1,1"},
                  {"pads_end", "1,1"},
                  {"y_last", "1"}});
  }
  ir::Source Joined(std::vector<ir::Source> parts, const std::string& axis = "3") {
    return g.Add("Concat", 1, std::move(parts), {{"axis", axis}});
  }
  program::Program Placed() {
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    program::Program program = g.Lower();
    program::FuseTails(program);
    program::Program placed = program;
    program::PlaceMaps(placed);
    std::vector<std::vector<float>> inputs;
    for (const program::Port& port : program.inputs) {
      inputs.push_back(Ramp(program.values[port.value].bytes / 4));
    }
    EXPECT_EQ(RunFloats(placed, inputs), RunFloats(program, inputs));
    return placed;
  }
};

TEST_F(PlacedMaps, StandBesideEachOtherInEachPlace) {
  const ir::Source x = g.Parameter(F32({2, 3, 5, 4}));
  const ir::Source first = g.Add("Relu", 1, {Convolved(x, 4)});
  g.Result(Joined({first, Convolved(x, 7), Convolved(x, 1)}));
  const program::Program placed = Placed();
  ASSERT_EQ(Kinds(placed), (KindList{StepKind::kConv, StepKind::kConv, StepKind::kConv}));
  for (size_t i = 0; i < 3; ++i) {
    const auto y = ParamsAt<format::ConvParams>(placed, i).y();
    EXPECT_EQ(y.pixel(), 12u);
    EXPECT_EQ(y.row(), 48u);
    EXPECT_EQ(y.image(), 240u);
  }
}

TEST_F(PlacedMaps, StandBesideWhatIsCopied) {
  const ir::Source x = g.Parameter(F32({1, 3, 5, 4})), other = g.Parameter(F32({1, 5, 4, 2}));
  g.Result(Joined({other, Convolved(x, 4)}));
  EXPECT_EQ(Kinds(Placed()), (KindList{StepKind::kConv, StepKind::kCopy}));
}

TEST_F(PlacedMaps, AreReadFromThereByNoOther) {
  const ir::Source x = g.Parameter(F32({1, 3, 5, 4}));
  const ir::Source map = Convolved(x, 4), twice = Convolved(x, 2);
  g.Result(map);
  g.Result(Joined({map, Convolved(x, 3), twice, twice}));
  const KindList kinds = Kinds(Placed());
  EXPECT_EQ(std::ranges::count(kinds, StepKind::kCopy), 3);
}

TEST_F(PlacedMaps, StayWhereACopyTransposes) {
  const ir::Source map = Convolved(g.Parameter(F32({1, 3, 5, 4})), 4);
  g.Result(g.Add("Transpose", 1, {map, g.Ints({0, 3, 1, 2})}));
  EXPECT_EQ(Kinds(Placed()), (KindList{StepKind::kConv, StepKind::kCopy}));
}

// Concat along a new axis interleaves the rows of the maps, two rows apart.
TEST_F(PlacedMaps, TakeOtherRowsOfALargerMap) {
  const ir::Source x = g.Parameter(F32({1, 3, 5, 4}));
  const ir::Source a = g.Add("Unsqueeze", 1, {Convolved(x, 4), g.Ints({2})});
  const ir::Source b = g.Add("Unsqueeze", 1, {Convolved(x, 4), g.Ints({2})});
  g.Result(Joined({a, b}, "2"));
  const program::Program placed = Placed();
  ASSERT_EQ(Kinds(placed), (KindList{StepKind::kConv, StepKind::kConv}));
  EXPECT_EQ(ParamsAt<format::ConvParams>(placed).y().row(), 32u);
}

}  // namespace
}  // namespace weft
