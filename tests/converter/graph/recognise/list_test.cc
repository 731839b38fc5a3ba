// SPDX-License-Identifier: Apache-2.0
// Elements that are read, and lists that are written, by index become slices and scan outputs.
#include <gtest/gtest.h>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "tests/converter/counted_loop.h"

namespace weft {
namespace {

const TensorType kIndex{ElementType::i64, {}};
const TensorType kRow{ElementType::f32, {2}};
const TensorType kFiveRows{ElementType::f32, {5, 2}};

// Returns the sliced inputs of the body.
std::vector<ir::ChunkRange> Slices(const CountedLoop& loop) {
  std::vector<ir::ChunkRange> slices;
  for (const ir::BodyInput& input : loop.map().inputs) {
    if (input.range) slices.push_back(*input.range);
  }
  return slices;
}

// Returns the inputs of the loop with a back edge.
int States(const CountedLoop& loop) {
  int states = 0;
  for (const ir::BodyInput& input : loop.map().inputs) states += input.next != nullptr;
  return states;
}

// A sum over the rows `a * i + b`, in a loop of `trips` iterations.
CountedLoop SumOfRows(int64_t trips, int64_t factor, int64_t offset, int64_t axis = 0) {
  CountedLoop loop(trips);
  const ir::Source x = loop.Input(loop.outer.Parameter(kFiveRows));
  const ir::Source sum = loop.Input(loop.outer.Parameter(kRow));
  const ir::Source scaled =
      loop.Typed("Multiply", {loop.Counter(0, 1), loop.body.Int(factor)}, kIndex);
  const ir::Source at = loop.Typed("Add", {scaled, loop.body.Int(offset)}, kIndex);
  const ir::Source row = loop.Typed("Gather", {x, at, loop.body.Int(axis)}, kRow, {}, 8);
  const ir::Source next = loop.Typed("Add", {sum, row}, kRow);
  loop.GoesBack(next, sum);
  loop.Last(next);
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  return loop;
}

TEST(RecogniseList, TakesRowsAsSlices) {
  const CountedLoop loop = SumOfRows(5, 1, 0);
  const std::vector<ir::ChunkRange> slices = Slices(loop);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].axis, 0);
  EXPECT_EQ(slices[0].stride, 1);
  EXPECT_EQ(loop.inside().parameters.size(), 2u);  // the sum and the slice
  EXPECT_EQ(loop.node->inputs.size(), 4u);         // trip count, condition, sum and x
}

TEST(RecogniseList, TakesRowsBackwards) {
  const std::vector<ir::ChunkRange> slices = Slices(SumOfRows(5, -1, 4));
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].stride, -1);
  EXPECT_EQ(slices[0].start, -1);
  EXPECT_EQ(slices[0].end, 0);
}

TEST(RecogniseList, TakesTheFirstRowsOfMore) { EXPECT_EQ(Slices(SumOfRows(3, 1, 0)).size(), 1u); }

TEST(RecogniseList, TakesSlicesOfAnyAxis) {
  for (const int64_t axis : {1, -1}) {
    const std::vector<ir::ChunkRange> slices = Slices(SumOfRows(2, 1, 0, axis));
    ASSERT_EQ(slices.size(), 1u) << axis;
    EXPECT_EQ(slices[0].axis, 1) << axis;
  }
}

// All slices of a loop must have the same number of chunks, even if the loop ends earlier.
TEST(RecogniseList, TakesOnlySlicesOfOneNumber) {
  for (const int64_t rows : {5, 4}) {
    CountedLoop loop(3);
    const ir::Source x = loop.Input(loop.outer.Parameter(kFiveRows));
    const ir::Source y = loop.Input(loop.outer.Parameter({ElementType::f32, {rows, 2}}));
    const ir::Source sum = loop.Input(loop.outer.Parameter(kRow));
    const ir::Source at = loop.Counter(0, 1), axis = loop.body.Int(0);
    const ir::Source of_x = loop.Typed("Gather", {x, at, axis}, kRow, {}, 8);
    const ir::Source of_y = loop.Typed("Gather", {y, at, axis}, kRow, {}, 8);
    const ir::Source next = loop.Typed("Add", {sum, loop.Typed("Add", {of_x, of_y}, kRow)}, kRow);
    loop.GoesBack(next, sum);
    loop.Last(next);
    loop.Close();
    graph::RecogniseCounts(loop.outer.graph);
    EXPECT_EQ(Slices(loop).size(), rows == 5 ? 2u : 1u) << rows;
  }
}

// Data may end the loop before its last row.
TEST(RecogniseList, TakesSlicesOfALoopThatMayEndEarly) {
  CountedLoop loop(5);
  const ir::Source x = loop.Input(loop.outer.Parameter(kFiveRows));
  const ir::Source sum = loop.Input(loop.outer.Parameter(kRow));
  const ir::Source flag = loop.Input(loop.outer.Parameter({ElementType::boolean, {}}));
  const ir::Source row =
      loop.Typed("Gather", {x, loop.Counter(0, 1), loop.body.Int(0)}, kRow, {}, 8);
  const ir::Source next = loop.Typed("Add", {sum, row}, kRow);
  loop.GoesBack(next, sum);
  loop.Last(next);
  loop.GoOn(flag);
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  EXPECT_EQ(Slices(loop).size(), 1u);
  EXPECT_EQ(loop.inside().parameters.size(), 3u);  // the flag, the sum and the slice
}

TEST(RecogniseList, LeavesOtherWalks) {
  EXPECT_EQ(Slices(SumOfRows(4, 1, 1)).size(), 0u);     // starting at the second row
  EXPECT_EQ(Slices(SumOfRows(3, -1, 4)).size(), 0u);    // the last three backwards
  EXPECT_EQ(Slices(SumOfRows(3, 2, 0)).size(), 0u);     // every other row
  EXPECT_EQ(Slices(SumOfRows(5, 0, 2)).size(), 0u);     // one row
  EXPECT_EQ(Slices(SumOfRows(2, 1, 0, 2)).size(), 0u);  // of an axis that does not exist
}

TEST(RecogniseList, MakesTheCounterTheIteration) {
  for (const int64_t first : {0, 1}) {
    CountedLoop loop(5);
    const ir::Source counter = loop.Counter(first, 1);
    loop.Last(loop.Typed("Add", {counter, counter}, kIndex));
    loop.Close();
    graph::RecogniseCounts(loop.outer.graph);
    const ir::BodyInput::Kind kind =
        first == 0 ? ir::BodyInput::Kind::kIteration : ir::BodyInput::Kind::kCarried;
    EXPECT_TRUE(loop.map().inputs.at(0).is(kind)) << first;
  }
}

// ScatterUpdate(list, i, row) as the state of a list; with `reads` the body reads the list.
CountedLoop WrittenList(int64_t trips, bool reads) {
  CountedLoop loop(trips);
  const ir::Source x = loop.Input(loop.outer.Parameter(kRow));
  const ir::Source list = loop.Input(loop.outer.Parameter(kFiveRows));
  const ir::Source at = loop.Counter(0, 1);
  ir::Source row = loop.Typed("Add", {x, x}, kRow);
  if (reads) {
    const ir::Source first =
        loop.Typed("Gather", {list, loop.body.Int(0), loop.body.Int(0)}, kRow, {}, 8);
    row = loop.Typed("Add", {x, first}, kRow);
  }
  const ir::Source next =
      loop.Typed("ScatterUpdate", {list, at, row, loop.body.Int(0)}, kFiveRows, {}, 3);
  loop.GoesBack(next, list);
  loop.LastOf(loop.body.graph.results.back());
  loop.node->outputs.push_back({kFiveRows, true, {}});
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  return loop;
}

// Keras writes this form if only the last output is read; the list starts with rows of one.
TEST(RecogniseList, KeepsTheLastElementOfAListOfOnePlace) {
  for (const int64_t position : {0, 1}) {
    CountedLoop loop(5);
    const ir::Source x = loop.Input(loop.outer.Parameter(kRow));
    const ir::Source list = loop.Input(loop.outer.Parameter({ElementType::f32, {1, 1}}));
    TensorType one_row = kFiveRows;
    one_row.dims[0] = 1;
    const ir::Source next = loop.Typed(
        "ScatterUpdate", {list, loop.body.Int(position), x, loop.body.Int(0)}, one_row, {}, 3);
    loop.GoesBack(next, list);
    loop.LastOf(loop.body.graph.results.back());
    loop.node->outputs.push_back({one_row, true, {}});
    loop.Counter(0, 1);
    loop.Close();
    graph::RecogniseCounts(loop.outer.graph);
    EXPECT_FALSE(loop.map().outputs[0].range.has_value());
    const ir::Node& left = *loop.map().outputs[0].result->inputs[0].node;
    EXPECT_EQ(left.type == "ScatterUpdate", position == 1) << position;
  }
}

TEST(RecogniseList, GathersAListThatIsOnlyWritten) {
  const CountedLoop loop = WrittenList(5, false);
  ASSERT_TRUE(loop.map().outputs[0].range.has_value());
  EXPECT_EQ(loop.map().outputs[0].range->axis, 0);
  EXPECT_EQ(loop.map().outputs[0].range->stride, 1);
  EXPECT_EQ(States(loop), 0);
  EXPECT_EQ(loop.inside().parameters.size(), 1u);
  EXPECT_EQ(loop.inside().results.size(), 1u);
  EXPECT_EQ(loop.inside().results[0]->inputs[0].node->type, "Unsqueeze");
}

TEST(RecogniseList, LeavesAListThatIsReadOrNotFilled) {
  EXPECT_FALSE(WrittenList(5, true).map().outputs[0].range.has_value());
  EXPECT_FALSE(WrittenList(4, false).map().outputs[0].range.has_value());
}

// Concat(list[:i], row, list[i + 1:]) as the state of a list of `length` rows, as TFLite files
// write it. `last`: a constant upper bound of the rows after the new one.
CountedLoop JoinedList(int64_t trips, int64_t length, int64_t step, int64_t last) {
  CountedLoop loop(trips);
  const TensorType index{ElementType::i64, {1}}, both{ElementType::i64, {2}};
  const TensorType row_type{ElementType::f32, {1, 2}}, part{ElementType::f32, {-1, 2}};
  const ir::Source x = loop.Input(loop.outer.Parameter(row_type));
  const ir::Source list = loop.Input(loop.outer.Parameter({ElementType::f32, {length, 2}}));
  const ir::Source at = loop.Counter(step < 0 ? length - 1 : 0, step);
  const ir::Source none = loop.body.Int(0);
  const auto from_rows = [&](ir::Source rows, int64_t columns) {
    const ir::Source row = loop.Typed("Unsqueeze", {rows, none}, index);
    const ir::Source column = loop.body.Const<int64_t>(index, {columns});
    return loop.Typed("Concat", {row, column}, both, {{"axis", "0"}});
  };
  const ir::Source zeros = loop.body.Const<int64_t>(both, {0, 0});
  const ir::Source ones = loop.body.Const<int64_t>(both, {1, 1});
  const ir::Source all = loop.body.Const<int64_t>(both, {last, 99});
  // The size of the rows before, -1 for all columns, becomes an end.
  const ir::Source size = from_rows(at, -1);
  const ir::Source open = loop.Typed("Less", {size, none}, {ElementType::boolean, {2}});
  const ir::Source end = loop.Typed("Select", {open, all, size}, both);
  const ir::Source before = loop.Typed("Slice", {list, zeros, end, ones}, part, {}, 8);
  const ir::Source next_row = loop.Typed("Add", {at, loop.body.Int(1)}, kIndex);
  const ir::Source after =
      loop.Typed("Slice", {list, from_rows(next_row, 0), all, ones}, part, {}, 8);
  const ir::Source row = loop.Typed("Add", {x, x}, row_type);
  loop.GoesBack(
      loop.Typed("Concat", {before, row, after}, {ElementType::f32, {length, 2}}, {{"axis", "0"}}),
      list);
  loop.LastOf(loop.body.graph.results.back());
  loop.node->outputs.push_back({{ElementType::f32, {length, 2}}, true, {}});
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  return loop;
}

TEST(RecogniseList, GathersAListWhoseElementsAreJoined) {
  for (const int64_t step : {1, -1}) {
    const CountedLoop loop = JoinedList(5, 5, step, 99);
    ASSERT_TRUE(loop.map().outputs[0].range.has_value()) << step;
    EXPECT_EQ(loop.map().outputs[0].range->axis, 0);
    EXPECT_EQ(loop.map().outputs[0].range->stride, step);
    EXPECT_EQ(States(loop), 0);
    EXPECT_EQ(loop.inside().results[0]->inputs[0].node->type, "Add");
  }
}

TEST(RecogniseList, LeavesAJoinedListThatIsNotFilled) {
  EXPECT_FALSE(JoinedList(4, 5, 1, 99).map().outputs[0].range.has_value());
  EXPECT_FALSE(JoinedList(5, 5, 2, 99).map().outputs[0].range.has_value());
  EXPECT_FALSE(JoinedList(5, 5, 1, 4).map().outputs[0].range.has_value());  // loses a row
}

// A list that grows by Concat, initially empty; `front` prepends new rows.
CountedLoop GrownList(int64_t begins_with, bool front, bool may_end_early) {
  CountedLoop loop(5);
  const ir::Source x = loop.Input(loop.outer.Parameter({ElementType::f32, {1, 2}}));
  const ir::Source list = loop.Input(loop.outer.Parameter({ElementType::f32, {begins_with, 2}}));
  const ir::Source row = loop.Typed("Add", {x, x}, {ElementType::f32, {1, 2}});
  const ir::Source next =
      loop.Typed("Concat", front ? std::vector{row, list} : std::vector{list, row},
                 {ElementType::f32, {-1, 2}}, {{"axis", "-2"}});
  loop.GoesBack(next, list);
  loop.LastOf(loop.body.graph.results.back());
  loop.node->outputs.push_back({{ElementType::f32, {-1, 2}}, true, {}});
  if (may_end_early) loop.GoOn(loop.Input(loop.outer.Parameter({ElementType::boolean, {}})));
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  return loop;
}

TEST(RecogniseList, GathersAListThatGrows) {
  for (const bool early : {false, true}) {
    const CountedLoop loop = GrownList(0, false, early);
    ASSERT_TRUE(loop.map().outputs[0].range.has_value());
    EXPECT_EQ(loop.map().outputs[0].range->axis, 0);
    EXPECT_EQ(loop.map().outputs[0].range->stride, 1);
    EXPECT_EQ(States(loop), 0);
  }
  EXPECT_TRUE(GrownList(0, true, false).map().outputs[0].range.value().backward());
}

TEST(RecogniseList, LeavesAListThatBeginsWithSomething) {
  EXPECT_FALSE(GrownList(1, false, false).map().outputs[0].range.has_value());
  EXPECT_FALSE(GrownList(0, true, true).map().outputs[0].range.has_value());
}

// The list's Result also feeds another state.
TEST(RecogniseList, LeavesAListThatComesBackTwice) {
  CountedLoop loop(5);
  const ir::Source x = loop.Input(loop.outer.Parameter({ElementType::f32, {1, 2}}));
  const ir::Source list = loop.Input(loop.outer.Parameter({ElementType::f32, {0, 2}}));
  const ir::Source other = loop.Input(loop.outer.Parameter({ElementType::f32, {0, 2}}));
  const TensorType grown{ElementType::f32, {-1, 2}};
  loop.GoesBack(loop.Typed("Concat", {list, x}, grown, {{"axis", "0"}}), list);
  loop.map().InputOf(*other.node)->next = loop.map().InputOf(*list.node)->next;
  loop.Last(loop.Typed("Concat", {other, x}, grown, {{"axis", "0"}}));
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
  EXPECT_EQ(States(loop), 2);
}

}  // namespace
}  // namespace weft
