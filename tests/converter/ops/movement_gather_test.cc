// SPDX-License-Identifier: Apache-2.0
// Gather with known and with computed indices, and OneHot.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

using program::StepKind;

// Gather by the specification: the axes before `axis`, the non-batch axes of the indices, then the
// axes after `axis`.
Nd Gathered(const Nd& x, const Nd& indices, size_t axis, size_t batch_dims = 0) {
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<Dims::difference_type>(axis));
  dims.insert(dims.end(), indices.dims.begin() + static_cast<Dims::difference_type>(batch_dims),
              indices.dims.end());
  dims.insert(dims.end(), x.dims.begin() + static_cast<Dims::difference_type>(axis) + 1,
              x.dims.end());
  const size_t rest = indices.dims.size() - batch_dims;
  return Make(dims, [&](const Dims& at) {
    Dims index(at.begin(), at.begin() + static_cast<Dims::difference_type>(batch_dims));
    Dims from(at.begin(), at.begin() + static_cast<Dims::difference_type>(axis));
    for (size_t i = 0; i < rest; ++i) index.push_back(at[axis + i]);
    const int64_t position = At(indices, index);
    from.push_back(position < 0 ? position + x.dims[axis] : position);
    for (size_t i = axis + rest; i < at.size(); ++i) from.push_back(at[i]);
    if (from[axis] < 0 || from[axis] >= x.dims[axis]) return 0;
    return At(x, from);
  });
}

Outcome Gather(int opset, const Nd& x, const Nd& indices, int64_t axis, bool known,
               const Text& attributes = {}) {
  GraphBuilder g;
  const ir::Source data = g.Parameter({ElementType::i32, x.dims});
  const TensorType type{ElementType::i32, indices.dims};
  const ir::Source index = known ? g.Const(type, indices.elements) : g.Parameter(type);
  std::vector<Nd> values = {x};
  if (!known) values.push_back(indices);
  return RunGraph(g, values, g.Add("Gather", opset, {data, index, g.Int(axis)}, attributes));
}

TEST(Gather, TakesPlacesOfEveryAxis) {
  const Nd x = Iota({3, 4, 5});
  const Nd indices{{2, 3}, {0, 2, 1, 2, 2, 0}};
  for (const int opset : {1, 7, 8}) {
    for (size_t axis = 0; axis < 3; ++axis) {
      for (const bool known : {false, true}) {
        const Nd expected = Gathered(x, indices, axis);
        const auto signed_axis = static_cast<int64_t>(axis);
        EXPECT_EQ(Only(Gather(opset, x, indices, signed_axis, known)), expected);
        EXPECT_EQ(Only(Gather(opset, x, indices, signed_axis - 3, known)), expected);
      }
    }
  }
}

TEST(Gather, OfOnePlaceDropsTheAxis) {
  const Nd x = Iota({3, 4});
  for (const bool known : {false, true}) {
    EXPECT_EQ(Only(Gather(8, x, {{}, {2}}, 0, known)), Reshaped(Gathered(x, {{1}, {2}}, 0), {4}));
    EXPECT_EQ(Only(Gather(8, x, {{1}, {2}}, 1, known)), Gathered(x, {{1}, {2}}, 1));
  }
  EXPECT_EQ(Gather(8, x, {{}, {2}}, 0, true).step_count(), 0u);
  EXPECT_EQ(Gather(8, x, {{}, {2}}, 1, true).step_count(), 1u);
}

TEST(Gather, OfKnownRunsIsCopiesAndOfMoreASingleStep) {
  const Nd x = Iota({9, 2});
  const auto kinds = [&](const Nd& indices) {
    const Outcome outcome = Gather(8, x, indices, 0, true);
    EXPECT_EQ(Only(outcome), Gathered(x, indices, 0));
    return Kinds(outcome.program);
  };
  EXPECT_EQ(kinds({{4}, {2, 3, 4, 5}}), std::vector<StepKind>());
  EXPECT_EQ(kinds({{3}, {8, 4, 0}}), std::vector<StepKind>{StepKind::kCopy});
  EXPECT_EQ(kinds({{3}, {5, 5, 5}}), std::vector<StepKind>{StepKind::kCopy});
  EXPECT_EQ(kinds({{4}, {0, 1, -1, -2}}), (std::vector<StepKind>(2, StepKind::kCopy)));
  EXPECT_EQ(kinds({{9}, {0, 7, 1, 6, 5, 0, 3, 3, 8}}), std::vector<StepKind>{StepKind::kGather});
}

TEST(Gather, CountsNegativeIndicesFromTheEndInVersionEight) {
  const Nd x = Iota({2, 5});
  const Nd indices{{3}, {-1, 0, -5}};
  EXPECT_EQ(Only(Gather(8, x, indices, 1, true)), Gathered(x, indices, 1));
  EXPECT_EQ(Only(Gather(8, x, indices, 1, false)), Gathered(x, indices, 1));
  EXPECT_PRED2(Contains, Gather(7, x, indices, 1, true).faults,
               "index -1 of an axis of 5; must be from 0 to 4 (Gather-8 counts");
  EXPECT_PRED2(Contains, Gather(8, x, {{1}, {-6}}, 1, true).faults,
               "index -6 of an axis of 5; must be from -5 to 4");
  EXPECT_PRED2(Contains, Gather(8, x, {{1}, {5}}, 1, true).faults, "index 5 of an axis of 5");
}

TEST(Gather, YieldsZerosForAComputedIndexOutOfRange) {
  const Nd x = Iota({2, 5});
  const Nd indices{{4}, {5, 0, -6, 4}};
  EXPECT_EQ(Only(Gather(8, x, indices, 1, false)), Gathered(x, indices, 1));
}

TEST(Gather, SharesBatchAxes) {
  const Nd x = Iota({2, 3, 4, 5});
  const Nd indices{{2, 3}, {3, 0, 1, 2, 2, 0}};
  for (const bool known : {false, true}) {
    EXPECT_EQ(Only(Gather(7, x, indices, 2, known, {{"batch_dims", "1"}})),
              Gathered(x, indices, 2, 1));
    EXPECT_EQ(Only(Gather(8, x, indices, 3, known, {{"batch_dims", "2"}})),
              Gathered(x, indices, 3, 2));
    EXPECT_EQ(Only(Gather(8, x, indices, 2, known, {{"batch_dims", "-1"}})),
              Gathered(x, indices, 2, 1));
    const Nd one = Iota({1, 3, 4});
    const Nd of_one{{1, 2}, {2, 1}};
    EXPECT_EQ(Only(Gather(8, one, of_one, 1, known, {{"batch_dims", "1"}})),
              Gathered(one, of_one, 1, 1));
  }
}

TEST(Gather, ChecksBatchAxesAndAxis) {
  const Nd x = Iota({2, 3, 4});
  const Nd indices{{2, 3}, {0, 1, 2, 0, 1, 2}};
  EXPECT_PRED2(Contains, Gather(8, x, indices, 1, true, {{"batch_dims", "2"}}).faults,
               "batch_dims is 2 for axis 1 and indices of rank 2; must be from 0 to 1");
  EXPECT_PRED2(Contains, Gather(8, Iota({3, 3}), indices, 1, true, {{"batch_dims", "1"}}).faults,
               "batch axis 0 is 3 in data [3,3] and 2 in indices [2,3]");
  EXPECT_PRED2(Contains, Gather(8, x, indices, 3, true).faults, "axis 3 of a rank 3 tensor");
  GraphBuilder g;
  const ir::Source data = g.Parameter({ElementType::f32, {4}});
  g.Add("Gather", 8, {data, g.Floats({1}, {1}), g.Int(0)});
  g.Add("Gather", 8, {data, g.Ints({1}), g.Parameter({ElementType::i64, {}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "input 1 (indices) is f32; must be of an integer type");
  EXPECT_PRED2(Contains, g.FaultText(), "input 2 (axis) is computed at run time");
}

TEST(Gather, OfNothingHasNoStep) {
  for (const bool known : {false, true}) {
    const Outcome outcome = Gather(8, Iota({2, 3}), {{0}, {}}, 1, known);
    EXPECT_EQ(Only(outcome), Iota({2, 0}));
    EXPECT_EQ(outcome.step_count(), 0u);
  }
}

TEST(Gather, ConvertsIndicesThatTheStepCannotRead) {
  GraphBuilder g;
  const Nd x = Iota({3, 2});
  const ir::Source data = g.Parameter({ElementType::i32, x.dims});
  const ir::Source index = g.Parameter({ElementType::i8, {4}});
  const ir::Source y = g.Add("Gather", 8, {data, index, g.Int(0)});
  g.Result(y);
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  EXPECT_EQ(Kinds(program), (std::vector<StepKind>{StepKind::kConvert, StepKind::kGather}));
  ProgramInterpreter interpreter(program);
  interpreter.SetInput(0, x.elements);
  interpreter.SetInput(1, std::vector<int8_t>{2, -3, 1, 2});
  interpreter.Run();
  EXPECT_EQ(interpreter.Output<int32_t>(0), (std::vector<int32_t>{4, 5, 0, 1, 2, 3, 4, 5}));
}

Outcome OneHot(const Nd& indices, int64_t depth, int64_t axis) {
  GraphBuilder g;
  const ir::Source in = g.Parameter({ElementType::i32, indices.dims});
  const ir::Source on = g.Const<int32_t>({ElementType::i32, {}}, {7});
  const ir::Source off = g.Const<int32_t>({ElementType::i32, {}}, {-1});
  return RunGraph(
      g, {indices},
      g.Add("OneHot", 1, {in, g.Int(depth), on, off}, {{"axis", std::to_string(axis)}}));
}

TEST(OneHot, PutsTheNewAxisAnywhere) {
  const Nd indices{{2, 3}, {0, 2, 3, 1, -1, 2}};
  for (int64_t axis = 0; axis < 3; ++axis) {
    Dims dims = indices.dims;
    dims.insert(dims.begin() + axis, 3);
    const Nd expected = Make(dims, [&](Dims index) {
      const int64_t position = index[static_cast<size_t>(axis)];
      index.erase(index.begin() + axis);
      return At(indices, index) == position ? 7 : -1;
    });
    EXPECT_EQ(Only(OneHot(indices, 3, axis)), expected);
    EXPECT_EQ(Only(OneHot(indices, 3, axis - 3)), expected);
  }
  EXPECT_EQ(Only(OneHot({{}, {1}}, 2, 0)), (Nd{{2}, {-1, 7}}));
  EXPECT_EQ(OneHot(indices, 0, -1).step_count(), 0u);
}

// OneHot of constant indices along a new axis 0 of extent 3; empty after an error.
Nd FoldedOneHot(int opset, const Nd& indices, const std::string& mode, Faults* faults = nullptr) {
  GraphBuilder g;
  const ir::Source in = g.Const<int32_t>({ElementType::i32, indices.dims}, indices.elements);
  const ir::Source on = g.Const<int32_t>({ElementType::i32, {}}, {7});
  const ir::Source off = g.Const<int32_t>({ElementType::i32, {}}, {-1});
  Text attributes = {{"axis", "0"}};
  if (!mode.empty()) attributes["negative_indices_mode"] = mode;
  g.Result(g.Add("OneHot", opset, {in, g.Int(3), on, off}, attributes));
  const bool good = InferAndFold(g.graph, {}, g.faults);
  if (faults != nullptr) *faults = g.faults;
  const std::optional<ir::Constant>& folded = g.graph.results[0]->inputs[0].node->constant;
  if (!good || !folded) return {};
  Nd nd{folded->type.dims, {}};
  nd.elements.resize(folded->bytes.size() / sizeof(int32_t));
  std::memcpy(nd.elements.data(), folded->bytes.data(), folded->bytes.size());
  return nd;
}

TEST(OneHot, CountsNegativeIndicesFromTheEndWhereAsked) {
  const Nd indices{{6}, {0, 2, -1, 3, -4, -3}};
  const Nd ignored{{3, 6},
                   {7, -1, -1, -1, -1, -1,   //
                    -1, -1, -1, -1, -1, -1,  //
                    -1, 7, -1, -1, -1, -1}};
  const Nd counted{{3, 6},
                   {7, -1, -1, -1, -1, 7,    //
                    -1, -1, -1, -1, -1, -1,  //
                    -1, 7, 7, -1, -1, -1}};
  EXPECT_EQ(FoldedOneHot(16, indices, ""), ignored);
  EXPECT_EQ(FoldedOneHot(16, indices, "ignore_negative"), ignored);
  EXPECT_EQ(FoldedOneHot(16, indices, "Normalize"), counted);
  EXPECT_EQ(FoldedOneHot(1, indices, "normalize"), ignored);
  EXPECT_EQ(FoldedOneHot(16, {{}, {-3}}, "normalize"), (Nd{{3}, {7, -1, -1}}));
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(FoldedOneHot(16, {{2}, {kLowest, -(kLowest + 1)}}, "normalize"),
            (Nd{{3, 2}, {-1, -1, -1, -1, -1, -1}}));
}

TEST(OneHot, CountsOnTheSmallSideOfTheNewAxis) {
  GraphBuilder g;
  const ir::Source in = g.Parameter({ElementType::i64, {2, 5}});
  g.Add("OneHot", 16, {in, g.Int(3), g.Float(1), g.Float(0)},
        {{"axis", "-1"}, {"negative_indices_mode", "normalize"}});
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const program::Program program = g.Lower();
  using program::StepKind;
  ASSERT_EQ(Kinds(program),
            (std::vector<StepKind>{StepKind::kBinary, StepKind::kCompare, StepKind::kSelect,
                                   StepKind::kCompare, StepKind::kSelect}));
  const auto added = ParamsAt<format::BinaryParams>(program, 0);
  EXPECT_EQ(First(added.dims(), added.rank()), (Dims{10}));
  EXPECT_EQ(added.type(), ElementType::i64);
}

TEST(OneHot, SaysWhatIsWrong) {
  EXPECT_PRED2(Contains, OneHot({{1}, {0}}, -1, 0).faults, "depth is -1; must not be negative");
  EXPECT_PRED2(Contains, OneHot({{1}, {0}}, 2, 2).faults, "axis 2 of a rank 2 tensor");
  Faults faults;
  FoldedOneHot(16, {{1}, {0}}, "wrap", &faults);
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_PRED2(Contains, faults.lines()[0],
               "negative_indices_mode is \"wrap\"; must be one of ignore_negative normalize");
}

}  // namespace
}  // namespace weft
