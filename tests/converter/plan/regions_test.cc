// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/regions.h"

#include <gtest/gtest.h>

#include <random>

namespace weft::plan {
namespace {

constexpr int64_t kAlignment = 16;

// No two intervals that are alive together share a byte of one memory.
void ExpectApart(const std::vector<Interval>& intervals, const TwoArenas& placed,
                 int64_t capacity) {
  ASSERT_EQ(placed.offsets.size(), intervals.size());
  EXPECT_LE(placed.fast_bytes, capacity);
  for (size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(placed.offsets[i] % kAlignment, 0);
    const int64_t end = placed.offsets[i] + intervals[i].bytes;
    EXPECT_LE(end, placed.is_fast[i] ? placed.fast_bytes : placed.slow_bytes);
    for (size_t k = 0; k < i; ++k) {
      if (placed.is_fast[i] != placed.is_fast[k]) continue;
      if (intervals[i].last < intervals[k].first || intervals[k].last < intervals[i].first) {
        continue;
      }
      EXPECT_TRUE(end <= placed.offsets[k] ||
                  placed.offsets[k] + intervals[k].bytes <= placed.offsets[i])
          << i << " and " << k;
    }
  }
}

TEST(Regions, TheMostUsedBytesAreInTheFastMemory) {
  const std::vector<Interval> intervals = {{0, 0, 9, 64}, {1, 0, 9, 64}, {2, 0, 9, 64}};
  const std::vector<double> traffic = {100, 6400, 640};
  const TwoArenas placed = PlaceInTwo(intervals, traffic, 128, kAlignment);
  EXPECT_EQ(placed.is_fast, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(placed.fast_bytes, 128);
  EXPECT_EQ(placed.slow_bytes, 64);
}

TEST(Regions, ALargeOneThatDoesNotFitLeavesRoomForSmallerOnes) {
  const std::vector<Interval> intervals = {{0, 0, 9, 4096}, {1, 0, 9, 32}};
  const TwoArenas placed = PlaceInTwo(intervals, std::vector<double>{1e9, 1}, 64, kAlignment);
  EXPECT_EQ(placed.is_fast, (std::vector<bool>{false, true}));
}

TEST(Regions, WithoutFastBytesEverythingIsSlow) {
  const std::vector<Interval> intervals = {{0, 0, 9, 64}, {1, 3, 4, 16}};
  const TwoArenas placed = PlaceInTwo(intervals, std::vector<double>{1, 1}, 0, kAlignment);
  EXPECT_EQ(placed.fast_bytes, 0);
  EXPECT_EQ(placed.slow_bytes, 80);
}

TEST(Regions, KeepRandomLivesApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals;
    std::vector<double> traffic;
    for (uint32_t i = 0; i < 30; ++i) {
      const auto first = static_cast<int64_t>(random() % 40);
      intervals.push_back({i, first, first + static_cast<int64_t>(random() % 20),
                           static_cast<int64_t>(1 + random() % 300)});
      traffic.push_back(static_cast<double>(random() % 10000));
    }
    const auto capacity = static_cast<int64_t>(random() % 4096);
    ExpectApart(intervals, PlaceInTwo(intervals, traffic, capacity, kAlignment), capacity);
  }
}

TEST(Regions, LoopsCountWithTheirTrips) {
  Program program;
  program.values.resize(2);
  for (Value& value : program.values) value.bytes = 8;
  Step step;
  step.outputs = {1};
  program.blocks.push_back({{step}});
  program.sections.push_back({});
  program.sections[0].copies = {1};
  program.sections[0].trip_count = 25;
  program.sections[0].max_trips = 25;
  Step outside;
  outside.outputs = {0};
  program.blocks[0].items = {outside, SectionEntry{0}};
  const std::vector<Interval> intervals = {{0, 0, 9, 8}, {1, 0, 9, 8}};
  EXPECT_EQ(TrafficOf(program, intervals), (std::vector<double>{8, 200}));
}

}  // namespace
}  // namespace weft::plan
