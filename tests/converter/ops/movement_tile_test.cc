// SPDX-License-Identifier: Apache-2.0
// Broadcast in its modes, and Tile.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

// The elements of x at indices modulo its dims, which are aligned with the last axes of the output.
Nd Repeated(const Nd& x, const Dims& dims) {
  return Make(dims, [&](const Dims& index) {
    Dims from(index.end() - static_cast<Dims::difference_type>(x.dims.size()), index.end());
    for (size_t i = 0; i < from.size(); ++i) from[i] %= x.dims[i];
    return At(x, from);
  });
}

TEST(Broadcast, StretchesTrailingAxes) {
  for (const int opset : {1, 3}) {
    const Nd x = Iota({3, 1});
    const Outcome outcome = Apply("Broadcast", opset, x, {{2, 3, 4}}, {{"mode", "numpy"}});
    EXPECT_EQ(Only(outcome), Repeated(x, {2, 3, 4}));
    EXPECT_EQ(outcome.step_count(), 1u);
    EXPECT_EQ(Only(Apply("Broadcast", opset, Iota({}), {{2, 2}})), Repeated(Iota({}), {2, 2}));
  }
}

TEST(Broadcast, ToTheSameElementsCostsNothing) {
  EXPECT_EQ(Apply("Broadcast", 3, Iota({3, 4}), {{1, 3, 4}}).step_count(), 0u);
  const Outcome empty = Apply("Broadcast", 3, Iota({3, 1}), {{3, 0}});
  EXPECT_EQ(empty.step_count(), 0u);
  EXPECT_EQ(Only(empty), Iota({3, 0}));
}

TEST(Broadcast, StretchesBothShapesUnderBidirectional) {
  const Text mode = {{"mode", "bidirectional"}};
  EXPECT_EQ(Only(Apply("Broadcast", 3, Iota({1, 3}), {{2, 1}}, mode)),
            Repeated(Iota({1, 3}), {2, 3}));
  EXPECT_EQ(Only(Apply("Broadcast", 3, Iota({2, 3}), {{3}}, mode)), Iota({2, 3}));
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, Iota({2, 3}), {{3, 1}}, mode).faults,
               "axis 0 is 2 and the target 3");
}

TEST(Broadcast, PutsAxesWhereTheyAreMapped) {
  const Text mode = {{"mode", "explicit"}};
  const Nd x = Iota({2, 4});
  EXPECT_EQ(Only(Apply("Broadcast", 3, x, {{2, 3, 4}, {0, 2}}, mode)),
            Make({2, 3, 4}, [&](const Dims& index) {
              return At(x, {index[0], index[2]});
            }));
  EXPECT_EQ(Only(Apply("Broadcast", 1, Iota({1}), {{2, 3}, {1}}, mode)),
            Repeated(Iota({1}), {2, 3}));
  EXPECT_EQ(Only(Apply("Broadcast", 1, Iota({2}), {{2, 3}, {0}}, {{"mode", "none"}})),
            Make({2, 3}, [](const Dims& index) { return static_cast<int32_t>(index[0]); }));
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, x, {{2, 3, 4}, {2, 0}}, mode).faults,
               "axes_mapping [2,0] holds 0; must ascend");
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, x, {{2, 3, 4}, {0, 1}}, mode).faults,
               "axis 1 is 4 and the target 3");
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, x, {{2, 3, 4}}, mode).faults,
               "input 2 (axes_mapping) is missing");
}

TEST(Broadcast, SaysWhatIsWrong) {
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, Iota({3, 2}), {{3, 4}}).faults,
               "i32[3,2] does not broadcast to [3,4]: axis 1 is 2 and the target 4");
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, Iota({2, 3}), {{3}}).faults,
               "input i32[2,3] has rank 2 and target_shape [3] rank 1");
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, Iota({3}), {{-1, 3}}).faults,
               "target_shape [-1,3] holds -1");
  EXPECT_PRED2(Contains, Apply("Broadcast", 3, Iota({3}), {{3}}, {{"mode", "pdpd"}}).faults,
               "attribute mode is \"pdpd\"; must be one of numpy explicit bidirectional");
  EXPECT_PRED2(Contains,
               Apply("Broadcast", 1, Iota({3}), {{3}}, {{"mode", "bidirectional"}}).faults,
               "attribute mode is \"bidirectional\"; must be one of numpy explicit none");
}

TEST(Tile, RepeatsEveryAxis) {
  const Nd x = Iota({2, 3});
  const Outcome outcome = Apply("Tile", 1, x, {{2, 2}});
  EXPECT_EQ(Only(outcome), Repeated(x, {4, 6}));
  EXPECT_EQ(outcome.step_count(), 1u);
  EXPECT_EQ(Only(Apply("Tile", 1, x, {{2}})), Repeated(x, {2, 6}));
  EXPECT_EQ(Only(Apply("Tile", 1, x, {{2, 1, 3}})), Repeated(Reshaped(x, {1, 2, 3}), {2, 2, 9}));
}

TEST(Tile, ByOneOrZeroHasNoStep) {
  EXPECT_EQ(Apply("Tile", 1, Iota({2, 3}), {{1, 1}}).step_count(), 0u);
  const Outcome empty = Apply("Tile", 1, Iota({2, 3}), {{0, 2}});
  EXPECT_EQ(empty.step_count(), 0u);
  EXPECT_EQ(Only(empty), Iota({0, 6}));
}

TEST(Tile, WorksAboveTheRankOfOneCopy) {
  const Nd x = Iota({2, 2, 2, 2, 2});
  const Outcome outcome = Apply("Tile", 1, x, {{2, 3, 2, 3, 2}});
  EXPECT_EQ(outcome.step_count(), 4u);  // ten loops: the two shortest become separate copies
  EXPECT_EQ(Only(outcome), Repeated(x, {4, 6, 4, 6, 4}));
}

TEST(Tile, WantsRepeatsThatFit) {
  EXPECT_PRED2(Contains, Apply("Tile", 1, Iota({2, 3}), {{-1, 2}}).faults,
               "repeats [-1,2] hold -1 for an axis of 2");
  EXPECT_PRED2(Contains, Apply("Tile", 1, Iota({4}), {{int64_t{1} << 62}}).faults,
               "for an axis of 4");
  EXPECT_PRED2(Contains, Apply("Tile", 1, Iota({4}), {{int64_t{1} << 40}}).faults,
               "tensors hold less than 4294967296 bytes");
}

}  // namespace
}  // namespace weft
