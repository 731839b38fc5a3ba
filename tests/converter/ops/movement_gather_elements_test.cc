// SPDX-License-Identifier: Apache-2.0
// GatherElements and GatherND with known and with computed indices.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

using program::StepKind;

// GatherElements by the specification; zeros for an index out of range.
Nd ElementsTaken(const Nd& x, const Nd& indices, size_t axis) {
  return Make(indices.dims, [&](Dims at) {
    const int64_t position = At(indices, at);
    at[axis] = position < 0 ? position + x.dims[axis] : position;
    return at[axis] < 0 || at[axis] >= x.dims[axis] ? 0 : At(x, at);
  });
}

// Runs an operation of data and indices; the indices are constant if `known`.
Outcome TakeBy(const std::string& type, int opset, const Nd& x, const Nd& indices, bool known,
               const Text& attributes) {
  GraphBuilder g;
  const ir::Source data = g.Parameter({ElementType::i32, x.dims});
  const TensorType index_type{ElementType::i32, indices.dims};
  const ir::Source index = known ? g.Const(index_type, indices.elements) : g.Parameter(index_type);
  std::vector<Nd> values = {x};
  if (!known) values.push_back(indices);
  return RunGraph(g, values, g.Add(type, opset, {data, index}, attributes));
}

Outcome TakeElements(const Nd& x, const Nd& indices, int64_t axis, bool known) {
  return TakeBy("GatherElements", 6, x, indices, known, {{"axis", std::to_string(axis)}});
}

TEST(GatherElements, TakesAnElementForEachIndexOfEveryAxis) {
  const Nd x = Iota({3, 4, 5});
  Dice dice(17);
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const int64_t count : {1, 4, 7}) {
      Dims dims = x.dims;
      dims[axis] = count;
      const auto index = [&](const Dims&) {
        return static_cast<int32_t>(dice.Roll(-x.dims[axis], x.dims[axis] - 1));
      };
      const Nd indices = Make(dims, index);
      const auto signed_axis = static_cast<int64_t>(axis);
      for (const bool known : {false, true}) {
        const Nd expected = ElementsTaken(x, indices, axis);
        EXPECT_EQ(Only(TakeElements(x, indices, signed_axis, known)), expected);
        EXPECT_EQ(Only(TakeElements(x, indices, signed_axis - 3, known)), expected);
      }
    }
  }
}

std::vector<StepKind> KindsOfElements(const Nd& x, const Nd& indices, size_t axis, bool known) {
  const Outcome outcome = TakeElements(x, indices, static_cast<int64_t>(axis), known);
  EXPECT_EQ(Only(outcome), ElementsTaken(x, indices, axis));
  return Kinds(outcome.program);
}

TEST(GatherElements, GathersLinesThatAreBroughtToTheEnd) {
  const Nd x = Iota({5, 2});
  EXPECT_EQ(KindsOfElements(x, {{5, 2}, {1, 0, 0, 1, 1, 1, 0, 0, 1, 0}}, 1, false),
            std::vector<StepKind>{StepKind::kGather});
  EXPECT_EQ(KindsOfElements(x, {{2, 2}, {4, 0, 1, 3}}, 0, false),
            (std::vector<StepKind>{StepKind::kCopy, StepKind::kCopy, StepKind::kGather,
                                   StepKind::kCopy}));
}

TEST(GatherElements, OfKnownIndicesIsOneStepOrNone) {
  const Nd x = Iota({5, 2});
  EXPECT_EQ(KindsOfElements(x, {{2, 2}, {2, 2, 3, 3}}, 0, true), std::vector<StepKind>());
  EXPECT_EQ(KindsOfElements(x, {{3, 2}, {4, 4, 2, 2, 0, 0}}, 0, true),
            std::vector<StepKind>{StepKind::kCopy});
  EXPECT_EQ(KindsOfElements(x, {{5, 2}, {4, 0, 3, 3, 0, 1, 2, 0, 4, 4}}, 0, true),
            std::vector<StepKind>{StepKind::kGather});
}

TEST(GatherElements, YieldsZerosForAComputedIndexOutOfRange) {
  const Nd x = Make({2, 3}, [](const Dims& at) { return static_cast<int32_t>(at[1] + 1); });
  EXPECT_EQ(Only(TakeElements(x, {{2, 2}, {3, 0, -4, -3}}, 1, false)), (Nd{{2, 2}, {0, 1, 0, 1}}));
  EXPECT_EQ(Only(TakeElements(x, {{1, 3}, {2, 1, -3}}, 0, false)), (Nd{{1, 3}, {0, 2, 0}}));
}

TEST(GatherElements, OfNothingHasNoStep) {
  for (const bool known : {false, true}) {
    const Outcome outcome = TakeElements(Iota({2, 3}), {{2, 0}, {}}, 1, known);
    EXPECT_EQ(Only(outcome), Iota({2, 0}));
    EXPECT_EQ(outcome.step_count(), 0u);
  }
}

TEST(GatherElements, SaysWhatIsWrong) {
  const Nd x = Iota({2, 3}), one{{2, 1}, {0, 0}};
  EXPECT_PRED2(Contains, TakeElements(x, one, 2, true).faults, "axis 2 of a rank 2 tensor");
  EXPECT_PRED2(Contains, TakeElements(x, {{1, 1}, {0}}, 1, true).faults,
               "indices are [1,1] and data [2,3]; must have equal extents except on axis 1");
  EXPECT_PRED2(Contains, TakeElements(x, {{1}, {0}}, 1, true).faults,
               "indices are [1] and data [2,3]");
  EXPECT_PRED2(Contains, TakeElements(x, {{2, 1}, {0, 3}}, 1, true).faults,
               "index 3 of an axis of 3; must be from -3 to 2");
  GraphBuilder g;
  g.Add("GatherElements", 6, {g.Parameter(F32({2})), g.Floats({1}, {0})}, {{"axis", "0"}});
  g.Add("GatherElements", 6, {g.Parameter({ElementType::u4, {2}}), g.Ints({0})}, {{"axis", "0"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (indices) is f32; must be i32 or i64");
  EXPECT_PRED2(Contains, g.FaultText(), "moves single elements of input 0, which is u4[2]");
}

// GatherND by the specification of version 8.
Nd TuplesTaken(const Nd& x, const Nd& indices, size_t batch_dims) {
  const auto depth = static_cast<size_t>(indices.dims.back());
  const size_t tuple_axes = indices.dims.size() - 1;
  Dims dims(indices.dims.begin(), indices.dims.end() - 1);
  for (size_t i = batch_dims + depth; i < x.dims.size(); ++i) dims.push_back(x.dims[i]);
  return Make(dims, [&](const Dims& at) {
    const auto position = [](size_t i) { return static_cast<Dims::difference_type>(i); };
    Dims from(at.begin(), at.begin() + position(batch_dims));
    Dims tuple(at.begin(), at.begin() + position(tuple_axes));
    for (size_t i = 0; i < depth; ++i) {
      tuple.push_back(static_cast<int64_t>(i));
      const int64_t index = At(indices, tuple);
      from.push_back(index < 0 ? index + x.dims[batch_dims + i] : index);
      tuple.pop_back();
    }
    from.insert(from.end(), at.begin() + position(tuple_axes), at.end());
    return At(x, from);
  });
}

Outcome TakeTuples(const Nd& x, const Nd& indices, size_t batch_dims, bool known, int opset = 8) {
  return TakeBy("GatherND", opset, x, indices, known, {{"batch_dims", std::to_string(batch_dims)}});
}

TEST(GatherNd, TakesRowsByKnownTuples) {
  const Nd x = Iota({2, 3, 4, 5});
  const Nd ones{{5, 1}, {1, 0, -1, 1, -2}};
  EXPECT_EQ(Only(TakeTuples(x, ones, 0, true)), TuplesTaken(x, ones, 0));
  const Nd pairs{{3, 2}, {1, 2, 0, -3, -1, 1}};
  EXPECT_EQ(Only(TakeTuples(x, pairs, 0, true)), TuplesTaken(x, pairs, 0));
  const Nd single{{4}, {1, 2, 3, -5}};
  EXPECT_EQ(Only(TakeTuples(x, single, 0, true)), TuplesTaken(x, single, 0));
  EXPECT_EQ(TakeTuples(x, single, 0, true).step_count(), 0u);
  const Nd of_rows{{2, 3, 2}, {1, 2, 0, 3, 2, -1, 0, 0, 1, 1, 2, -4}};
  EXPECT_EQ(Only(TakeTuples(x, of_rows, 1, true)), TuplesTaken(x, of_rows, 1));
}

TEST(GatherNd, TakesRowsByComputedIndicesOfOneAxis) {
  const Nd x = Iota({2, 3, 4});
  const Nd rows{{4, 1}, {1, 0, -1, 1}};
  const Outcome outcome = TakeTuples(x, rows, 0, false);
  EXPECT_EQ(Only(outcome), TuplesTaken(x, rows, 0));
  EXPECT_EQ(Kinds(outcome.program), std::vector<StepKind>{StepKind::kGather});
  const Nd last{{2, 1}, {-1, 1}};
  EXPECT_EQ(Only(TakeTuples(x, last, 1, false)), TuplesTaken(x, last, 1));
}

TEST(GatherNd, MergesBatchAxesBeforeVersionEight) {
  const Nd x = Iota({2, 3, 4, 5});
  const Nd indices{{2, 3, 1}, {3, 0, 1, 2, -1, 0}};
  const Nd expected = TuplesTaken(x, indices, 2);
  for (const bool known : {false, true}) {
    EXPECT_EQ(Only(TakeTuples(x, indices, 2, known, 8)), expected);
    EXPECT_EQ(Only(TakeTuples(x, indices, 2, known, 5)), Reshaped(expected, {6, 5}));
  }
}

TEST(GatherNd, NumbersTheRowsOfComputedTuples) {
  GraphBuilder g;
  const ir::Source data = g.Parameter(F32({4, 5, 3}));
  g.Add("GatherND", 8, {data, g.Parameter({ElementType::i32, {7, 2}})}, {{"batch_dims", "0"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  const std::vector<StepKind> kinds = {StepKind::kCompare, StepKind::kCompare, StepKind::kBinary,
                                       StepKind::kBinary,  StepKind::kBinary,  StepKind::kSelect,
                                       StepKind::kReduce,  StepKind::kGather};
  ASSERT_EQ(Kinds(program), kinds);
  const auto gather = ParamsAt<format::GatherParams>(program, 7);
  EXPECT_EQ(gather.axis(), 20u);
  EXPECT_EQ(gather.inner(), 3u);
  EXPECT_EQ(gather.indices(), 7u);
}

TEST(GatherNd, RefusesRowNumbersThatDoNotFit) {
  const auto faults = [](int64_t rows, ElementType type) {
    GraphBuilder g;
    g.Add("GatherND", 8,
          {g.Parameter({ElementType::u8, {1 << 16, rows}}), g.Parameter({type, {1, 2}})});
    g.Infer();
    return g.FaultText();
  };
  EXPECT_EQ(faults(1 << 15, ElementType::i64), "");
  EXPECT_EQ(faults((1 << 14) - 1, ElementType::i32), "");
  EXPECT_PRED2(Contains, faults(1 << 14, ElementType::i32),
               "i32 index tuples select among 1073741824 rows; must be at most 1073741823 "
               "(convert the indices to i64)");
}

TEST(GatherNd, SaysWhatIsWrong) {
  const Nd x = Iota({2, 3, 4}), indices{{2, 3}, {0, 1, 2, 0, 1, 2}};
  EXPECT_PRED2(Contains, TakeTuples(x, indices, 2, true).faults,
               "batch_dims is 2 for data [2,3,4] and indices [2,3]; must be from 0 to 1");
  EXPECT_PRED2(Contains, TakeTuples(x, indices, 1, true).faults,
               "indices [2,3] hold tuples of 3; must be from 1 to 2 for data [2,3,4]");
  EXPECT_PRED2(Contains, TakeTuples(Iota({3, 3}), {{2, 1}, {0, 0}}, 1, true).faults,
               "batch axis 0 is 3 in data [3,3] and 2 in indices [2,1]; must be equal");
  EXPECT_PRED2(Contains, TakeTuples(x, {{1, 3}, {0, 3, 0}}, 0, true).faults,
               "index 3 of an axis of 3; must be from -3 to 2");
  EXPECT_PRED2(Contains, TakeTuples(x, {{}, {0}}, 0, true).faults,
               "data is [2,3,4] and indices are []; must have rank 1 or more");
}

}  // namespace
}  // namespace weft
