// SPDX-License-Identifier: Apache-2.0
// Transpose, DepthToSpace, SpaceToDepth and ShuffleChannels, compared with the reshapes and
// transposes of the specification.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

Outcome Transpose(const Nd& x, const std::vector<int64_t>& order) {
  return Apply("Transpose", 1, x, {order});
}

TEST(Transpose, ReordersAxes) {
  const Nd x = Iota({2, 3, 4});
  EXPECT_EQ(Only(Transpose(x, {2, 0, 1})), Transposed(x, {2, 0, 1}));
  EXPECT_EQ(Only(Transpose(x, {0, 2, 1})), Transposed(x, {0, 2, 1}));
  EXPECT_EQ(Only(Transpose(x, {})), Transposed(x, {2, 1, 0}));
  EXPECT_EQ(Only(Transpose(Iota({5}), {0})), Iota({5}));
}

TEST(Transpose, IsOneCopyInEveryRank) {
  const Nd x = Iota({2, 3, 2, 2, 3, 2, 1, 2});
  const Outcome outcome = Transpose(x, {7, 3, 5, 1, 0, 6, 2, 4});
  EXPECT_EQ(outcome.step_count(), 1u);
  EXPECT_EQ(Only(outcome), Transposed(x, {7, 3, 5, 1, 0, 6, 2, 4}));
}

TEST(Transpose, CostsNothingWhereOnlyOnesMove) {
  const Nd x = Iota({1, 3, 1, 4});
  const Outcome outcome = Transpose(x, {1, 0, 3, 2});
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(Only(outcome), Reshaped(x, {3, 1, 4, 1}));
}

TEST(Transpose, JoinsAxesThatStayNeighbours) {
  const Outcome outcome = Transpose(Iota({2, 3, 4, 5}), {2, 3, 0, 1});
  ASSERT_EQ(outcome.step_count(), 1u);
  EXPECT_EQ(ParamsAt<format::CopyParams>(outcome.program).rank(), 2u);
}

TEST(Transpose, WantsEveryAxisOnce) {
  EXPECT_PRED2(Contains, Transpose(Iota({2, 3}), {0, 0}).faults,
               "order [0,0] of a rank 2 tensor; must name every axis once");
  EXPECT_PRED2(Contains, Transpose(Iota({2, 3}), {0, 1, 2}).faults, "order [0,1,2] of a rank 2");
  EXPECT_PRED2(Contains, Transpose(Iota({2, 3}), {-1, 0}).faults, "order [-1,0] of a rank 2");
}

TEST(Transpose, RefusesTypesBelowAByteUnlessTheOrderStays) {
  for (const Dims& dims : {Dims{4, 6}, Dims{1, 6}}) {
    GraphBuilder g;
    g.Add("Transpose", 1, {g.Parameter({ElementType::u4, dims}), g.Ints({1, 0})});
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    g.Lower();
    EXPECT_EQ(g.faults.ok(), dims[0] == 1);
    if (dims[0] == 1) continue;
    EXPECT_PRED2(Contains, g.FaultText(), "moves single elements of input 0, which is u4[4,6]");
  }
}

// DepthToSpace as the specification defines it.
Nd DepthToSpace(const Nd& x, int64_t block, bool depth_first) {
  const size_t space = x.dims.size() - 2;
  int64_t cube = 1;
  for (size_t i = 0; i < space; ++i) cube *= block;
  const Dims blocks(space, block);
  Dims fine = {x.dims[0]};
  if (depth_first) fine.push_back(x.dims[1] / cube);
  fine.insert(fine.end(), blocks.begin(), blocks.end());
  if (!depth_first) fine.push_back(x.dims[1] / cube);
  fine.insert(fine.end(), x.dims.begin() + 2, x.dims.end());
  std::vector<size_t> order = {0, depth_first ? 1 : space + 1};
  Dims dims = {x.dims[0], x.dims[1] / cube};
  for (size_t i = 0; i < space; ++i) {
    order.insert(order.end(), {space + 2 + i, (depth_first ? 2 : 1) + i});
    dims.push_back(x.dims[2 + i] * block);
  }
  return Reshaped(Transposed(Reshaped(x, fine), order), dims);
}

Text BlockText(int64_t block, bool depth_first) {
  return {{"block_size", std::to_string(block)},
          {"mode", depth_first ? "depth_first" : "blocks_first"}};
}

TEST(DepthToSpace, FollowsTheDocumentInBothModes) {
  for (const bool depth_first : {false, true}) {
    for (const Nd& x : {Iota({2, 12, 3}), Iota({1, 12, 2, 3}), Iota({2, 16, 1, 3, 2})}) {
      EXPECT_EQ(Only(Apply("DepthToSpace", 1, x, {}, BlockText(2, depth_first))),
                DepthToSpace(x, 2, depth_first));
    }
  }
}

TEST(DepthToSpace, IsUndoneBySpaceToDepth) {
  for (const bool depth_first : {false, true}) {
    for (const Nd& x : {Iota({2, 6, 3}), Iota({3, 18, 2, 3}), Iota({1, 27, 1, 3, 2})}) {
      const Nd spread = DepthToSpace(x, 3, depth_first);
      EXPECT_EQ(Only(Apply("SpaceToDepth", 1, spread, {}, BlockText(3, depth_first))), x);
    }
  }
}

TEST(DepthToSpace, NamesBothNumbersThatDoNotDivide) {
  EXPECT_PRED2(Contains,
               Apply("DepthToSpace", 1, Iota({1, 6, 2, 2}), {}, BlockText(2, true)).faults,
               "depth 6 is not divisible by block_size 2 to the power 2, which is 4");
  EXPECT_PRED2(Contains,
               Apply("SpaceToDepth", 1, Iota({1, 6, 2, 3}), {}, BlockText(2, true)).faults,
               "axis 3 of 3 is not divisible by block_size 2");
  EXPECT_PRED2(Contains, Apply("DepthToSpace", 1, Iota({4, 4}), {}, BlockText(2, true)).faults,
               "input 0 has rank 2");
  EXPECT_PRED2(Contains, Apply("DepthToSpace", 1, Iota({1, 4, 2}), {}, BlockText(0, true)).faults,
               "block_size is 0");
}

TEST(DepthToSpace, WorksInRankEightByMoreThanOneCopy) {
  const Nd x = Iota({2, 64, 1, 2, 1, 2, 1, 2});
  EXPECT_EQ(Only(Apply("DepthToSpace", 1, x, {}, BlockText(2, false))), DepthToSpace(x, 2, false));
  EXPECT_EQ(Only(Apply("SpaceToDepth", 1, DepthToSpace(x, 2, true), {}, BlockText(2, true))), x);
}

TEST(ShuffleChannels, TransposesGroups) {
  const Nd x = Iota({2, 6, 3});
  const Nd expected = Reshaped(Transposed(Reshaped(x, {2, 2, 3, 3}), {0, 2, 1, 3}), x.dims);
  EXPECT_EQ(Only(Apply("ShuffleChannels", 1, x, {}, {{"axis", "1"}, {"group", "2"}})), expected);
  EXPECT_EQ(Only(Apply("ShuffleChannels", 1, x, {}, {{"axis", "-2"}, {"group", "2"}})), expected);
  EXPECT_EQ(Apply("ShuffleChannels", 1, x, {}, {{"axis", "1"}, {"group", "6"}}).step_count(), 0u);
  EXPECT_PRED2(Contains, Apply("ShuffleChannels", 1, x, {}, {{"group", "4"}}).faults,
               "axis 1 has 6 channels, which are not divisible by group 4");
}

}  // namespace
}  // namespace weft
