// SPDX-License-Identifier: Apache-2.0
// BatchToSpace and SpaceToBatch, compared with the four steps of the specification: reshape,
// permute, reshape, crop. Covers both of its examples, every rank, and every type of the control
// inputs.
#include <gtest/gtest.h>

#include <vector>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

Outcome BatchToSpace(const Nd& x, const Ints& block, const Ints& begin, const Ints& end) {
  return Apply("BatchToSpace", 2, x, {block, begin, end});
}

Outcome SpaceToBatch(const Nd& x, const Ints& block, const Ints& begin, const Ints& end) {
  return Apply("SpaceToBatch", 2, x, {block, begin, end});
}

// The specification's definition. Its B_1 ... B_{N-1} are block[1] ... block[N - 1].
Nd Spread(const Nd& data, const Ints& block, const Ints& begin, const Ints& end) {
  const size_t spatial = data.dims.size() - 1;
  int64_t product = 1;
  Dims fine;
  for (size_t i = 1; i <= spatial; ++i) {
    fine.push_back(block[i]);
    product *= block[i];
  }
  fine.push_back(data.dims[0] / product);
  fine.insert(fine.end(), data.dims.begin() + 1, data.dims.end());
  std::vector<size_t> order = {spatial};
  Dims whole = {data.dims[0] / product};
  for (size_t i = 0; i < spatial; ++i) {
    order.insert(order.end(), {spatial + 1 + i, i});
    whole.push_back(data.dims[1 + i] * block[1 + i]);
  }
  const Nd spread = Reshaped(Transposed(Reshaped(data, fine), order), whole);
  Dims cropped = whole;
  for (size_t i = 1; i <= spatial; ++i) cropped[i] -= begin[i] + end[i];
  return Make(cropped, [&](Dims index) {
    for (size_t i = 1; i <= spatial; ++i) index[i] += begin[i];
    return At(spread, index);
  });
}

// SpaceToBatch: pads with zeros; each block of the batch then holds every block-th position.
Nd Gathered(const Nd& data, const Ints& block, const Ints& begin, const Ints& end) {
  Dims dims = data.dims;
  for (size_t i = 1; i < dims.size(); ++i) {
    dims[i] = (dims[i] + begin[i] + end[i]) / block[i];
    dims[0] *= block[i];
  }
  return Make(dims, [&](Dims index) {
    int64_t rest = index[0] / data.dims[0];
    index[0] %= data.dims[0];
    for (size_t i = index.size(); i-- > 1;) {
      index[i] = index[i] * block[i] + rest % block[i] - begin[i];
      rest /= block[i];
      if (index[i] < 0 || index[i] >= data.dims[i]) return 0;
    }
    return At(data, index);
  });
}

TEST(BatchToSpace, RunsTheDocumentsExampleIn2D) {
  const Nd x = Iota({10, 2});
  const Nd y = Only(BatchToSpace(x, {1, 5}, {0, 2}, {0, 0}));
  EXPECT_EQ(y.dims, (Dims{2, 8}));
  EXPECT_EQ(y, Spread(x, {1, 5}, {0, 2}, {0, 0}));
}

TEST(BatchToSpace, RunsTheDocumentsExampleIn5D) {
  const Nd x = Iota({48, 3, 3, 1, 3});
  const Nd y = Only(BatchToSpace(x, {1, 2, 4, 3, 1}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0}));
  EXPECT_EQ(y.dims, (Dims{2, 6, 10, 3, 3}));
  EXPECT_EQ(y, Spread(x, {1, 2, 4, 3, 1}, {0, 0, 1, 0, 0}, {0, 0, 1, 0, 0}));
}

TEST(BatchToSpace, IsOneCopyWithoutCrops) {
  const Nd x = Iota({24, 2, 3, 2});
  const Outcome outcome = BatchToSpace(x, {1, 2, 3, 2}, {0, 0, 0, 0}, {0, 0, 0, 0});
  EXPECT_EQ(outcome.step_count(), 1u);
  EXPECT_EQ(Only(outcome), Spread(x, {1, 2, 3, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}));
}

TEST(BatchToSpace, ThatMovesNothingHasNoStep) {
  const Outcome outcome = BatchToSpace(Iota({3, 4}), {1, 1}, {0, 0}, {0, 0});
  EXPECT_EQ(outcome.step_count(), 0u);
  EXPECT_EQ(Only(outcome), Iota({3, 4}));
  EXPECT_EQ(BatchToSpace(Iota({1, 4}), {1, 1}, {0, 1}, {0, 2}).step_count(), 0u);
}

TEST(BatchToSpace, CropsToNothing) {
  const Outcome outcome = BatchToSpace(Iota({4, 3}), {1, 2}, {0, 4}, {0, 2});
  EXPECT_EQ(Only(outcome), Iota({2, 0}));
  EXPECT_EQ(outcome.step_count(), 0u);
}

TEST(BatchToSpace, WorksInRankEightByMoreThanOneCopy) {
  const Nd x = Iota({256, 2, 1, 2, 1, 2, 1, 2});
  const Ints block = {1, 2, 2, 2, 2, 2, 2, 2}, begin = {0, 1, 0, 2, 0, 0, 1, 0};
  const Ints end = {0, 0, 0, 1, 1, 0, 0, 3};
  const Nd y = Only(BatchToSpace(x, block, begin, end));
  EXPECT_EQ(y, Spread(x, block, begin, end));
  EXPECT_EQ(Only(SpaceToBatch(y, block, begin, end)), Gathered(y, block, begin, end));
  const Ints none(8, 0);
  EXPECT_EQ(Only(BatchToSpace(x, block, none, none)), Spread(x, block, none, none));
}

TEST(BatchToSpace, SaysWhatIsWrong) {
  const auto faults = [](const Nd& x, const Ints& block, const Ints& begin, const Ints& end) {
    return BatchToSpace(x, block, begin, end).faults;
  };
  EXPECT_PRED2(Contains, faults(Iota({10, 2, 2}), {1, 2, 2}, {0, 0, 0}, {0, 0, 0}),
               "batch 10 is not divisible by block product 4");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {1, 2}, {0, 3}, {0, 2}),
               "axis 1 is 2 times block 2; the sum of its crops 3 and 2 must not");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {2, 2}, {0, 0}, {0, 0}),
               "block_shape[0] is 2; the batch axis must have 1");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {1, 2}, {1, 0}, {0, 0}),
               "crops_begin[0] is 1; the batch axis must have 0");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {1, 0}, {0, 0}, {0, 0}),
               "block_shape [1,0] holds 0; must be at least 1");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {1, 2}, {0, 0}, {0, -1}),
               "crops_end [0,-1] holds -1; must be at least 0");
  EXPECT_PRED2(Contains, faults(Iota({4, 2}), {1, 2, 1}, {0, 0}, {0, 0}),
               "input 1 (block_shape) has 3 elements; must have 2");
  EXPECT_PRED2(Contains, faults(Iota({4}), {1}, {0}, {0}), "input 0 is i32[4] of rank 1");
  const int64_t huge = int64_t{1} << 40;
  EXPECT_PRED2(Contains, faults(Iota({4, 2, 2}), {1, huge, huge}, {0, 0, 0}, {0, 0, 0}),
               "must fit 64 bits");
}

TEST(BatchToSpace, WantsItsControlsKnown) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {4, 2}});
  const ir::Source block = g.Parameter({ElementType::i64, {2}});
  g.Add("BatchToSpace", 2, {x, block, g.Ints({0, 0}), g.Floats({2}, {0, 0})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (block_shape) is computed at run time");
  EXPECT_PRED2(Contains, g.FaultText(), "input 3 (crops_end) is f32; must be of an integer type");
}

template <typename T>
void RunWithControlsOf(ElementType type) {
  GraphBuilder g;
  const Nd x = Iota({4, 3});
  const TensorType two{type, {2}};
  const ir::Source in = g.Parameter({ElementType::i32, x.dims});
  const ir::Source y =
      g.Add("BatchToSpace", 2,
            {in, g.Const<T>(two, {1, 2}), g.Const<T>(two, {0, 1}), g.Const<T>(two, {0, 2})});
  EXPECT_EQ(Only(RunGraph(g, {x}, y)), Spread(x, {1, 2}, {0, 1}, {0, 2}));
}

TEST(BatchToSpace, ReadsControlsOfEveryIntegerType) {
  RunWithControlsOf<int8_t>(ElementType::i8);
  RunWithControlsOf<uint8_t>(ElementType::u8);
  RunWithControlsOf<int16_t>(ElementType::i16);
  RunWithControlsOf<int32_t>(ElementType::i32);
  RunWithControlsOf<int64_t>(ElementType::i64);
}

template <typename T>
void RunOnElementsOf(ElementType type) {
  GraphBuilder g;
  const Nd x = Iota({4, 3});
  const ir::Source in = g.Parameter({type, x.dims});
  g.Result(g.Add("BatchToSpace", 2, {in, g.Ints({1, 2}), g.Ints({0, 1}), g.Ints({0, 2})}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  ProgramInterpreter interpreter(program);
  interpreter.SetInput(0, std::vector<T>(x.elements.begin(), x.elements.end()));
  interpreter.Run();
  const Nd expected = Spread(x, {1, 2}, {0, 1}, {0, 2});
  EXPECT_EQ(interpreter.Output<T>(0),
            std::vector<T>(expected.elements.begin(), expected.elements.end()));
}

TEST(BatchToSpace, MovesElementsOfEveryWholeByteType) {
  RunOnElementsOf<int8_t>(ElementType::i8);
  RunOnElementsOf<uint8_t>(ElementType::boolean);
  RunOnElementsOf<uint16_t>(ElementType::f16);
  RunOnElementsOf<float>(ElementType::f32);
  RunOnElementsOf<double>(ElementType::f64);
  RunOnElementsOf<int64_t>(ElementType::i64);
}

TEST(SpaceToBatch, IsUndoneByBatchToSpace) {
  const Nd x = Iota({2, 5, 4});
  const Ints block = {1, 3, 2}, begin = {0, 1, 0}, end = {0, 0, 2};
  const Nd y = Only(SpaceToBatch(x, block, begin, end));
  EXPECT_EQ(y, Gathered(x, block, begin, end));
  EXPECT_EQ(Only(BatchToSpace(y, block, begin, end)), x);
}

TEST(SpaceToBatch, OfPaddingAloneIsAFill) {
  const Outcome outcome = SpaceToBatch(Iota({1, 0}), {1, 2}, {0, 1}, {0, 3});
  EXPECT_EQ(Kinds(outcome.program), std::vector<program::StepKind>{program::StepKind::kFill});
  EXPECT_EQ(Only(outcome), (Nd{{2, 2}, {0, 0, 0, 0}}));
}

TEST(SpaceToBatch, NamesTheNumbersThatDoNotDivide) {
  EXPECT_PRED2(Contains, SpaceToBatch(Iota({1, 5}), {1, 3}, {0, 1}, {0, 1}).faults,
               "axis 1 of extent 5 with pads 1 and 1 is 7; must be divisible by block 3");
  EXPECT_PRED2(Contains, SpaceToBatch(Iota({1, 5}), {1, 3}, {1, 1}, {0, 0}).faults,
               "pads_begin[0] is 1; the batch axis must have 0");
}

TEST(BatchToSpace, AgreesWithTheDocumentOnRandomShapes) {
  Dice dice(2);
  for (int round = 0; round < 300; ++round) {
    const int64_t rank = dice.Roll(2, 5);
    Dims dims = {dice.Roll(1, 2)};
    Ints block = {1}, begin = {0}, end = {0};
    for (int64_t axis = 1; axis < rank; ++axis) {
      block.push_back(dice.Roll(1, 4));
      dims.push_back(dice.Roll(1, 3));
      dims[0] *= block.back();
      const int64_t length = block.back() * dims.back();
      begin.push_back(dice.Roll(0, length));
      end.push_back(dice.Roll(0, length - begin.back()));
    }
    const Nd x = Iota(dims);
    ASSERT_EQ(Only(BatchToSpace(x, block, begin, end)), Spread(x, block, begin, end))
        << ToString(dims) << ToString(block) << ToString(begin) << ToString(end);
  }
}

TEST(SpaceToBatch, AgreesWithItsDefinitionOnRandomShapes) {
  Dice dice(3);
  for (int round = 0; round < 300; ++round) {
    const int64_t rank = dice.Roll(2, 5);
    Dims dims = {dice.Roll(1, 2)};
    Ints block = {1}, begin = {0}, end = {0};
    for (int64_t axis = 1; axis < rank; ++axis) {
      block.push_back(dice.Roll(1, 4));
      const int64_t padded = block.back() * dice.Roll(1, 3);
      begin.push_back(dice.Roll(0, padded - 1));
      end.push_back(dice.Roll(0, padded - 1 - begin.back()));
      dims.push_back(padded - begin.back() - end.back());
    }
    const Nd x = Iota(dims);
    ASSERT_EQ(Only(SpaceToBatch(x, block, begin, end)), Gathered(x, block, begin, end))
        << ToString(dims) << ToString(block) << ToString(begin) << ToString(end);
  }
}

}  // namespace
}  // namespace weft
