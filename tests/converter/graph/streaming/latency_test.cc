// SPDX-License-Identifier: Apache-2.0
// Delays of small graphs with look-ahead, in positions of each tensor.
#include "converter/graph/streaming/latency.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/ir/listing.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft::graph {
namespace {

constexpr int64_t kFrames = 12;

struct Delays : testing::Test {
  GraphBuilder g;
  std::optional<TimeMap> map;
  std::optional<Latency> latency;
  Faults faults;

  ir::Source X(int64_t channels, int64_t positions) {
    return g.Parameter({ElementType::f32, {1, channels, positions}});
  }
  ir::Source Conv(ir::Source x, int64_t taps, int64_t begin, int64_t end, int64_t stride = 1) {
    return g.Add("Convolution", 1, {x, Filters(taps)},
                 {{"strides", std::to_string(stride)},
                  {"dilations", "1"},
                  {"pads_begin", std::to_string(begin)},
                  {"pads_end", std::to_string(end)},
                  {"auto_pad", "explicit"}});
  }
  ir::Source Spread(ir::Source x, int64_t taps, int64_t stride, int64_t begin) {
    return g.Add("ConvolutionBackpropData", 1, {x, Filters(taps)},
                 {{"strides", std::to_string(stride)},
                  {"dilations", "1"},
                  {"pads_begin", std::to_string(begin)},
                  {"pads_end", "0"},
                  {"output_padding", "0"},
                  {"auto_pad", "explicit"}});
  }
  ir::Source Filters(int64_t taps) {
    return g.Floats({2, 2, taps}, std::vector<float>(static_cast<size_t>(4 * taps), 0.5f));
  }
  ir::Source From(ir::Source x, int64_t begin) {
    return g.Add("Slice", 8, {x, g.Ints({begin}), g.Ints({1000}), g.Ints({1}), g.Ints({2})});
  }
  // Time runs along the last axis of input 0.
  void Map() {
    std::optional<TimeMap> found = MapAhead({g.graph}, {{false, 0, 2}});
    ASSERT_TRUE(found);
    map.emplace(*std::move(found));
  }
  void Measure(const std::vector<ir::Source>& results) {
    for (const ir::Source& result : results) g.Result(result);
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    Map();
    latency = MeasureLatency({g.graph}, *map, faults);
  }
  const DelayedNode& At(const ir::Node* node) const {
    for (const DelayedNode& at : latency->nodes) {
      if (at.node == node) return at;
    }
    ADD_FAILURE() << "the node is not delayed";
    return latency->nodes.front();
  }
  int64_t OfResult(size_t i) const { return At(g.graph.results[i]).steps; }
};

TEST_F(Delays, AreZeroWhereNothingLooksAhead) {
  const ir::Source x = X(2, kFrames), y = Conv(x, 3, 2, 0);
  const ir::Source sum = g.Add("Add", 1, {y, x});
  Measure({sum, Conv(sum, 4, 3, 0)});
  ASSERT_TRUE(latency);
  EXPECT_FALSE(latency->is_needed);
  for (const auto& [tensor, late] : latency->tensors) EXPECT_EQ(late, 0);
  EXPECT_EQ(OfResult(0), 0);
  EXPECT_EQ(OfResult(1), 0);
}

TEST_F(Delays, AddUpAlongThePathWithTheMostLookAhead) {
  const ir::Source x = X(2, kFrames);
  const ir::Source wide = Conv(x, 5, 2, 2), narrow = Conv(x, 3, 1, 1);
  const ir::Source sum = g.Add("Add", 1, {narrow, wide});
  const ir::Source after = Conv(sum, 3, 0, 2);
  Measure({narrow, after});
  ASSERT_TRUE(latency);
  EXPECT_TRUE(latency->is_needed);
  EXPECT_EQ(latency->Of(narrow), 1);
  EXPECT_EQ(latency->Of(wide), 2);
  EXPECT_EQ(latency->Of(sum), 2);
  EXPECT_EQ(At(sum.node).inputs[0], 2);  // one position more than the tensor
  EXPECT_EQ(At(sum.node).inputs[1], 2);
  EXPECT_EQ(latency->Of(after), 4);
  EXPECT_EQ(OfResult(0), 1);
  EXPECT_EQ(OfResult(1), 4);
}

TEST_F(Delays, AlignASkipConnection) {
  const ir::Source x = X(2, kFrames);
  const ir::Source y = Conv(Conv(x, 3, 1, 1), 3, 1, 1);
  const ir::Source sum = g.Add("Add", 1, {y, x});
  Measure({sum});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->Of(x), 0);
  EXPECT_EQ(At(sum.node).inputs[1], 2);
  EXPECT_EQ(latency->Of(sum), 2);
}

TEST_F(Delays, PassThroughTheStateOfALoop) {
  const ir::Source rows = g.Add("Transpose", 1, {Conv(X(2, kFrames), 3, 1, 1), g.Ints({0, 2, 1})});
  const auto zeros = [&](Dims dims) {
    return g.Floats(dims, std::vector<float>(static_cast<size_t>(ElementCount(dims).value())));
  };
  const ir::Source loop =
      g.Add("GRUSequence", 5,
            {rows, zeros({1, 1, 2}), g.Const<int32_t>({ElementType::i32, {1}}, {kFrames}),
             zeros({1, 6, 2}), zeros({1, 6, 2}), zeros({1, 6})},
            {{"hidden_size", "2"}, {"direction", "forward"}}, 2);
  Measure({loop, {loop.node, 1}});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->Of(loop), 1);
  EXPECT_EQ(At(loop.node).steps, 1);  // its state keeps the initial value for one step
  EXPECT_EQ(OfResult(0), 1);
  EXPECT_EQ(OfResult(1), 1);  // the last state
}

TEST_F(Delays, FillCompleteStepsOfStrides) {
  const ir::Source x = X(2, 2 * kFrames), y = Conv(x, 3, 1, 1);
  const ir::Source half = Conv(y, 2, 0, 0, 2), wide = Conv(y, 6, 2, 2, 2);
  Measure({half, wide, y});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->steps, kFrames);
  EXPECT_EQ(latency->Of(y), 1);     // half a step
  EXPECT_EQ(latency->Of(half), 1);  // of its own positions, which are twice as long
  EXPECT_EQ(At(half.node).windows.begin, Dims{1});
  EXPECT_EQ(latency->Of(wide), 2);
  EXPECT_EQ(At(wide.node).windows.begin, Dims{5});
  EXPECT_EQ(OfResult(2), 1);
  EXPECT_EQ(At(g.graph.results[2]).inputs[0], 2);
}

TEST_F(Delays, DelayTheDataOfWindowsWithGaps) {
  const ir::Source y = Conv(X(2, 4 * kFrames), 3, 1, 1);
  const ir::Source z = Conv(y, 1, 0, 0, 4);
  Measure({z});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->Of(z), 1);
  EXPECT_EQ(At(z.node).inputs[0], 4);
  EXPECT_EQ(At(z.node).windows.begin, Dims{0});
}

TEST_F(Delays, MultiplyWithTheRate) {
  const ir::Source y = Conv(X(2, kFrames), 3, 1, 1);
  const ir::Source up = Spread(y, 4, 2, 1);
  Measure({up});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->Of(up), 3);
  EXPECT_EQ(OfResult(0), 2);
}

TEST_F(Delays, CountRemovedFirstSteps) {
  const ir::Source x = X(2, kFrames), later = From(x, 2);
  const ir::Source back =
      g.Add("Pad", 12, {later, g.Ints({0, 0, 1}), g.Ints({0, 0, 0}), g.Float(0)},
            {{"pad_mode", "constant"}});
  Measure({later, back});
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->Of(later), 2);
  EXPECT_EQ(latency->Of(back), 1);
}

TEST_F(Delays, ReportAllErrorsAndChangeNothing) {
  const ir::Source x = X(2, kFrames), y = Conv(x, 5, 2, 2);
  const ir::Source mean = g.Add("ReduceMean", 1, {y, g.Ints({2})}, {{"keep_dims", "true"}});
  const ir::Source first = g.Add("Gather", 8, {y, g.Int(0), g.Int(2)}, {{"batch_dims", "0"}});
  const ir::Source far = From(y, kFrames - 2);
  g.Result(mean);
  g.Result(first);
  g.Result(far);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::string before = ir::ToString(g.graph);
  Map();
  EXPECT_FALSE(MeasureLatency({g.graph}, *map, faults));
  ASSERT_EQ(faults.lines().size(), 3u);
  EXPECT_PRED2(Contains, faults.lines()[0], "ReduceMean");
  EXPECT_PRED2(Contains, faults.lines()[1], "it selects the first step of a delayed tensor");
  EXPECT_PRED2(Contains, faults.lines()[2], "it looks ahead over 12 of 12 steps");
  EXPECT_EQ(ir::ToString(g.graph), before);
}

TEST_F(Delays, RefuseAVariableWithTime) {
  const ir::Source read =
      g.Add("ReadValue", 6, {},
            {{"variable_id", "v"}, {"variable_type", "f32"}, {"variable_shape", "1,2,12"}});
  Measure({Conv(g.Add("Add", 1, {X(2, kFrames), read}), 3, 1, 1)});
  EXPECT_FALSE(latency);
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_PRED2(Contains, faults.lines()[0], "ReadValue");
}

// Returns the answer for a graph with one result, along the last axis of input 0.
bool LooksAheadIn(GraphBuilder& g, const ir::Source& result) {
  g.Result(result);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return LooksAhead(MapTime({g.graph}, {{false, 0, 2}}));
}

TEST_F(Delays, AreMeasuredForWindowsWithLaterPositions) {
  EXPECT_TRUE(LooksAheadIn(g, Conv(X(2, kFrames), 3, 1, 1)));
}

TEST_F(Delays, AreMeasuredForSlicesWithoutTheFirstSteps) {
  EXPECT_TRUE(LooksAheadIn(g, From(X(2, kFrames), 3)));
}

TEST_F(Delays, AreMeasuredForConcatenationsAlongTime) {
  const ir::Source x = X(2, kFrames);
  EXPECT_TRUE(LooksAheadIn(g, g.Add("Concat", 1, {x, x}, {{"axis", "2"}})));
}

TEST_F(Delays, AreNotMeasuredForWindowsThatLookBack) {
  EXPECT_FALSE(LooksAheadIn(g, Conv(X(2, kFrames), 3, 2, 0)));
}

TEST_F(Delays, AreNotMeasuredForTheFirstAndTheLastStep) {
  const ir::Source x = X(2, kFrames);
  const ir::Source first =
      g.Add("Slice", 8, {x, g.Ints({0}), g.Ints({1}), g.Ints({1}), g.Ints({2})});
  EXPECT_FALSE(LooksAheadIn(g, g.Add("Add", 1, {first, From(x, kFrames - 1)})));
}

TEST_F(Delays, AreNotMeasuredForSumsOverTime) {
  const ir::Source x = X(2, kFrames);
  EXPECT_FALSE(LooksAheadIn(g, g.Add("ReduceMean", 1, {x, g.Ints({2})}, {{"keep_dims", "true"}})));
}

}  // namespace
}  // namespace weft::graph
