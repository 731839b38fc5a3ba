// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace weft::plan {
namespace {

bool Overlap(const Interval& a, const Interval& b) {
  return a.first <= b.last && b.first <= a.last;
}

// The judge of every placement: quadratic on purpose.
void ExpectApart(const std::vector<Interval>& intervals, const Arena& arena, int64_t alignment) {
  ASSERT_EQ(arena.offsets.size(), intervals.size());
  for (size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(arena.offsets[i] % alignment, 0);
    EXPECT_LE(arena.offsets[i] + intervals[i].bytes, arena.bytes);
    for (size_t k = 0; k < i; ++k) {
      if (!Overlap(intervals[i], intervals[k])) continue;
      EXPECT_TRUE(arena.offsets[i] + intervals[i].bytes <= arena.offsets[k] ||
                  arena.offsets[k] + intervals[k].bytes <= arena.offsets[i])
          << i << " and " << k << " are alive together and share bytes";
    }
  }
}

TEST(Arena, IsEmptyWithoutIntervals) {
  const Arena arena = PlaceGreedily({}, 16);
  EXPECT_EQ(arena.bytes, 0);
  EXPECT_EQ(arena.bound_bytes, 0);
}

TEST(Arena, SharesBytesOfLivesThatDoNotMeet) {
  const std::vector<Interval> intervals = {{0, 0, 1, 64}, {1, 2, 3, 64}};
  EXPECT_EQ(PlaceGreedily(intervals, 16).bytes, 64);
}

TEST(Arena, KeepsTouchingLivesApart) {
  const std::vector<Interval> intervals = {{0, 0, 2, 64}, {1, 2, 3, 64}};
  EXPECT_EQ(PlaceGreedily(intervals, 16).bytes, 128);
}

TEST(Arena, RoundsSizesUpToTheAlignment) {
  const std::vector<Interval> intervals = {{0, 0, 1, 1}, {1, 0, 1, 1}};
  EXPECT_EQ(PlaceGreedily(intervals, 16).bytes, 32);
}

TEST(Arena, KeepsOverlappingLivesApartInRandomPlans) {
  std::mt19937 random(5);
  for (int plan = 0; plan < 200; ++plan) {
    std::vector<Interval> intervals;
    const int count = static_cast<int>(random() % 40);
    for (int i = 0; i < count; ++i) {
      const int64_t first = random() % 50;
      intervals.push_back({static_cast<ValueId>(i), first,
                           first + static_cast<int64_t>(random() % 20),
                           1 + static_cast<int64_t>(random() % 500)});
    }
    const Arena arena = PlaceGreedily(intervals, 16);
    ExpectApart(intervals, arena, 16);
    EXPECT_GE(arena.bytes, arena.bound_bytes);
  }
}

}  // namespace
}  // namespace weft::plan
