// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/problem.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "converter/plan/problem_csv.h"
#include "tests/converter/plan/problems.h"

namespace weft::plan {
namespace {

using Lines = std::vector<std::string>;

Lines FaultsOf(const std::string& text) {
  Faults faults;
  EXPECT_FALSE(FromCsv(text, "p.csv", faults));
  return faults.lines();
}

TEST(Problem, ALifetimeWithoutItsGapsIsWhatIsLive) {
  const Buffer buffer{
      .name = "a", .bytes = 1, .lifetime = {2, 9}, .gaps = {{2, 3}, {5, 6}, {8, 9}}};
  EXPECT_EQ(LiveRanges(buffer), (std::vector<TimeRange>{{3, 5}, {6, 8}}));
  EXPECT_EQ(LiveRanges({"a", 1, {2, 9}}), (std::vector<TimeRange>{{2, 9}}));
  EXPECT_TRUE(LiveRanges({"a", 1, {2, 9}, {{2, 9}}}).empty());
}

TEST(Problem, ThePeakIsTheFirstOfTheFullestMoments) {
  const std::vector<Buffer> buffers = {{"a", 10, {0, 4}}, {"b", 10, {2, 3}}, {"c", 10, {3, 5}}};
  EXPECT_EQ(PeakOf(buffers).time, 2);
  EXPECT_EQ(PeakOf(buffers).bytes, 20);
  EXPECT_EQ(PeakOf(buffers, 16).bytes, 32);
  EXPECT_EQ(PeakOf({}).bytes, 0);
}

TEST(Problem, GapsLowerThePeak) {
  const std::vector<Buffer> buffers = {{"a", 10, {0, 9}, {{3, 6}}}, {"b", 10, {3, 6}}};
  EXPECT_EQ(PeakOf(buffers).bytes, 10);
}

TEST(Problem, TheBoundCountsWhatAlignmentTakesBelowTheTopmost) {
  Problem problem;
  problem.buffers = {{"a", 20, {0, 2}}, {"b", 20, {0, 2}}};
  EXPECT_EQ(LowerBound(problem), 40);
  for (Buffer& buffer : problem.buffers) buffer.alignment_bytes = 16;
  EXPECT_EQ(LowerBound(problem), 64 - 15);  // 52 are needed
  problem.buffers[0].fixed_offset_bytes = 96;
  EXPECT_EQ(LowerBound(problem), 116);
  EXPECT_EQ(LowerBound({}), 0);
}

TEST(Problem, NearBuffersCountOnceWhereTheyShare) {
  const std::vector<Buffer> buffers = {{"x", 100, {0, 3}}, {"y", 80, {2, 5}}};
  const auto peak = [&](int64_t before, int64_t after) {
    return PeakOf(buffers, 1, std::vector<AllowedOverlap>{{0, 1, before, after}});
  };
  EXPECT_EQ(peak(80, 100).bytes, 180);
  EXPECT_EQ(peak(10, 100).bytes, 110);  // y before x
  EXPECT_EQ(peak(80, 30).bytes, 110);   // x before y
  EXPECT_EQ(peak(0, 100).bytes, 100);
  EXPECT_EQ(peak(10, 100).time, 2);
}

TEST(ProblemCsv, NearsStandInTheLineOfTheSecondBuffer) {
  Problem problem;
  problem.buffers = {{"x", 4, {0, 3}}, {"y", 8, {2, 9}}, {"z", 8, {2, 9}}};
  problem.allowed_overlaps = {{0, 1, 2, 4}, {2, 1, 8, 0}};
  const std::string text = "id,lower,upper,size,near\nx,0,3,4,\ny,2,9,8,0:2:4 2:8:0\nz,2,9,8,\n";
  EXPECT_EQ(ToCsv(problem), text);
  Faults faults;
  EXPECT_EQ(FromCsv(text, "p.csv", faults), problem);
}

TEST(ProblemCsv, NamesAWrongNear) {
  const std::string header = "id,lower,upper,size,near\n";
  const std::string must = "\"; must be X:BEFORE:BEHIND with X the index of another buffer";
  for (const std::string wrong : {"0:1:2", "x:1:2", "1:1", "1:1:2:3", "1:-1:2", "1::2"}) {
    EXPECT_EQ(FaultsOf(header + "a,0,3,4," + wrong + "\nb,0,3,4,\n"),
              Lines{"p.csv:2: near is \"" + wrong + must});
  }
  EXPECT_EQ(FaultsOf(header + "a,0,3,4,1:1:2\n"),
            Lines{"p.csv: near of \"a\" refers to buffer 1; must be below 1"});
  EXPECT_EQ(FaultsOf(header + "a,0,3,4,1:1:2\nb,0,3,4,0:1:2\n"),
            Lines{"p.csv: the near pair \"a\" and \"b\" is given twice; must be given once"});
}

TEST(ProblemCsv, ReadsTheFormOfTheBenchmarks) {
  Faults faults;
  const auto problem = FromCsv("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n", "p.csv", faults);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->buffers, (std::vector<Buffer>{{"b1", 4, {0, 3}}, {"b2", 4, {3, 9}}}));
  EXPECT_EQ(problem->memories, std::vector<Memory>(1));
}

TEST(ProblemCsv, ReadsColumnsInAnyOrderAndEmptyCells) {
  Faults faults;
  const auto problem = FromCsv(
      "gaps,size,offset,id,hint,upper,alignment,lower,traffic\r\n"
      ",4,,a,,3,,0,\r\n"
      "\r\n"
      "4-5 6-8,4,32,b,16,9,16,3,2.5\r\n",
      "p.csv", faults);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->buffers[0], (Buffer{"a", 4, {0, 3}}));
  EXPECT_EQ(problem->buffers[1], (Buffer{"b", 4, {3, 9}, {{4, 5}, {6, 8}}, 16, 32, 16, 2.5}));
}

TEST(ProblemCsv, WritesTheColumnsThatAreNeeded) {
  Problem problem;
  problem.buffers = {{"a", 4, {0, 3}}, {"b,\n", 8, {3, 9}}};
  EXPECT_EQ(ToCsv(problem), "id,lower,upper,size\na,0,3,4\nb__,3,9,8\n");
  problem.buffers[1].gaps = {{4, 5}, {6, 7}};
  EXPECT_EQ(ToCsv(problem), "id,lower,upper,size,gaps\na,0,3,4,\nb__,3,9,8,4-5 6-7\n");
  const Placement placement = {{{0, 16}, {0, 0}}, {20}};
  EXPECT_EQ(ToCsv(problem, &placement),
            "id,lower,upper,size,gaps,offset\na,0,3,4,,16\nb__,3,9,8,4-5 6-7,0\n");
}

TEST(ProblemCsv, WhatIsWrittenIsReadAgain) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Problem problem = RandomProblem(random, {.gaps = round % 2 == 0,
                                             .alignments = round % 3 == 0,
                                             .fixed = round % 5 == 0,
                                             .allowed_overlaps = round % 4 == 0});
    problem.memories = {{}};
    if (round % 7 == 0 && !problem.buffers.empty()) problem.buffers[0].hint_bytes = 64;
    Faults faults;
    const auto again = FromCsv(ToCsv(problem), "p.csv", faults);
    ASSERT_TRUE(again) << faults.lines()[0];
    EXPECT_EQ(*again, problem);
  }
}

TEST(ProblemCsv, RefusesAHeaderWithOneLine) {
  EXPECT_EQ(FaultsOf(""), Lines{"p.csv: is empty; must begin with a header"});
  EXPECT_EQ(FaultsOf("id,lower,size\n"),
            Lines{"p.csv:1: column \"upper\" is missing; must be given"});
  EXPECT_EQ(FaultsOf("id,lower,upper,size,lower\n"),
            Lines{"p.csv:1: column \"lower\" appears twice; must appear once"});
  EXPECT_EQ(FaultsOf("id,lower,upper,size,color\nx\n"),
            Lines{"p.csv:1: column \"color\" is unknown; must be one of id lower upper size "
                  "alignment gaps offset hint traffic near"});
}

TEST(ProblemCsv, NamesWhatIsWrongWithEachLine) {
  const std::string header = "id,lower,upper,size,alignment,gaps,offset,hint,traffic\n";
  const std::string gaps =
      "must be BEGIN-END within the lifetime, in increasing order, separated by spaces";
  const std::string number = "; must be an integer from 0 to 1099511627776";
  for (const auto& [line, fault] : std::vector<std::pair<std::string, std::string>>{
           {"a,0,3", "has 3 fields; must have 9, like the header"},
           {"a,0,3,4,,,,,,", "has 10 fields; must have 9, like the header"},
           {",0,3,4,,,,,", "id is \"\"; must be a name"},
           {"a,x,3,4,,,,,", "lower is \"x\"" + number},
           {"a,0,,4,,,,,", "upper is \"\"" + number},
           {"a,-1,3,4,,,,,", "lower is \"-1\"" + number},
           {"a,0,3,4.5,,,,,", "size is \"4.5\"" + number},
           {"a,0,3,1099511627777,,,,,", "size is \"1099511627777\"" + number},
           {"a,0,3,99999999999999999999,,,,,", "size is \"99999999999999999999\"" + number},
           {"a,3,3,4,,,,,", "lifetime is [3, 3); must not be empty"},
           {"a,4,3,4,,,,,", "lifetime is [4, 3); must not be empty"},
           {"a,0,3,4,0,,,,", "alignment is \"0\"; must be an integer from 1 to 1099511627776"},
           {"a,0,3,4,,,x,,", "offset is \"x\"" + number},
           {"a,0,3,4,,,,-1,", "hint is \"-1\"" + number},
           {"a,0,3,4,,,,,-1", "traffic is \"-1\"; must be a number of bytes, 0 or more"},
           {"a,0,3,4,,,,,nan", "traffic is \"nan\"; must be a number of bytes, 0 or more"},
           {"a,0,9,4,,1,,,", "gaps is \"1\"; " + gaps},
           {"a,0,9,4,,1-2-3,,,", "gaps is \"1-2-3\"; " + gaps},
           {"a,0,9,4,,x-y,,,", "gaps is \"x-y\"; " + gaps},
           {"a,0,9,4,,2-1,,,", "gaps is \"2-1\"; " + gaps},
           {"a,0,9,4,,1-10,,,", "gaps is \"1-10\"; " + gaps},
           {"a,3,9,4,,1-4,,,", "gaps is \"1-4\"; " + gaps},
           {"a,0,9,4,,4-6 5-7,,,", "gaps is \"4-6 5-7\"; " + gaps},
           {"a,0,9,4,,1-4@0:2,,,", "gaps is \"1-4@0:2\"; " + gaps}}) {
    EXPECT_EQ(FaultsOf(header + line + "\n"), Lines{"p.csv:2: " + fault}) << line;
  }
  EXPECT_EQ(FaultsOf(header + "a,0,3,x,,,,,\nb,0,3,4,,,,,\nc,0,3,y,,,,,\n").size(), 2u);
}

}  // namespace
}  // namespace weft::plan
