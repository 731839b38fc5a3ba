// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/order_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace weft::plan {
namespace {

constexpr int64_t kManyLooks = 2'000'000;

// Computes the peak directly, as the comments of OrderProblem define it, moment by moment.
int64_t PeakOfUnits(const OrderProblem& problem, const std::vector<size_t>& order) {
  const auto units = static_cast<int64_t>(order.size());
  std::vector<int64_t> time(order.size());
  for (int64_t i = 0; i < units; ++i) time[order[static_cast<size_t>(i)]] = i;
  std::vector<int64_t> begin, end;
  for (const OrderProblem::Bytes& of : problem.bytes) {
    int64_t first = of.from_start ? -1 : units, last = of.to_end ? units : -1;
    for (const size_t unit : of.units) {
      first = std::min(first, time[unit]);
      last = std::max(last, time[unit]);
    }
    begin.push_back(first);
    end.push_back(last);
  }
  int64_t peak = 0;
  for (int64_t now = -1; now < units; ++now) {
    int64_t live = now < 0 ? 0 : problem.inner_bytes[order[static_cast<size_t>(now)]];
    for (size_t i = 0; i < problem.bytes.size(); ++i) {
      if (begin[i] <= now && now <= end[i]) live += problem.bytes[i].bytes;
    }
    std::set<size_t> used;
    for (const OrderProblem::Share& share : problem.shares) {
      if (time[share.unit] != now || end[share.from] != now || begin[share.to] != now) continue;
      if (used.contains(share.from) || used.contains(share.to)) continue;
      used.insert({share.from, share.to});
      live -= problem.bytes[share.to].bytes;
    }
    peak = std::max(peak, live);
  }
  return peak;
}

bool IsOrder(const OrderProblem& problem, const std::vector<size_t>& order) {
  std::vector<bool> done(problem.before.size());
  for (const size_t unit : order) {
    for (const size_t before : problem.before[unit]) {
      if (!done[before]) return false;
    }
    if (done[unit]) return false;
    done[unit] = true;
  }
  return order.size() == problem.before.size();
}

int64_t MinOfAll(const OrderProblem& problem) {
  std::vector<size_t> order(problem.before.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  int64_t min = std::numeric_limits<int64_t>::max();
  do {
    if (IsOrder(problem, order)) min = std::min(min, PeakOfUnits(problem, order));
  } while (std::ranges::next_permutation(order).found);
  return min;
}

// Each unit writes one value and reads some of the earlier ones; the last values are kept.
OrderProblem RandomUnits(std::mt19937& random, size_t units) {
  const auto below = [&](size_t count) { return static_cast<size_t>(random() % count); };
  OrderProblem problem;
  problem.before.resize(units);
  problem.bytes.push_back({.bytes = 16 * static_cast<int64_t>(1 + below(4)), .from_start = true});
  for (size_t unit = 0; unit < units; ++unit) {
    problem.inner_bytes.push_back(below(4) == 0 ? 16 * static_cast<int64_t>(below(8)) : 0);
    std::set<size_t> inputs;
    for (size_t i = below(3) + (unit == 0 ? 0 : 1); i > 0; --i) inputs.insert(below(unit + 1));
    for (const size_t input : inputs) {
      problem.bytes[input].units.push_back(unit);
      if (input > 0) problem.before[unit].push_back(input - 1);
    }
    problem.bytes.push_back({.bytes = 16 * static_cast<int64_t>(1 + below(6)),
                             .units = {unit},
                             .to_end = unit + 1 == units || below(8) == 0});
    for (const size_t input : inputs) {
      if (problem.bytes[input].bytes == problem.bytes.back().bytes && below(2) == 0)
        problem.shares.push_back({unit, input, unit + 1});
    }
  }
  return problem;
}

TEST(OrderSearch, IsAsGoodAsTheBestOfAllOrders) {
  std::mt19937 random(1);
  int better = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const OrderProblem problem = RandomUnits(random, 2 + static_cast<size_t>(round) % 7);
    std::vector<size_t> present(problem.before.size());
    for (size_t i = 0; i < present.size(); ++i) present[i] = i;
    const int64_t before = PeakOfUnits(problem, present), min = MinOfAll(problem);
    ASSERT_EQ(PeakInOrder(problem), before);
    ASSERT_LE(PeakLowerBound(problem), min);
    const FoundOrder found = FindOrder(problem, kManyLooks);
    ASSERT_TRUE(found.is_proven);
    ASSERT_EQ(found.peak_bytes, min);
    ASSERT_EQ(found.units.empty(), before == min);
    if (found.units.empty()) continue;
    ++better;
    ASSERT_TRUE(IsOrder(problem, found.units));
    ASSERT_EQ(PeakOfUnits(problem, found.units), min);
  }
  EXPECT_GT(better, 50);
}

// Branches that each compute a large value and a small value from it, in breadth-first order. In
// depth-first order only one large value is live at a time.
OrderProblem Branches(size_t count) {
  OrderProblem problem;
  problem.before.resize(2 * count + 1);
  problem.inner_bytes.resize(2 * count + 1);
  for (size_t i = 0; i < count; ++i) {
    problem.before[count + i] = {i};
    problem.before[2 * count].push_back(count + i);
    problem.bytes.push_back({.bytes = 1024, .units = {i, count + i}});
    problem.bytes.push_back({.bytes = 16, .units = {count + i, 2 * count}});
  }
  return problem;
}

TEST(OrderSearch, GoesDownOneBranchAfterTheOther) {
  const OrderProblem problem = Branches(100);
  EXPECT_EQ(PeakInOrder(problem), 100 * 1024 + 16);
  const FoundOrder found = FindOrder(problem, kManyLooks);
  EXPECT_EQ(found.peak_bytes, 1024 + 100 * 16);
  EXPECT_TRUE(IsOrder(problem, found.units));
}

TEST(OrderSearch, StopsWhereItsLooksAreUsedUp) {
  const FoundOrder found = FindOrder(Branches(100), 1000);
  EXPECT_TRUE(found.units.empty());
  EXPECT_FALSE(found.is_proven);
  EXPECT_EQ(found.peak_bytes, 100 * 1024 + 16);
}

}  // namespace
}  // namespace weft::plan
