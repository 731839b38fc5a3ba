// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace weft::plan {
namespace {

// The twin: asks every rectangle.
class Naive {
 public:
  int64_t LowestGap(TimeSpan span, int64_t length) const {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const Rectangle& each : rectangles_) {
      if (each.span.last < span.first || span.last < each.span.first) continue;
      taken.emplace_back(each.begin, each.begin + each.length);
    }
    std::sort(taken.begin(), taken.end());
    int64_t gap = 0;
    for (const auto& [begin, end] : taken) {
      if (gap + length <= begin) break;
      gap = std::max(gap, end);
    }
    return gap;
  }
  void Take(TimeSpan span, int64_t begin, int64_t length) {
    rectangles_.push_back({span, begin, length});
  }

 private:
  struct Rectangle {
    TimeSpan span;
    int64_t begin, length;
  };
  std::vector<Rectangle> rectangles_;
};

TEST(Occupancy, FindsTheGapsOfItsTwin) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const int times = 1 + static_cast<int>(random() % 200);
    const int lives = 1 + static_cast<int>(random() % 60);
    const int lengths = 1 + static_cast<int>(random() % 40);
    Occupancy occupancy;
    Naive twin;
    for (int i = 0; i < 150; ++i) {
      const int64_t first = static_cast<int64_t>(random()) % times;
      const TimeSpan span{first, first + static_cast<int64_t>(random()) % lives};
      const int64_t length = 1 + static_cast<int64_t>(random()) % lengths;
      const int64_t gap = twin.LowestGap(span, length);
      ASSERT_EQ(occupancy.LowestGap(span, length), gap) << "round " << round << ", " << i;
      occupancy.Take(span, gap, length);
      twin.Take(span, gap, length);
    }
  }
}

constexpr int kMany = 20000;

// How often searches looked at a node for each of kMany rectangles.
template <typename SpanOf, typename LengthOf>
double VisitsPerSearch(SpanOf span_of, LengthOf length_of) {
  Occupancy occupancy;
  for (int64_t i = 0; i < kMany; ++i) {
    const TimeSpan span = span_of(i);
    const int64_t length = length_of(i);
    occupancy.Take(span, occupancy.LowestGap(span, length), length);
  }
  return static_cast<double>(occupancy.visits()) / kMany;
}

TEST(Occupancy, LooksAtFewOfTheMany) {
  const auto one = [](int64_t) { return int64_t{1}; };
  const auto all_together = [](int64_t) { return TimeSpan{0, kMany}; };
  const auto one_by_one = [](int64_t i) { return TimeSpan{i, i + 1}; };
  const auto born_in_turn = [](int64_t i) { return TimeSpan{i, kMany}; };
  const auto dying_in_turn = [](int64_t i) { return TimeSpan{0, i}; };
  const auto sliding = [](int64_t i) { return TimeSpan{i, i + kMany / 4}; };
  EXPECT_LT(VisitsPerSearch(all_together, one), 64);
  EXPECT_LT(VisitsPerSearch(all_together, [](int64_t i) { return 1 + i % 7; }), 256);
  EXPECT_LT(VisitsPerSearch(one_by_one, one), 64);
  EXPECT_LT(VisitsPerSearch(born_in_turn, one), 64);
  EXPECT_LT(VisitsPerSearch(dying_in_turn, one), 64);
  EXPECT_LT(VisitsPerSearch(sliding, one), 64);
}

}  // namespace
}  // namespace weft::plan
