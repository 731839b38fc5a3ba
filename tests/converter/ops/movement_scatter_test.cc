// SPDX-License-Identifier: Apache-2.0
// ScatterUpdate, ScatterElementsUpdate, ScatterNDUpdate and SliceScatter.
#include <gtest/gtest.h>

#include "tests/converter/ops/movement_fixture.h"

namespace weft {
namespace {

using program::StepKind;

void SetElement(Nd& nd, const Dims& index, int32_t element) {
  int64_t flat = 0;
  for (size_t i = 0; i < nd.dims.size(); ++i) flat = flat * nd.dims[i] + index[i];
  nd.elements.at(static_cast<size_t>(flat)) = element;
}

// Numbers that do not occur in the data.
Nd UpdatesOf(Dims dims) {
  Nd updates = Iota(std::move(dims));
  for (int32_t& element : updates.elements) element += 1000;
  return updates;
}

// Writes each update, in order, to the index that `position` computes from the update's index.
template <typename Position>
Nd WithUpdates(Nd data, const Nd& updates, Position position) {
  Make(updates.dims, [&](const Dims& at) {
    SetElement(data, position(at), At(updates, at));
    return 0;
  });
  return data;
}

int64_t FromStartOf(int64_t index, int64_t dim) { return index < 0 ? index + dim : index; }

// Data and updates are computed; indices are constant if `known`; `rest` are constants.
Outcome RunScatter(const std::string& type, int opset, const Nd& x, const Nd& indices,
                   const Nd& updates, bool known, const std::vector<int64_t>& axis = {},
                   const Text& attributes = {}) {
  GraphBuilder g;
  const ir::Source data = g.Parameter({ElementType::i32, x.dims});
  const ir::Source update = g.Parameter({ElementType::i32, updates.dims});
  const TensorType index_type{ElementType::i32, indices.dims};
  const ir::Source index = known ? g.Const(index_type, indices.elements) : g.Parameter(index_type);
  std::vector<ir::Source> inputs = {data, index, update};
  if (!axis.empty()) inputs.push_back(g.Int(axis[0]));
  std::vector<Nd> values = {x, updates};
  if (!known) values.push_back(indices);
  return RunGraph(g, values, g.Add(type, opset, inputs, attributes));
}

Outcome ScatterRows(const Nd& x, const Nd& indices, const Nd& updates, int64_t axis, bool known) {
  return RunScatter("ScatterUpdate", 3, x, indices, updates, known, {axis});
}

Nd RowsWritten(const Nd& x, const Nd& indices, const Nd& updates, size_t axis) {
  const size_t rank = indices.dims.size();
  return WithUpdates(x, updates, [&](const Dims& at) {
    const auto first = at.begin() + static_cast<Dims::difference_type>(axis);
    const auto last = first + static_cast<Dims::difference_type>(rank);
    Dims to(at.begin(), first);
    to.push_back(At(indices, Dims(first, last)));
    to.insert(to.end(), last, at.end());
    return to;
  });
}

std::vector<StepKind> KindsOfRows(const Nd& x, const Nd& indices, size_t axis, bool known) {
  Dims dims = x.dims;
  const auto at = dims.begin() + static_cast<Dims::difference_type>(axis);
  dims.insert(dims.erase(at), indices.dims.begin(), indices.dims.end());
  const Nd updates = UpdatesOf(dims);
  const Outcome outcome = ScatterRows(x, indices, updates, static_cast<int64_t>(axis), known);
  EXPECT_EQ(Only(outcome), RowsWritten(x, indices, updates, axis));
  return Kinds(outcome.program);
}

const std::vector<StepKind> kScatterCopies = {StepKind::kCopy, StepKind::kCopy};
const std::vector<StepKind> kScatterChoice = {StepKind::kGather, StepKind::kSelect};

TEST(ScatterUpdate, OfTheOnlyPlaceIsTheUpdate) {
  EXPECT_EQ(KindsOfRows(Iota({1, 2, 3}), {{1}, {0}}, 0, true), std::vector<StepKind>());
  EXPECT_EQ(KindsOfRows(Iota({1, 2, 3}), {{}, {0}}, 0, true), std::vector<StepKind>());
  EXPECT_EQ(KindsOfRows(Iota({4, 3}), {{4}, {0, 1, 2, 3}}, 0, true), std::vector<StepKind>());
}

TEST(ScatterUpdate, CopiesRunsOfKnownRowsIntoTheData) {
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(KindsOfRows(Iota({4, 5, 6}), {{1}, {2}}, axis, true), kScatterCopies);
    EXPECT_EQ(KindsOfRows(Iota({4, 5, 6}), {{}, {3}}, axis, true), kScatterCopies);
    EXPECT_EQ(KindsOfRows(Iota({4, 5, 6}), {{2}, {3, 1}}, axis, true), kScatterCopies);
  }
  EXPECT_EQ(KindsOfRows(Iota({4, 3}), {{4}, {3, 2, 1, 0}}, 0, true),
            std::vector<StepKind>{StepKind::kCopy});
}

TEST(ScatterUpdate, ChoosesAmongManyKnownRows) {
  const Nd indices{{2, 5}, {3, 9, 8, 2, 5, 4, 11, 6, 0, 10}};
  EXPECT_EQ(KindsOfRows(Iota({12, 2}), indices, 0, true), kScatterChoice);
  EXPECT_EQ(KindsOfRows(Iota({2, 12, 2}), indices, 1, true), kScatterChoice);
  EXPECT_EQ(KindsOfRows(Iota({10, 3}), {{10}, {0, 7, 4, 8, 1, 5, 3, 2, 6, 9}}, 0, true),
            std::vector<StepKind>{StepKind::kGather});
}

TEST(ScatterUpdate, KeepsTheLastOfEqualRows) {
  KindsOfRows(Iota({5, 3}), {{4}, {1, 3, 1, 1}}, 0, true);
  KindsOfRows(Iota({2, 7}), {{9}, {1, 3, 1, 6, 0, 5, 3, 2, 1}}, 1, true);
  const Nd many{{12}, {3, 9, 8, 2, 5, 4, 11, 6, 0, 10, 3, 8}};
  EXPECT_EQ(KindsOfRows(Iota({12, 2}), many, 0, true), kScatterChoice);
}

TEST(ScatterUpdate, FindsAComputedRowByComparison) {
  const std::vector<StepKind> kinds = {StepKind::kCompare, StepKind::kSelect};
  EXPECT_EQ(KindsOfRows(Iota({4, 3}), {{1}, {2}}, 0, false), kinds);
  EXPECT_EQ(KindsOfRows(Iota({2, 4, 3}), {{}, {3}}, 1, false), kinds);
  const Nd x = Iota({4, 3});
  for (const int32_t beyond : {4, -1}) {
    EXPECT_EQ(Only(ScatterRows(x, {{1}, {beyond}}, UpdatesOf({1, 3}), 0, false)), x) << beyond;
  }
}

// Lowers a scatter of f32 by run-time indices of i64.
program::Program LoweredScatter(const std::string& type, int opset, Dims data, Dims indices,
                                Dims updates, bool with_axis, const Text& attributes = {}) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter(F32(std::move(data))),
                                    g.Parameter({ElementType::i64, std::move(indices)}),
                                    g.Parameter(F32(std::move(updates)))};
  if (with_axis) inputs.push_back(g.Int(1));
  g.Add(type, opset, inputs, attributes);
  EXPECT_TRUE(g.Infer()) << g.FaultText();
  return g.Lower();
}

// Step kinds in the body of the only section.
std::vector<StepKind> BodyKinds(const program::Program& program, int64_t trips) {
  if (program.sections.size() != 1 || !program.sections[0].loop) return {};
  EXPECT_EQ(program.sections[0].trip_count, trips);
  std::vector<StepKind> kinds;
  for (const program::Item& item : program.blocks[program.sections[0].loop->body].items) {
    if (const auto* step = std::get_if<program::Step>(&item)) kinds.push_back(step->kind());
  }
  return kinds;
}

TEST(Scatters, WriteComputedRowsOneAfterAnother) {
  const std::vector<StepKind> replaces = {StepKind::kCompare, StepKind::kSelect};
  const std::vector<StepKind> adds = {StepKind::kCompare, StepKind::kBinary, StepKind::kSelect};
  EXPECT_EQ(BodyKinds(LoweredScatter("ScatterUpdate", 3, {2, 7, 3}, {4}, {2, 4, 3}, true), 4),
            replaces);
  EXPECT_EQ(
      BodyKinds(LoweredScatter("ScatterElementsUpdate", 3, {2, 7, 3}, {2, 5, 3}, {2, 5, 3}, true),
                5),
      replaces);
  EXPECT_EQ(BodyKinds(LoweredScatter("ScatterElementsUpdate", 12, {2, 7, 3}, {2, 5, 3}, {2, 5, 3},
                                     true, {{"reduction", "sum"}}),
                      5),
            adds);
  EXPECT_EQ(BodyKinds(LoweredScatter("ScatterNDUpdate", 15, {4, 7, 3}, {6, 2}, {6, 3}, false,
                                     {{"reduction", "max"}}),
                      6),
            adds);
}

TEST(Scatters, ForwardTheDataWhereNothingIsWritten) {
  EXPECT_EQ(KindsOfRows(Iota({4, 3}), {{0}, {}}, 0, true), std::vector<StepKind>());
  EXPECT_EQ(KindsOfRows(Iota({4, 3}), {{0}, {}}, 0, false), std::vector<StepKind>());
  EXPECT_TRUE(Kinds(LoweredScatter("ScatterUpdate", 3, {0, 7, 3}, {4}, {0, 4, 3}, true)).empty());
}

TEST(ScatterUpdate, SaysWhatIsWrong) {
  const Nd x = Iota({4, 3});
  EXPECT_PRED2(Contains, ScatterRows(x, {{1}, {-1}}, UpdatesOf({1, 3}), 0, true).faults,
               "index -1 of an axis of 4; must be from 0 to 3");
  EXPECT_PRED2(Contains, ScatterRows(x, {{1}, {4}}, UpdatesOf({1, 3}), 0, true).faults,
               "index 4 of an axis of 4; must be from 0 to 3");
  EXPECT_PRED2(Contains, ScatterRows(x, {{1}, {0}}, UpdatesOf({3}), 0, true).faults,
               "input 2 (updates) is i32[3]; must be i32[1,3]");
  EXPECT_PRED2(Contains, ScatterRows(x, {{1}, {0}}, UpdatesOf({1, 3}), 2, true).faults,
               "axis 2 of a rank 2 tensor");
  GraphBuilder g;
  const ir::Source data = g.Parameter({ElementType::u4, {4, 2}});
  g.Add("ScatterUpdate", 3, {data, g.Ints({0}), g.Parameter({ElementType::u4, {1, 2}}), g.Int(0)});
  const ir::Source floats = g.Parameter(F32({4}));
  g.Add("ScatterUpdate", 3, {floats, g.Floats({1}, {0}), g.Parameter(F32({1})), g.Int(0)});
  g.Add("ScatterUpdate", 3,
        {floats, g.Ints({0}), g.Parameter(F32({1})), g.Parameter({ElementType::i64, {}})});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "moves single elements of input 0, which is u4[4,2]");
  EXPECT_PRED2(Contains, g.FaultText(),
               "input 1 (indices) is f32; must be i32, i64, i16, i8 or u8");
  EXPECT_PRED2(Contains, g.FaultText(), "input 3 (axis) is computed at run time");
}

TEST(ScatterElements, WritesEachElementToItsPlace) {
  Dice dice(5);
  for (const Dims& dims : {Dims{3, 5, 4}, Dims{2, 3, 3}, Dims{1, 1, 1}}) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const Nd x = Iota({3, 5, 4}), updates = UpdatesOf(dims);
      const Nd indices = Make(dims, [&](const Dims&) {
        return static_cast<int32_t>(dice.Roll(-x.dims[axis], x.dims[axis] - 1));
      });
      const Nd expected = WithUpdates(x, updates, [&](Dims at) {
        at[axis] = FromStartOf(At(indices, at), x.dims[axis]);
        return at;
      });
      EXPECT_EQ(Only(RunScatter("ScatterElementsUpdate", 3, x, indices, updates, true,
                                {static_cast<int64_t>(axis)})),
                expected);
    }
  }
}

TEST(ScatterElements, SeesRowsThatStayTogether) {
  const Nd indices{{2, 3}, {3, 3, 3, 1, 1, 1}};
  const Outcome outcome =
      RunScatter("ScatterElementsUpdate", 12, Iota({5, 3}), indices, UpdatesOf({2, 3}), true, {0});
  EXPECT_EQ(outcome.faults, "");
  EXPECT_EQ(Kinds(outcome.program), kScatterCopies);
}

Outcome CombineElements(const Text& attributes, bool known, Dims dims = {4}, int opset = 12) {
  GraphBuilder g;
  const TensorType type{ElementType::i64, dims};
  const ir::Source indices =
      known ? g.Const(type, std::vector<int64_t>(static_cast<size_t>(CountOf(dims)), 0))
            : g.Parameter(type);
  const ir::Source data = g.Parameter(F32({3})), updates = g.Parameter(F32(dims));
  g.Add("ScatterElementsUpdate", opset, {data, indices, updates, g.Int(0)}, attributes);
  Outcome outcome;
  if (g.Infer()) outcome.program = g.Lower();
  outcome.faults = g.FaultText();
  return outcome;
}

TEST(ScatterElements, CombinesOneUpdateOfAPlaceAfterAnother) {
  const auto sums = [](const Text& attributes) {
    const Outcome outcome = CombineElements(attributes, true);
    EXPECT_EQ(outcome.faults, "");
    return std::ranges::count(Kinds(outcome.program), StepKind::kBinary);
  };
  EXPECT_EQ(sums({{"reduction", "none"}}), 0);
  EXPECT_EQ(sums({{"reduction", "sum"}}), 4);
  EXPECT_EQ(sums({{"reduction", "sum"}, {"use_init_val", "false"}}), 3);
  EXPECT_EQ(sums({{"reduction", "mean"}}), 5);
}

TEST(ScatterElements, RefusesWhatNoStepsDo) {
  EXPECT_EQ(CombineElements({{"reduction", "sum"}}, true, {64}).faults, "");
  EXPECT_PRED2(Contains, CombineElements({{"reduction", "sum"}}, true, {65}).faults,
               "65 updates are combined into one element; must be at most 64");
  EXPECT_EQ(CombineElements({{"use_init_val", "false"}}, false).faults, "");
  EXPECT_PRED2(Contains, CombineElements({{"reduction", "sub"}}, true).faults,
               "must be one of none sum prod min max mean");
  EXPECT_PRED2(Contains, CombineElements({}, true, {2, 2}).faults,
               "indices are [2,2] and data [3]; no extent may exceed that of data");
  GraphBuilder g;
  const ir::Source whole = g.Parameter({ElementType::i32, {2}});
  g.Add("ScatterElementsUpdate", 12, {whole, g.Ints({0, 1}), whole, g.Int(0)},
        {{"reduction", "mean"}});
  EXPECT_FALSE(g.Infer());
  EXPECT_PRED2(Contains, g.FaultText(), "element type i32; this operation supports f32");
}

TEST(ScatterNd, WritesRowsByTuples) {
  const Nd x = Iota({4, 5, 3});
  const Nd indices{{2, 2, 2}, {3, 4, 0, -5, -2, 1, 3, 0}}, updates = UpdatesOf({2, 2, 3});
  const Nd expected = WithUpdates(x, updates, [&](const Dims& at) {
    return Dims{FromStartOf(At(indices, {at[0], at[1], 0}), 4),
                FromStartOf(At(indices, {at[0], at[1], 1}), 5), at[2]};
  });
  for (const int opset : {3, 4, 15}) {
    EXPECT_EQ(Only(RunScatter("ScatterNDUpdate", opset, x, indices, updates, true)), expected);
  }
  const Nd all = UpdatesOf({4, 5, 3});
  const Outcome one = RunScatter("ScatterNDUpdate", 15, Iota({1, 4, 5, 3}), {{1}, {-1}}, all, true);
  EXPECT_EQ(Only(one), Reshaped(all, {1, 4, 5, 3}));
  EXPECT_EQ(one.step_count(), 0u);
}

TEST(ScatterNd, SaysWhatIsWrong) {
  const Nd x = Iota({4, 3});
  EXPECT_PRED2(
      Contains,
      RunScatter("ScatterNDUpdate", 15, x, {{1, 3}, {0, 0, 0}}, UpdatesOf({1}), true).faults,
      "indices are [1,3]; must hold tuples of 1 to 2 along their last axis");
  EXPECT_PRED2(Contains,
               RunScatter("ScatterNDUpdate", 15, x, {{1, 1}, {-5}}, UpdatesOf({1, 3}), true).faults,
               "index -5 of an axis of 4; must be from -4 to 3");
  EXPECT_PRED2(Contains,
               RunScatter("ScatterNDUpdate", 15, x, {{1, 1}, {0}}, UpdatesOf({1, 2}), true).faults,
               "input 2 (updates) is i32[1,2]; must be i32[1,3]");
  EXPECT_PRED2(Contains,
               RunScatter("ScatterNDUpdate", 15, x, {{1, 1}, {0}}, UpdatesOf({1, 3}), true, {},
                          {{"reduction", "mean"}})
                   .faults,
               "must be one of none sum sub prod min max");
}

Outcome ScatterSlice(const Nd& x, const Nd& updates,
                     const std::vector<std::vector<int64_t>>& bounds) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter({ElementType::i32, x.dims}),
                                    g.Parameter({ElementType::i32, updates.dims})};
  for (const std::vector<int64_t>& bound : bounds) inputs.push_back(g.Ints(bound));
  return RunGraph(g, {x, updates}, g.Add("SliceScatter", 15, inputs));
}

TEST(SliceScatter, WritesWhatASliceWouldTake) {
  const Nd x = Iota({5, 6}), updates = UpdatesOf({2, 3});
  const Outcome outcome = ScatterSlice(x, updates, {{1, 5}, {3, 0}, {1, -2}, {0, 1}});
  EXPECT_EQ(Only(outcome), WithUpdates(x, updates, [](const Dims& at) {
              return Dims{1 + at[0], 5 - 2 * at[1]};
            }));
  EXPECT_EQ(Kinds(outcome.program), kScatterCopies);
  const Nd rows = UpdatesOf({2, 6});
  EXPECT_EQ(Only(ScatterSlice(x, rows, {{-2}, {9}, {1}})), WithUpdates(x, rows, [](const Dims& at) {
              return Dims{3 + at[0], at[1]};
            }));
  EXPECT_EQ(ScatterSlice(x, UpdatesOf({5, 6}), {{0}, {5}, {1}}).step_count(), 0u);
  EXPECT_PRED2(Contains, ScatterSlice(x, UpdatesOf({1, 6}), {{0}, {2}, {1}}).faults,
               "input 1 (updates) is i32[1,6]; must be i32[2,6]");
}

}  // namespace
}  // namespace weft
