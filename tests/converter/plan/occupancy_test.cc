// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/rounds.h"

namespace weft::plan {
namespace {

// Reference implementation: compares with every rectangle, from the lowest address on.
class Naive {
 public:
  int64_t LowestGap(const std::vector<TimeRange>& ranges, int64_t length, int64_t alignment) const {
    int64_t gap = 0;
    for (const Rectangle& each : rectangles_) {
      if (gap + length <= each.begin) break;
      for (const TimeRange& range : ranges) {
        if (each.range.begin >= range.end || range.begin >= each.range.end) continue;
        gap = std::max(gap, (each.begin + each.length + alignment - 1) / alignment * alignment);
      }
    }
    return gap;
  }
  void Take(TimeRange range, int64_t begin, int64_t length) {
    const auto lies_above = [&](const Rectangle& each) { return each.begin > begin; };
    const auto at = std::find_if(rectangles_.begin(), rectangles_.end(), lies_above);
    rectangles_.insert(at, {range, begin, length});
  }

 private:
  struct Rectangle {
    TimeRange range;
    int64_t begin, length;
  };
  std::vector<Rectangle> rectangles_;
};

TEST(Occupancy, FindsTheGapsOfItsReference) {
  std::mt19937 random(11);
  for (int round = 0; round < Rounds(300); ++round) {
    const int times = 1 + static_cast<int>(random() % 200);
    const int lives = 1 + static_cast<int>(random() % 60);
    const int lengths = 1 + static_cast<int>(random() % 40);
    Occupancy occupancy;
    Naive second;
    for (int i = 0; i < 150; ++i) {
      std::vector<TimeRange> ranges;
      int64_t time = static_cast<int64_t>(random()) % times;
      for (int range = 0; range <= round % 3; ++range) {
        const int64_t end = time + 1 + static_cast<int64_t>(random()) % lives;
        ranges.push_back({time, end});
        time = end + static_cast<int64_t>(random()) % lives;
      }
      const int64_t length = 1 + static_cast<int64_t>(random()) % lengths;
      const int64_t alignment = round % 2 == 0 ? 1 : int64_t{1} << (random() % 4);
      const int64_t gap = second.LowestGap(ranges, length, alignment);
      ASSERT_EQ(occupancy.LowestGap(ranges, length, alignment), gap)
          << "round " << round << ", " << i;
      for (const TimeRange& range : ranges) {
        occupancy.Take(range, gap, length);
        second.Take(range, gap, length);
      }
    }
  }
}

constexpr int kMany = 20000;

// Average number of nodes that a search visits, over kMany searches.
template <typename RangeOf, typename LengthOf>
double VisitsPerSearch(RangeOf range_of, LengthOf length_of) {
  Occupancy occupancy;
  for (int64_t i = 0; i < kMany; ++i) {
    const TimeRange range = range_of(i);
    const int64_t length = length_of(i);
    occupancy.Take(range, occupancy.LowestGap({&range, 1}, length), length);
  }
  return static_cast<double>(occupancy.visits()) / kMany;
}

TEST(Occupancy, LooksAtFewOfTheMany) {
  const auto one = [](int64_t) { return int64_t{1}; };
  const auto all_together = [](int64_t) { return TimeRange{0, kMany + 1}; };
  const auto one_by_one = [](int64_t i) { return TimeRange{i, i + 2}; };
  const auto beginning_in_turn = [](int64_t i) { return TimeRange{i, kMany + 1}; };
  const auto ending_in_turn = [](int64_t i) { return TimeRange{0, i + 1}; };
  const auto sliding = [](int64_t i) { return TimeRange{i, i + kMany / 4 + 1}; };
  EXPECT_LT(VisitsPerSearch(all_together, one), 64);
  EXPECT_LT(VisitsPerSearch(all_together, [](int64_t i) { return 1 + i % 7; }), 256);
  EXPECT_LT(VisitsPerSearch(one_by_one, one), 64);
  EXPECT_LT(VisitsPerSearch(beginning_in_turn, one), 64);
  EXPECT_LT(VisitsPerSearch(ending_in_turn, one), 64);
  EXPECT_LT(VisitsPerSearch(sliding, one), 64);
}

}  // namespace
}  // namespace weft::plan
