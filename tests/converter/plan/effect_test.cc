// SPDX-License-Identifier: Apache-2.0
// The parts of the plan validator, each compared with a direct model: runs of bytes with an array,
// effects of loops with the unrolled loop.
#include "converter/plan/effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "converter/plan/byte_runs.h"
#include "converter/plan/repeat.h"
#include "runtime/access.h"

namespace weft::plan {
namespace {

constexpr uint64_t kAnyWork = UINT64_MAX;

Needed For(uint32_t owner) { return {owner, 0, 0}; }
Written By(uint32_t owner) { return {owner, true}; }

template <typename Value>
std::vector<std::pair<int64_t, int64_t>> RangesOf(const ByteRuns<Value>& runs) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const auto& [begin, run] : runs) ranges.emplace_back(begin, run.end);
  return ranges;
}

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

TEST(ByteRuns, EqualAnArrayThatIsFilledInTheSameWay) {
  std::minstd_rand random(5);
  for (int round = 0; round < 200; ++round) {
    ByteRuns<int> runs;
    std::array<int, 40> bytes = {};
    for (int i = 0; i < 20; ++i) {
      const auto begin = static_cast<int64_t>(random() % 40);
      const int64_t end = begin + static_cast<int64_t>(random() % (41 - begin));
      const int value = 1 + static_cast<int>(random() % 3);
      runs.Assign(begin, end, value);
      std::fill(bytes.begin() + begin, bytes.begin() + end, value);
    }
    std::array<int, 40> seen = {};
    int64_t at = 0;
    runs.ForEach(0, 40, [&](int64_t begin, int64_t end, const int* value) {
      ASSERT_EQ(begin, at);
      ASSERT_LT(begin, end);
      at = end;
      std::fill(seen.begin() + begin, seen.begin() + end, value == nullptr ? 0 : *value);
    });
    EXPECT_EQ(at, 40);
    EXPECT_EQ(seen, bytes);
    size_t changes = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      changes += bytes[i] != 0 && (i == 0 || bytes[i] != bytes[i - 1]);
    EXPECT_EQ(runs.size(), changes) << "neighbours of equal value are one run";
  }
}

TEST(Effect, NeedsWhatItReadsBeforeItWrites) {
  Findings findings;
  Effect effect;
  effect.Write(4, 8, By(1), findings);
  effect.Read(0, 12, For(1), findings);
  EXPECT_EQ(RangesOf(effect.needed()), (Ranges{{0, 4}, {8, 12}}));
  EXPECT_TRUE(findings.conflicts.empty());
}

TEST(Effect, ReportsWhatAnotherBufferHasOverwritten) {
  Findings findings;
  Effect effect;
  effect.Write(4, 8, By(2), findings);
  effect.Read(0, 12, For(1), findings);
  ASSERT_EQ(findings.conflicts.size(), 1u);
  EXPECT_EQ(findings.conflicts[0].owner, 2u);
  EXPECT_EQ(findings.conflicts[0].begin, 4);
  EXPECT_EQ(findings.conflicts[0].end, 8);
}

TEST(Effect, OfTwoBranchesIsCertainWhereBothWrite) {
  Findings findings;
  Effect one, other;
  one.Write(0, 8, By(1), findings);
  other.Write(4, 12, By(1), findings);
  one.MergeBranch(other, findings);
  Effect after = one;
  after.Read(0, 12, For(1), findings);
  EXPECT_TRUE(findings.conflicts.empty());
  EXPECT_EQ(RangesOf(after.needed()), (Ranges{{0, 4}, {8, 12}})) << "one branch leaves them";
}

TEST(Effect, OfTwoBranchesBelongsToNoBufferWhereTheyWriteDifferentBuffers) {
  Findings findings;
  Effect one, other;
  one.Write(0, 8, By(1), findings);
  other.Write(4, 8, By(2), findings);
  one.MergeBranch(other, findings);
  for (const uint32_t owner : {1u, 2u}) {
    Effect after = one;
    Findings found;
    after.Read(4, 8, For(owner), found);
    ASSERT_EQ(found.conflicts.size(), 1u);
    EXPECT_EQ(found.conflicts[0].owner, kManyOwners);
  }
}

TEST(Effect, WrittenInOneBranchDoesNotReplaceWhatTheOtherNeeds) {
  Findings findings;
  Effect start, branch;
  start.Write(0, 4, By(1), findings);
  branch.Write(0, 4, By(2), findings);
  branch.MergeBranch(Effect(), findings);
  start.Then(branch, 0, findings);
  EXPECT_TRUE(findings.conflicts.empty());
  start.Read(0, 4, For(1), findings);
  EXPECT_EQ(findings.conflicts.size(), 1u);
}

TEST(Effect, BesideAnotherSeesNothingOfIt) {
  Findings findings;
  Effect one, other;
  one.Write(0, 4, By(1), findings);
  other.Read(0, 4, For(1), findings);
  one.Beside(other, findings);
  EXPECT_EQ(RangesOf(one.needed()), (Ranges{{0, 4}}));
}

TEST(Effect, IsNotDisjointFromOneThatWritesItsBytesForAnotherBuffer) {
  Effect reader, writer, both;
  Findings findings;
  reader.Read(0, 8, For(1), findings);
  writer.Write(7, 9, By(2), findings);
  both.Write(7, 9, By(1), findings);
  reader.MustBeDisjointFrom(both, findings);
  EXPECT_TRUE(findings.conflicts.empty());
  reader.MustBeDisjointFrom(writer, findings);
  EXPECT_EQ(findings.conflicts.size(), 1u);
  findings.conflicts.clear();
  writer.MustBeDisjointFrom(both, findings);
  EXPECT_EQ(findings.conflicts.size(), 1u);
}

// Applies the iterations one after the other.
Effect WrittenOut(const std::vector<const Effect*>& phases, int64_t stride, int64_t trips) {
  Effect total;
  Findings findings;
  for (int64_t i = 0; i < trips; ++i) {
    total.Then(*phases[static_cast<size_t>(i) % phases.size()], i * stride, findings);
  }
  return total;
}

std::set<int64_t> BytesOf(const ByteRuns<Needed>& runs) {
  std::set<int64_t> bytes;
  for (const auto& [begin, run] : runs) {
    for (int64_t i = begin; i < run.end; ++i) bytes.insert(i);
  }
  return bytes;
}

TEST(Repeated, EqualsTheLoopWrittenOut) {
  std::minstd_rand random(17);
  int exact = 0, rounds = 0;
  for (; rounds < 2000; ++rounds) {
    std::vector<Effect> bodies(1 + random() % 3);
    Findings findings;
    for (Effect& body : bodies) {
      for (uint32_t i = 0; i < 1 + random() % 3; ++i) {
        const auto at = static_cast<int64_t>(random() % 12);
        const int64_t end = at + 1 + static_cast<int64_t>(random() % 6);
        if (random() % 2 == 0) {
          body.Read(at, end, For(1), findings);
        } else {
          body.Write(at, end, By(1), findings);
        }
      }
    }
    std::vector<const Effect*> phases;
    for (const Effect& body : bodies) phases.push_back(&body);
    if (random() % 4 == 0) phases.assign(phases.size(), phases[0]);
    const int64_t stride = static_cast<int64_t>(random() % 21) - 10;
    const auto trips = static_cast<int64_t>(random() % 60);
    const Effect total = Repeated(phases, stride, trips, kAnyWork, findings);
    const Effect expected = WrittenOut(phases, stride, trips);
    ASSERT_EQ(total.written(), expected.written()) << "round " << rounds;
    const std::set<int64_t> needed = BytesOf(total.needed());
    const std::set<int64_t> min = BytesOf(expected.needed());
    // Repeated may need more than is read: bytes that only a distant iteration writes count as
    // missing.
    ASSERT_TRUE(std::includes(needed.begin(), needed.end(), min.begin(), min.end()))
        << "round " << rounds;
    exact += needed == min;
  }
  EXPECT_GT(exact, rounds * 3 / 4);
}

TEST(Repeated, TakesNoMoreWorkForMoreTrips) {
  Effect body;
  Findings findings;
  body.Read(0, 16, For(1), findings);
  body.Write(16, 32, By(1), findings);
  const auto work = [&body](int64_t trips) {
    Findings counted;
    const Effect total = Repeated({&body, &body}, 16, trips, kAnyWork, counted);
    EXPECT_EQ(RangesOf(total.needed()), (Ranges{{0, 16}})) << "only the first slice";
    EXPECT_EQ(RangesOf(total.written()), (Ranges{{16, 16 * (trips + 1)}}));
    return counted.work;
  };
  EXPECT_EQ(work(1000), work(int64_t{1} << 32));
}

StridedBytes Strided(int64_t bits, int64_t offset,
                     const std::vector<std::pair<int64_t, int64_t>>& dims) {
  StridedBytes bytes = ElementAt(bits, offset);
  for (const auto& [count, stride] : dims) Extend(bytes, bits, count, stride);
  return bytes;
}

TEST(Strided, IsOneRunWhereNothingIsLeftOut) {
  const StridedBytes bytes = Strided(32, 5, {{3, 8}, {8, 1}, {7, 0}});
  EXPECT_EQ(bytes.dim_count, 0u);
  EXPECT_EQ(bytes.first_byte, 20);
  EXPECT_EQ(bytes.run_bytes, 3 * 8 * 4);
}

TEST(Strided, BeginsAtTheLowestByteOfANegativeStride) {
  const StridedBytes bytes = Strided(16, 9, {{4, -3}});
  std::vector<int64_t> starts;
  bytes.ForEachRun([&](int64_t at) { starts.push_back(at); });
  EXPECT_EQ(starts, (std::vector<int64_t>{0, 6, 12, 18}));
  EXPECT_EQ(bytes.run_bytes, 2);
  EXPECT_EQ(bytes.RunCount(), 4);
}

TEST(Strided, IsEmptyWhereADimIs) {
  EXPECT_EQ(Strided(32, 0, {{4, 1}, {0, 4}}).RunCount(), 0);
  EXPECT_EQ(Strided(32, 0, {}).run_bytes, 4) << "rank 0 is one element";
  EXPECT_EQ(Strided(4, 0, {{5, 1}}).run_bytes, 3) << "packed, rounded up";
}

}  // namespace
}  // namespace weft::plan
