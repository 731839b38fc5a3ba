// SPDX-License-Identifier: Apache-2.0
#include "converter/base/liveness_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/rounds.h"

namespace weft {
namespace {

constexpr ByteSpan kAll = {0, 16};
using Ranges = std::vector<TimeRange>;

struct LivenessAnalysisTest : testing::Test {
  void Read(uint32_t value) { Step(value, TouchKind::kRead); }
  void Make(uint32_t value) { Step(value, TouchKind::kWriteAll); }
  void Step(uint32_t value, TouchKind kind, ByteSpan bytes = kAll) {
    analysis.Touch(value, kind, bytes);
    analysis.Advance();
  }
  // The entry, the begin and end of a run, and leaving have separate times.
  void Enter(const LivenessAnalysis::Section& section) {
    analysis.Enter(section);
    analysis.Advance();
  }
  void Leave() {
    analysis.Leave();
    analysis.Advance();
  }
  void BeginRun() {
    analysis.BeginRun();
    analysis.Advance();
  }
  void EndRun() {
    analysis.EndRun();
    analysis.Advance();
  }
  Ranges RangesOf(uint32_t value) { return analysis.Ranges()[value]; }

  LivenessAnalysis analysis{4};
};

TEST_F(LivenessAnalysisTest, AValueThatIsMadeAnewHoldsNothingBeforeThat) {
  Make(0);
  Read(0);
  Read(1);
  Make(0);
  Read(0);
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 2}, {3, 5}}));
}

TEST_F(LivenessAnalysisTest, APartThatIsWrittenMakesNoGap) {
  Make(0);
  Read(0);
  Read(1);
  Step(0, TouchKind::kWriteAll, {0, 8});
  Read(0);
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 5}}));
}

TEST_F(LivenessAnalysisTest, WhatIterationsMoveThroughHasNoGap) {
  Make(0);
  Read(0);
  Read(1);
  Make(0);
  Read(0);
  analysis.KeepWhole(0);
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 5}}));
}

TEST_F(LivenessAnalysisTest, AStateIsDeadFromItsLastReadToItsWrite) {
  Make(0);                               // 0
  Enter({.copies = 1, .max_trips = 5});  // 1
  BeginRun();                            // 2
  Read(0);                               // 3
  Read(1);                               // 4
  Make(0);                               // 5
  EndRun();                              // 6
  Leave();                               // 7
  Read(0);                               // 8
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 4}, {5, 9}}));
}

// A ping-pong pair of states: one is read while the other is written.
TEST_F(LivenessAnalysisTest, APairOfStatesIsDeadByTurns) {
  Make(0);                               // 0
  Enter({.copies = 2, .max_trips = 6});  // 1
  BeginRun();                            // 2
  Read(2);                               // 3
  Make(1);                               // 4
  Read(0);                               // 5
  EndRun();                              // 6
  BeginRun();                            // 7
  Read(2);                               // 8
  Make(0);                               // 9
  Read(1);                               // 10
  EndRun();                              // 11
  BeginRun();                            // 12: an epilogue, after an odd number
  Read(1);                               // 13
  Make(0);                               // 14
  EndRun();                              // 15
  Leave();                               // 16
  Read(0);                               // 17
  const std::vector<Ranges> ranges = analysis.Ranges();
  EXPECT_EQ(ranges[0], (Ranges{{0, 6}, {9, 12}, {14, 18}}));
  EXPECT_EQ(ranges[1], (Ranges{{4, 11}, {12, 14}}));
}

TEST_F(LivenessAnalysisTest, WhatTheLastIterationLeavesIsDeadInEachBeforeItIsMade) {
  Make(0);                               // 0: not needed, because there are iterations
  Enter({.copies = 1, .max_trips = 5});  // 1
  BeginRun();                            // 2
  Read(1);                               // 3
  Make(0);                               // 4
  EndRun();                              // 5
  Leave();                               // 6
  Read(0);                               // 7
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 1}, {4, 8}}));
}

TEST_F(LivenessAnalysisTest, ALoopThatMayRunNothingKeepsWhatItWouldMake) {
  Make(0);                                                 // 0
  Enter({.copies = 1, .max_trips = 5, .may_skip = true});  // 1
  BeginRun();                                              // 2
  Read(1);                                                 // 3
  Make(0);                                                 // 4
  EndRun();                                                // 5
  Leave();                                                 // 6
  Read(0);                                                 // 7
  EXPECT_EQ(RangesOf(0), (Ranges{{0, 2}, {4, 8}}));
}

TEST_F(LivenessAnalysisTest, ABranchDoesNotNeedWhatTheOtherOneReadsOrMakes) {
  Make(0);                                                       // 0
  Enter({.may_skip = true, .condition = 3, .runs_when = true});  // 1
  BeginRun();                                                    // 2
  Read(1);                                                       // 3
  Make(2);                                                       // 4
  EndRun();                                                      // 5
  Leave();                                                       // 6
  analysis.Touch(3, TouchKind::kRead, kAll);
  Enter({.may_skip = true, .condition = 3, .runs_when = false});  // 7
  BeginRun();                                                     // 8
  Read(0);                                                        // 9
  Make(2);                                                        // 10
  EndRun();                                                       // 11
  Leave();                                                        // 12
  Read(2);                                                        // 13
  const std::vector<Ranges> ranges = analysis.Ranges();
  EXPECT_EQ(ranges[0], (Ranges{{0, 2}, {7, 10}}));
  EXPECT_EQ(ranges[2], (Ranges{{4, 8}, {10, 14}}));
}

// ---- random listings ----------------------------------------------------------------------------

constexpr uint32_t kValues = 6;

// A random listing that can be executed: the value of a read must have been live since its write.
class Listing {
 public:
  explicit Listing(uint32_t seed) : random_(seed) { Fill(root_, 0); }

  LivenessAnalysis Analyse() {
    LivenessAnalysis analysis(kValues);
    for (uint32_t value = 0; value < kValues; ++value) {
      analysis.Touch(value, TouchKind::kWriteAll, kAll);
    }
    analysis.Advance();
    Describe(root_, analysis);
    for (uint32_t value = 0; value < kValues; ++value) {
      analysis.Touch(value, TouchKind::kRead, kAll);
    }
    return analysis;
  }

  // The times that an execution visits, in order.
  std::vector<int64_t> Execute() {
    moments_.assign(1, 0);
    Execute(root_);
    moments_.push_back(end_);
    return std::move(moments_);
  }

  // Accesses by time: at most one value each, except the first and last time, which access all
  // values.
  struct Touched {
    uint32_t value = kValues;
    TouchKind kind = TouchKind::kRead;
  };
  std::vector<Touched> touched;

 private:
  struct Node;
  using Nodes = std::vector<Node>;
  struct Node {
    int64_t time = 0;
    Touched touch;
    bool is_section = false;
    LivenessAnalysis::Section section;
    std::vector<Nodes> runs;
  };
  size_t Below(size_t end) { return random_() % end; }

  void Fill(Nodes& nodes, int depth) {
    for (size_t i = Below(6); i > 0; --i) {
      if (depth < 3 && Below(3) == 0) {
        AddSection(nodes, depth);
        continue;
      }
      Node& step = nodes.emplace_back();
      const TouchKind kinds[] = {TouchKind::kRead, TouchKind::kWrite, TouchKind::kWriteAll};
      step.touch = {static_cast<uint32_t>(Below(kValues)), kinds[Below(3)]};
    }
  }

  void AddSection(Nodes& nodes, int depth) {
    Node node;
    node.is_section = true;
    if (Below(3) == 0) {
      node.section.may_skip = true;
      node.section.condition = static_cast<uint32_t>(Below(kValues));
      node.section.runs_when = Below(2) == 0;
    } else {
      node.section.copies = static_cast<uint32_t>(1 + Below(3));
      node.section.max_trips = static_cast<int64_t>(1 + Below(7));
      node.section.may_end_early = Below(3) == 0;
      node.section.may_skip = Below(3) == 0;
    }
    for (uint32_t run = 0; run < 2 * node.section.copies - 1; ++run) {
      Fill(node.runs.emplace_back(), depth + 1);
    }
    nodes.push_back(node);
    if (!node.section.condition || Below(4) == 0) return;
    node.section.runs_when = !node.section.runs_when;  // the other branch of an If
    node.runs.assign(1, {});
    Fill(node.runs[0], depth + 1);
    nodes.push_back(std::move(node));
  }

  void Describe(Nodes& nodes, LivenessAnalysis& analysis) {
    for (Node& node : nodes) {
      node.time = analysis.now();
      if (!node.is_section) {
        analysis.Touch(node.touch.value, node.touch.kind, kAll);
        Note(node.time, node.touch);
        analysis.Advance();
        continue;
      }
      if (node.section.condition) {
        analysis.Touch(*node.section.condition, TouchKind::kRead, kAll);
        Note(node.time, {*node.section.condition, TouchKind::kRead});
      }
      analysis.Enter(node.section);
      analysis.Advance();
      for (Nodes& run : node.runs) {
        analysis.BeginRun();
        analysis.Advance();
        Describe(run, analysis);
        analysis.EndRun();
        analysis.Advance();
      }
      analysis.Leave();
      analysis.Advance();
    }
    end_ = analysis.now();
  }

  void Note(int64_t time, const Touched& touch) {
    touched.resize(std::max(touched.size(), static_cast<size_t>(time) + 1));
    touched[static_cast<size_t>(time)] = touch;
  }

  // A condition that no step of the branches writes is the same for both.
  void Execute(const Nodes& nodes) {
    bool condition = false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      moments_.push_back(node.time);
      if (!node.is_section) continue;
      const auto& section = node.section;
      if (section.condition) {
        const bool is_second = i > 0 && nodes[i - 1].is_section &&
                               nodes[i - 1].section.condition == section.condition &&
                               nodes[i - 1].section.runs_when != section.runs_when;
        if (!is_second) condition = Below(2) == 0;
        if (condition == section.runs_when) Execute(node.runs[0]);
        continue;
      }
      if (section.may_skip && Below(3) == 0) continue;
      const int64_t trips =
          section.may_end_early
              ? 1 + static_cast<int64_t>(Below(static_cast<size_t>(section.max_trips)))
              : section.max_trips;
      for (int64_t trip = 0; trip < trips; ++trip) {
        Execute(node.runs[static_cast<size_t>(trip) % section.copies]);
      }
      const auto rest = static_cast<size_t>(trips) % section.copies;
      if (rest > 0) Execute(node.runs[section.copies + rest - 1]);
    }
  }

  std::minstd_rand random_;
  Nodes root_;
  int64_t end_ = 0;
  std::vector<int64_t> moments_;
};

bool IsIn(const Ranges& ranges, int64_t time) {
  return std::ranges::any_of(
      ranges, [&](const TimeRange& range) { return range.begin <= time && time < range.end; });
}

// All values are read at the end of the listing, outside all loops, so that the maximum ranges do
// not hide errors.
TEST(LivenessAnalysisByChance, NothingThatAnExecutionReadsWasDeadSinceItWasWritten) {
  int64_t moments_with_gaps = 0;
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(Rounds(3000)); ++seed) {
    Listing listing(seed);
    const std::vector<Ranges> ranges = listing.Analyse().Ranges();
    for (const Ranges& each : ranges) moments_with_gaps += each.size() > 1;
    for (int execution = 0; execution < 4; ++execution) {
      const std::vector<int64_t> moments = listing.Execute();
      for (uint32_t value = 0; value < kValues; ++value) {
        size_t live_since = 0;  // index of the time since which it has been live
        size_t made = 0;        // index of the last write
        for (size_t i = 0; i < moments.size(); ++i) {
          if (!IsIn(ranges[value], moments[i])) live_since = i + 1;
          const auto at = static_cast<size_t>(moments[i]);
          const bool is_last = i + 1 == moments.size();
          const bool touches =
              is_last || (at < listing.touched.size() && listing.touched[at].value == value);
          if (!touches) continue;
          ASSERT_TRUE(IsIn(ranges[value], moments[i])) << "seed " << seed;
          const TouchKind kind = is_last ? TouchKind::kRead : listing.touched[at].kind;
          if (kind == TouchKind::kWriteAll) made = i;
          if (kind == TouchKind::kRead) {
            ASSERT_LE(live_since, made)
                << "seed " << seed << ", value " << value << ", moment " << at;
          }
        }
      }
    }
  }
  EXPECT_GT(moments_with_gaps, Rounds(3000));
}

}  // namespace
}  // namespace weft
