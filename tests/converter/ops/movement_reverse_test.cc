// SPDX-License-Identifier: Apache-2.0
// Reverse, ReverseSequence and Roll, element by element.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

TEST(Reverse, TurnsAxesByIndexAndByMask) {
  const Nd x = Iota({2, 3, 4});
  const Nd expected = Make(x.dims, [&](const Dims& index) {
    return At(x, {1 - index[0], index[1], 3 - index[2]});
  });
  const Outcome outcome = Apply("Reverse", 1, x, {{0, 2}}, {{"mode", "index"}});
  EXPECT_EQ(Only(outcome), expected);
  EXPECT_EQ(outcome.step_count(), 1u);
  GraphBuilder g;
  const ir::Source mask = g.Const<uint8_t>({ElementType::boolean, {3}}, {1, 0, 1});
  const ir::Source in = g.Parameter({ElementType::i32, x.dims});
  EXPECT_EQ(Only(RunGraph(g, {x}, g.Add("Reverse", 1, {in, mask}, {{"mode", "mask"}}))), expected);
}

TEST(Reverse, OfOnesCostsNothing) {
  EXPECT_EQ(Apply("Reverse", 1, Iota({1, 4}), {{0}}).step_count(), 0u);
  EXPECT_PRED2(Contains, Apply("Reverse", 1, Iota({1, 4}), {{2}}).faults,
               "axis 2 of a rank 2 tensor; must be from 0 to 1");
}

Outcome ReverseSequence(const Nd& x, const std::vector<int64_t>& lengths, size_t batch,
                        size_t time) {
  return Apply("ReverseSequence", 1, x, {lengths},
               {{"batch_axis", std::to_string(batch)}, {"seq_axis", std::to_string(time)}});
}

Nd SequenceReversed(const Nd& x, const std::vector<int64_t>& lengths, size_t batch, size_t time) {
  return Make(x.dims, [&](Dims index) {
    const int64_t length = lengths[static_cast<size_t>(index[batch])];
    if (index[time] < length) index[time] = length - 1 - index[time];
    return At(x, index);
  });
}

TEST(ReverseSequence, TurnsTheStartOfEveryBatch) {
  const Nd x = Iota({4, 5, 3});
  for (const std::vector<int64_t>& lengths :
       {std::vector<int64_t>{5, 5, 5, 5}, {0, 3, 3, 5}, {1, 2, 1, 4}}) {
    EXPECT_EQ(Only(ReverseSequence(x, lengths, 0, 1)), SequenceReversed(x, lengths, 0, 1));
  }
  const Nd by_time = Iota({5, 2, 2});
  EXPECT_EQ(Only(ReverseSequence(by_time, {2, 5}, 2, 0)), SequenceReversed(by_time, {2, 5}, 2, 0));
}

TEST(ReverseSequence, MovesBatchesOfOneLengthTogether) {
  EXPECT_EQ(ReverseSequence(Iota({4, 5}), {5, 5, 5, 5}, 0, 1).step_count(), 1u);
  EXPECT_EQ(ReverseSequence(Iota({4, 5}), {3, 3, 3, 3}, 0, 1).step_count(), 2u);
  EXPECT_EQ(ReverseSequence(Iota({4, 5}), {0, 1, 1, 1}, 0, 1).step_count(), 0u);
}

TEST(ReverseSequence, ChecksLengthsAndAxes) {
  const Nd x = Iota({2, 4});
  EXPECT_PRED2(Contains, ReverseSequence(x, {5, 1}, 0, 1).faults,
               "seq_lengths [5,1] hold 5; axis 1 has 4");
  EXPECT_PRED2(Contains, ReverseSequence(x, {1, 1, 1}, 0, 1).faults,
               "input 1 (seq_lengths) is i64[3]; must be [2]");
  EXPECT_PRED2(Contains, ReverseSequence(x, {1, 1}, 1, 1).faults,
               "batch_axis and seq_axis are both 1");
}

TEST(ReverseSequence, GathersByLengthsOfTheRun) {
  const auto kinds = [](Dims dims, const char* batch, const char* time) {
    GraphBuilder g;
    const ir::Source lengths = g.Parameter({ElementType::i32, {3}});
    g.Add("ReverseSequence", 1, {g.Parameter(F32(std::move(dims))), lengths},
          {{"batch_axis", batch}, {"seq_axis", time}});
    EXPECT_TRUE(g.Infer()) << g.FaultText();
    return Kinds(g.Lower());
  };
  using program::StepKind;
  const std::vector<StepKind> front = {StepKind::kBinary,  StepKind::kBinary, StepKind::kBinary,
                                       StepKind::kCompare, StepKind::kSelect, StepKind::kGather};
  EXPECT_EQ(kinds({3, 5, 2}, "0", "1"), front);
  std::vector<StepKind> moved = front;
  moved.insert(moved.end() - 1, StepKind::kCopy);
  moved.push_back(StepKind::kCopy);
  EXPECT_EQ(kinds({5, 3, 2}, "1", "0"), moved);
}

TEST(ReverseSequence, RefusesLengthsOfTheRunThatAreNoIndices) {
  GraphBuilder g;
  g.Add("ReverseSequence", 1, {g.Parameter(F32({3, 5})), g.Parameter(F32({3}))});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 1 (seq_lengths) is f32 and computed at run time; must be i32 or i64");
}

Outcome Roll(const Nd& x, const std::vector<int64_t>& shift, const std::vector<int64_t>& axes) {
  return Apply("Roll", 7, x, {shift, axes});
}

TEST(Roll, MovesPlacesRoundTheAxis) {
  const Nd x = Iota({3, 4});
  const auto rolled = [&](int64_t rows, int64_t columns) {
    return Make(x.dims, [&](const Dims& index) {
      return At(x, {((index[0] - rows) % 3 + 3) % 3, ((index[1] - columns) % 4 + 4) % 4});
    });
  };
  EXPECT_EQ(Only(Roll(x, {1, -1}, {0, 1})), rolled(1, -1));
  EXPECT_EQ(Only(Roll(x, {2, 5}, {-1, -1})), rolled(0, 7));
  EXPECT_EQ(Only(Roll(x, {-8}, {1, 0})), rolled(-8, -8));
  EXPECT_EQ(Roll(x, {3, 8}, {0, 1}).step_count(), 0u);
  EXPECT_EQ(Roll(x, {1}, {1}).step_count(), 2u);
}

TEST(Roll, WantsAShiftPerAxis) {
  EXPECT_PRED2(Contains, Roll(Iota({3, 4}), {1, 2, 3}, {0, 1}).faults, "3 shifts and 2 axes");
  EXPECT_PRED2(Contains, Roll(Iota({3, 4}), {1}, {2}).faults, "axis 2 of a rank 2 tensor");
}

}  // namespace
}  // namespace weft
