// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/validate_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <vector>

#include "converter/plan/solve.h"
#include "tests/converter/plan/problems.h"
#include "tests/rounds.h"

namespace weft::plan {
namespace {

// Returns "rule: text" for each violation.
std::vector<std::string> FaultsOf(const Problem& problem, const Placement& placement) {
  // In the order of PlacementRule.
  constexpr const char* kRules[] = {"complete", "alignment", "fixed offset", "capacity",
                                    "overlap",  "near",      "weights"};
  std::vector<std::string> lines;
  for (const PlacementFault& fault : ValidatePlacement(problem, placement)) {
    lines.push_back(std::string(kRules[static_cast<size_t>(fault.rule)]) + ": " + fault.text);
  }
  return lines;
}

using Lines = std::vector<std::string>;

Problem TwoBuffers() {
  Problem problem;
  problem.buffers = {{"a", 64, {0, 4}, {}, 16}, {"b", 32, {3, 9}, {}, 16}};
  problem.memories = {{"m", 128}};
  return problem;
}

TEST(ValidatePlacement, AcceptsWhatIsApart) {
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, 64}}, {96}}), Lines{});
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 32}, {0, 0}}, {96}}), Lines{});
  EXPECT_EQ(FaultsOf({}, {{}, {0}}), Lines{});
}

TEST(ValidatePlacement, NamesAnOverlap) {
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, 48}}, {96}}),
            Lines{"overlap: buffers \"a\" and \"b\": share bytes [48, 64) of memory 0 at time 3; "
                  "must be disjoint"});
}

TEST(ValidatePlacement, LetsLivesThatDoNotMeetShareBytes) {
  Problem problem = TwoBuffers();
  problem.buffers[1].lifetime.begin = 4;
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 0}}, {64}}), Lines{});
}

TEST(ValidatePlacement, LetsOthersLieInAGap) {
  Problem problem = TwoBuffers();
  problem.buffers[0].lifetime.end = 12;
  problem.buffers[0].gaps = {{3, 9}};
  const Placement placement = {{{0, 0}, {0, 0}}, {64}};
  EXPECT_EQ(FaultsOf(problem, placement), Lines{});
  problem.buffers[0].gaps = {{3, 8}};
  EXPECT_EQ(FaultsOf(problem, placement).size(), 1u);
  problem.buffers[0].gaps = {{4, 9}};
  EXPECT_EQ(FaultsOf(problem, placement).size(), 1u);
}

TEST(ValidatePlacement, AGapAtAnEndIsNoTimeAlive) {
  Problem problem = TwoBuffers();
  problem.buffers[0].gaps = {{3, 4}};
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 0}}, {64}}), Lines{});
  problem.buffers[0].lifetime = {3, 12};
  problem.buffers[0].gaps = {{3, 9}};
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 0}}, {64}}), Lines{});
}

TEST(ValidatePlacement, NamesAWrongAlignment) {
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, 72}}, {104}}),
            Lines{"alignment: buffer \"b\": offset is 72; must be a multiple of 16"});
}

TEST(ValidatePlacement, NamesAFixedOffsetThatIsAnother) {
  Problem problem = TwoBuffers();
  problem.buffers[1].fixed_offset_bytes = 80;
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 80}}, {112}}), Lines{});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 64}}, {96}}),
            Lines{"fixed offset: buffer \"b\": offset is 64 in memory 0; must be 80 in memory 0"});
}

TEST(ValidatePlacement, NamesWhatIsBeyondACapacity) {
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, 112}}, {144}}),
            Lines{"capacity: buffer \"b\": ends at byte 144 of memory 0; must end within 128"});
}

TEST(ValidatePlacement, NamesWhatIsIncomplete) {
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}}, {64}}),
            Lines{"complete: the placement has 1 buffers and 1 memories; must have 2 and 1"});
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {1, 64}}, {96}}),
            Lines{"complete: buffer \"b\": memory is 1; must be below 1"});
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, -16}}, {96}}),
            Lines{"complete: buffer \"b\": offset is -16; must be 0 or more, and its end below "
                  "2^63"});
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, INT64_MAX}}, {96}}).size(), 1u);
  EXPECT_EQ(FaultsOf(TwoBuffers(), {{{0, 0}, {0, 64}}, {95}}),
            Lines{"complete: buffer \"b\": ends at byte 96 of memory 0; must end within the 95 "
                  "reported as used"});
}

TEST(ValidatePlacement, LetsNearBuffersOverlapAtTheirDistances) {
  Problem problem = TwoBuffers();  // a is live until 4, b from 3 on
  problem.allowed_overlaps = {{0, 1, 16, 48}};
  EXPECT_EQ(FaultsOf(problem, {{{0, 16}, {0, 0}}, {80}}), Lines{});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 48}}, {80}}), Lines{});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 32}}, {80}}),
            Lines{"near: buffer \"b\": begins 32 bytes after \"a\"; must begin at least 16 before "
                  "or 48 after"});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 0}}, {64}}),
            Lines{"near: buffer \"b\": begins 0 bytes before \"a\"; must begin at least 16 before "
                  "or 48 after"});
  problem.allowed_overlaps[0].before_bytes = 17;
  EXPECT_EQ(FaultsOf(problem, {{{0, 16}, {0, 0}}, {80}}).size(), 1u);
}

TEST(ValidatePlacement, OthersStayApartFromNearBuffers) {
  Problem problem = TwoBuffers();
  problem.allowed_overlaps = {{0, 1, 0, 0}};
  problem.buffers.push_back({"c", 16, {3, 4}, {}, 16});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 32}, {0, 64}}, {80}}), Lines{});
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 32}, {0, 48}}, {80}}).size(), 2u);
  EXPECT_EQ(FaultsOf(problem, {{{0, 0}, {0, 32}, {0, 16}}, {80}}),
            Lines{"overlap: buffers \"a\" and \"c\": share bytes [16, 32) of memory 0 at time 3; "
                  "must be disjoint"});
}

// Reference implementation: every pair at every time, quadratic on purpose.
constexpr size_t kTimes = 80;

std::bitset<kTimes> LiveAt(const Buffer& buffer) {
  std::bitset<kTimes> live;
  for (int64_t t = buffer.lifetime.begin; t < buffer.lifetime.end; ++t) live.set(t);
  for (const TimeRange& gap : buffer.gaps) {
    for (int64_t t = gap.begin; t < gap.end; ++t) live.reset(t);
  }
  return live;
}

bool AnyPairOverlaps(const Problem& problem, const Placement& placement) {
  std::vector<std::bitset<kTimes>> live;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    live.push_back(LiveAt(problem.buffers[i]));
    for (size_t k = 0; k < i; ++k) {
      const Placed &a = placement.buffers[i], &b = placement.buffers[k];
      const auto is_pair = [&](const AllowedOverlap& overlap) {
        return (overlap.x == i && overlap.y == k) || (overlap.x == k && overlap.y == i);
      };
      if (std::any_of(problem.allowed_overlaps.begin(), problem.allowed_overlaps.end(), is_pair))
        continue;
      if (a.memory == b.memory && a.offset_bytes < b.offset_bytes + problem.buffers[k].bytes &&
          b.offset_bytes < a.offset_bytes + problem.buffers[i].bytes && (live[i] & live[k]).any()) {
        return true;
      }
    }
  }
  return false;
}

bool AnyPairIsTooClose(const Problem& problem, const Placement& placement) {
  return std::any_of(
      problem.allowed_overlaps.begin(), problem.allowed_overlaps.end(),
      [&](const AllowedOverlap& overlap) {
        const Placed &x = placement.buffers[overlap.x], &y = placement.buffers[overlap.y];
        return x.memory == y.memory &&
               (LiveAt(problem.buffers[overlap.x]) & LiveAt(problem.buffers[overlap.y])).any() &&
               y.offset_bytes > x.offset_bytes - overlap.before_bytes &&
               y.offset_bytes < x.offset_bytes + overlap.after_bytes;
      });
}

bool Names(const std::vector<PlacementFault>& faults, PlacementRule rule) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const PlacementFault& fault) { return fault.rule == rule; });
}

// Changes one offset or memory of a valid placement; the reference implementation decides whether
// the result is still valid.
TEST(ValidatePlacement, FindsTheOverlapsOfMutants) {
  std::mt19937 random(17);
  int wrong = 0, right = 0;
  for (int round = 0; round < Rounds(3000); ++round) {
    const Shape shape = {
        .gaps = round % 2 == 0, .memories = 1 + round % 3, .allowed_overlaps = round % 4 > 1};
    const Problem problem = RandomProblem(random, shape);
    if (problem.buffers.empty()) continue;
    Placement placement = Solve(problem);
    ASSERT_TRUE(ValidatePlacement(problem, placement).empty());
    Placed& changed = placement.buffers[random() % problem.buffers.size()];
    changed.offset_bytes = static_cast<int64_t>(random() % 4096);
    changed.memory = static_cast<uint32_t>(random()) % static_cast<uint32_t>(shape.memories);
    const bool is_wrong = AnyPairOverlaps(problem, placement);
    EXPECT_EQ(Names(ValidatePlacement(problem, placement), PlacementRule::kOverlap), is_wrong);
    EXPECT_EQ(Names(ValidatePlacement(problem, placement), PlacementRule::kOverlapping),
              AnyPairIsTooClose(problem, placement));
    (is_wrong ? wrong : right) += 1;
  }
  EXPECT_GT(wrong, Rounds(500));
  EXPECT_GT(right, Rounds(500));
}

TEST(ValidatePlacement, FindsTheOtherFaultsOfMutants) {
  std::mt19937 random(19);
  for (int round = 0; round < Rounds(500); ++round) {
    Problem problem = RandomProblem(random, {.alignments = true, .fixed = true});
    if (problem.buffers.empty()) continue;
    const Placement placement = Solve(problem);
    const size_t i = random() % problem.buffers.size();
    Placement mutant = placement;
    mutant.buffers[i].offset_bytes += 1;
    const std::vector<PlacementFault> faults = ValidatePlacement(problem, mutant);
    EXPECT_EQ(Names(faults, PlacementRule::kAlignment), problem.buffers[i].alignment_bytes > 1);
    EXPECT_EQ(Names(faults, PlacementRule::kFixedOffset),
              problem.buffers[i].fixed_offset_bytes.has_value());
    problem.memories[0].capacity_bytes = placement.used_bytes[0] - 1;
    EXPECT_TRUE(Names(ValidatePlacement(problem, placement), PlacementRule::kCapacity));
  }
}

}  // namespace
}  // namespace weft::plan
