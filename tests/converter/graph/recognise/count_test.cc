// SPDX-License-Identifier: Apache-2.0
// Trip counts derived from conditions, and conditions that stay.
#include <gtest/gtest.h>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/rewrite.h"
#include "tests/converter/counted_loop.h"

namespace weft {
namespace {

struct Outcome {
  int64_t trips = 0;
  bool condition_is_known = false;
  size_t parameters = 0;
};
bool operator==(const Outcome& a, const Outcome& b) {
  return a.trips == b.trips && a.condition_is_known == b.condition_is_known &&
         a.parameters == b.parameters;
}
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.trips << " trips, condition " << outcome.condition_is_known << ", "
             << outcome.parameters << " parameters";
}

Outcome Recognised(CountedLoop& loop) {
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  Outcome outcome;
  outcome.trips = graph::IntsOf(loop.node->inputs[0]).at(0);
  if (const ir::Node* condition = loop.map().condition) {
    const std::vector<int64_t> known = graph::IntsOf(condition->inputs[0]);
    outcome.condition_is_known = known == std::vector<int64_t>{1};
  }
  outcome.parameters = loop.inside().parameters.size();
  return outcome;
}

// A state that doubles, so that the loop has an output.
void Doubles(CountedLoop& loop) {
  const TensorType type{ElementType::f32, {3}};
  const ir::Source state = loop.Input(loop.outer.Parameter(type));
  const ir::Source next = loop.Typed("Add", {state, state}, type);
  loop.GoesBack(next, state);
  loop.Last(next);
}

// Returns the outcome for the condition `counter (first, first + step, ...) + ahead COMPARISON
// limit`.
Outcome OutcomeOf(int64_t trips, int64_t first, int64_t step, int64_t ahead,
                  const std::string& comparison, int64_t limit) {
  CountedLoop loop(trips);
  Doubles(loop);
  const ir::Source counter = loop.Counter(first, step);
  const ir::Source next =
      loop.Typed("Add", {counter, loop.body.Int(ahead)}, {ElementType::i64, {}});
  loop.GoOn(loop.Compared(comparison, next, loop.body.Int(limit)));
  return Recognised(loop);
}

TEST(RecogniseCount, CountsTheIterationThatYieldsFalse) {
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 1, "Less", 5), (Outcome{5, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 0, "Less", 5), (Outcome{6, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 1, "Less", 1), (Outcome{1, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 9, 1, 0, "Less", 5), (Outcome{1, true, 1}));
}

TEST(RecogniseCount, KnowsEveryComparisonAndStep) {
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 1, "LessEqual", 5), (Outcome{6, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 7, -2, 0, "Greater", 0), (Outcome{5, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 8, -2, 0, "GreaterEqual", 0), (Outcome{6, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 0, 3, 3, "NotEqual", 12), (Outcome{4, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 0, "Equal", 0), (Outcome{2, true, 1}));
}

TEST(RecogniseCount, EndsAtTheTripCountWhenThatIsFirst) {
  EXPECT_EQ(OutcomeOf(3, 0, 1, 1, "Less", 5), (Outcome{3, true, 1}));
  EXPECT_EQ(OutcomeOf(5, 0, 1, 1, "Less", 5), (Outcome{5, true, 1}));
  EXPECT_EQ(OutcomeOf(9, 0, 1, 1, "Less", 5), (Outcome{5, true, 1}));
  EXPECT_EQ(OutcomeOf(3, 0, 1, 0, "GreaterEqual", 0), (Outcome{3, true, 1}));
}

TEST(RecogniseCount, LeavesAnEndlessLoop) {
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 0, "GreaterEqual", 0), (Outcome{-1, false, 2}));
}

bool Compares(const std::string& comparison, int64_t a, int64_t b) {
  if (comparison == "Less") return a < b;
  if (comparison == "LessEqual") return a <= b;
  if (comparison == "Greater") return a > b;
  if (comparison == "GreaterEqual") return a >= b;
  return comparison == "Equal" ? a == b : a != b;
}

constexpr const char* kComparisons[] = {"Less",         "LessEqual", "Greater",
                                        "GreaterEqual", "Equal",     "NotEqual"};

TEST(RecogniseCount, CountsAsTheIterationsDo) {
  for (const std::string comparison : kComparisons) {
    for (int64_t first = -3; first <= 4; ++first) {
      for (int64_t step = -3; step <= 3; ++step) {
        for (const int64_t trips : {-1, 1, 4, 30}) {
          for (const int64_t limit : {-5, 0, 1, 7}) {
            const int64_t max = trips < 0 ? 100 : trips;
            int64_t count = 1;
            while (count < max && Compares(comparison, first + (count - 1) * step + 2, limit)) {
              ++count;
            }
            const bool ends = trips > 0 || count < max;
            EXPECT_EQ(OutcomeOf(trips, first, step, 2, comparison, limit),
                      (Outcome{ends ? count : -1, ends, ends ? 1u : 2u}))
                << first << " + " << step << " i + 2 " << comparison << " " << limit;
          }
        }
      }
    }
  }
}

TEST(RecogniseCount, CountsLongLoops) {
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 0, "Less", 806400), (Outcome{806401, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 1 << 21, -7, 0, "Greater", 3), (Outcome{299594, true, 1}));
  EXPECT_EQ(OutcomeOf(-1, 0, 1, 0, "Less", 1 << 21), (Outcome{-1, false, 2}));
  // A counter of 32 bits may overflow before.
  EXPECT_EQ(OutcomeOf(-1, 0, 1 << 20, 0, "NotEqual", 1), (Outcome{-1, false, 2}));
}

// Neither state grows by the same number in each iteration.
TEST(RecogniseCount, CountsByStatesThatAreNoCounters) {
  for (const std::string step : {"Multiply", "Subtract"}) {
    CountedLoop loop(-1);
    Doubles(loop);
    const ir::Source counter = loop.Counter(3, 1), state = loop.Input(loop.outer.Int(2));
    loop.GoesBack(loop.Typed(step, {counter, state}, {ElementType::i64, {}}), state);
    loop.GoOn(loop.Compared("Less", state, loop.body.Int(step == "Multiply" ? 1000 : 8)));
    // 2 6 24 120 720 5040; 2 1 3 2 4 3 5 4 6 5 7 6 8
    EXPECT_EQ(Recognised(loop), (Outcome{step == "Multiply" ? 6 : 13, true, 1})) << step;
  }
}

TEST(RecogniseCount, CountsByAnExpressionOfCounters) {
  CountedLoop loop(-1);
  Doubles(loop);
  const TensorType type{ElementType::i64, {}};
  const ir::Source i = loop.Counter(0, 2), j = loop.Counter(50, -1);
  const ir::Source max = loop.Typed("Maximum", {i, j}, type);  // j up to iteration 16, then i
  const ir::Source sum =
      loop.Typed("Subtract", {loop.Typed("Multiply", {max, loop.body.Int(3)}, type), j}, type);
  loop.GoOn(loop.Compared("Less", sum, loop.body.Int(115)));
  // 100, 98, ..., 68, then 69, 76, ..., 111 and 118 in iteration 24
  EXPECT_EQ(Recognised(loop), (Outcome{25, true, 1}));
}

TEST(RecogniseCount, CountsByTheCurrentIteration) {
  CountedLoop loop(-1);
  Doubles(loop);
  const ir::Source limit = loop.Input(loop.outer.Int(4));
  loop.GoOn(loop.Compared("Less", loop.Iteration(), limit));
  EXPECT_EQ(Recognised(loop), (Outcome{5, true, 1}));
}

// The conditions read the next values of the counters.
TEST(RecogniseCount, JoinsTwoCountersAsKerasDoes) {
  const TensorType type{ElementType::i64, {}};
  for (const int64_t limit : {4, 806400}) {
    CountedLoop loop(-1);
    Doubles(loop);
    const auto ends = [&](int64_t last) {
      const ir::Source counter = loop.Input(loop.outer.Int(0));
      const ir::Source next = loop.Typed("Add", {counter, loop.body.Int(1)}, type);
      loop.GoesBack(next, counter);
      return loop.Compared("Less", next, loop.body.Int(last));
    };
    const ir::Source one = ends(limit + 3), other = ends(limit);
    loop.GoOn(loop.Compared("LogicalAnd", one, other));
    EXPECT_EQ(Recognised(loop), (Outcome{limit, true, 1}));
  }
}

// A condition that also depends on data ends with the counter at the latest.
TEST(RecogniseCount, BoundsAConditionOfData) {
  for (const int64_t limit : {1, 4, 5000, 806400}) {
    CountedLoop loop(-1);
    Doubles(loop);
    const ir::Source flag = loop.Input(loop.outer.Parameter({ElementType::boolean, {}}));
    const ir::Source next =
        loop.Typed("Add", {loop.Counter(0, 1), loop.body.Int(1)}, {ElementType::i64, {}});
    const ir::Source less = loop.Compared("Less", next, loop.body.Int(limit));
    loop.GoOn(loop.Compared("LogicalAnd", flag, less));
    EXPECT_EQ(Recognised(loop), (Outcome{limit, limit == 1, limit == 1 ? 1u : 3u}));
  }
}

TEST(RecogniseCount, LeavesWhatDataDecides) {
  CountedLoop loop(-1);
  Doubles(loop);
  const ir::Source counter = loop.Input(loop.outer.Parameter({ElementType::i64, {}}));
  loop.GoesBack(loop.Typed("Add", {counter, loop.body.Int(1)}, {ElementType::i64, {}}), counter);
  loop.GoOn(loop.Compared("Less", counter, loop.body.Int(4)));
  EXPECT_EQ(Recognised(loop), (Outcome{-1, false, 2}));
}

TEST(RecogniseCount, LeavesATripCountThatTheRunKnows) {
  CountedLoop loop(7);
  Doubles(loop);
  loop.node->inputs[0] = loop.outer.Parameter({ElementType::i64, {}});
  loop.GoOn(loop.Compared("Less", loop.Counter(0, 1), loop.body.Int(4)));
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  EXPECT_EQ(loop.node->inputs[0].node->type, "Parameter");
  EXPECT_EQ(loop.inside().parameters.size(), 2u);
  EXPECT_EQ(loop.node->bodies[0].max_trips, 5);  // the counts 0, 1, 2, 3 and 4
}

// TFLite computes the condition before the loop by the same operations.
TEST(RecogniseCount, EvaluatesTheFirstCondition) {
  for (const int64_t limit : {5, 0}) {
    CountedLoop loop(-1);
    const ir::Source counter = loop.Counter(0, 1);
    loop.GoOn(loop.Compared("Less", counter, loop.body.Int(5)));
    loop.node->inputs[1] = loop.outer.Add("Less", 1, {loop.outer.Int(0), loop.outer.Int(limit)});
    loop.Last(counter);
    loop.Close();
    graph::RecogniseCounts(loop.outer.graph);
    ASSERT_TRUE(loop.node->inputs[1].node->constant.has_value());
    EXPECT_EQ(loop.node->inputs[1].node->constant->bytes[0] != std::byte{0}, limit == 5);
  }
}

// The condition's Result is also an output and keeps its value.
TEST(RecogniseCount, GivesTheConditionAResultOfItsOwn) {
  CountedLoop loop(-1);
  const ir::Source next =
      loop.Typed("Add", {loop.Counter(0, 1), loop.body.Int(1)}, {ElementType::i64, {}});
  const ir::Source goes_on = loop.Compared("Less", next, loop.body.Int(3));
  loop.Last(goes_on);
  loop.map().condition = loop.map().outputs[0].result;
  EXPECT_EQ(Recognised(loop), (Outcome{3, true, 1}));
  const ir::Node* output = loop.map().outputs[0].result;
  EXPECT_NE(loop.map().condition, output);
  EXPECT_EQ(output->inputs[0].node->type, "Less");
}

}  // namespace
}  // namespace weft
