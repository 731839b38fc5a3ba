// SPDX-License-Identifier: Apache-2.0
// Products and gates are fused into one step where possible, with bit-identical results.
#include "converter/program/cells.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "converter/ops/support/cell.h"
#include "converter/ops/support/loop.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/program/passes.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/quantised.h"
#include "tests/converter/steps.h"
#include "tests/converter/types.h"

namespace weft {
namespace {

using ops::CellKind;
using program::Builder;
using program::Program;
using program::StepKind;
using program::ValueId;

std::vector<float> Sawtooth(int64_t count, int64_t period) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(0.043f * static_cast<float>(i % period) - 0.4f);
  }
  return numbers;
}

CodedFloats Multiples(int64_t count) {
  std::vector<float> codes;
  for (int64_t i = 0; i < count; ++i) codes.push_back(static_cast<float>(i % 23 - 11));
  return Quantised(std::move(codes), 0.043f);
}

ops::CellShape ShapeOf(CellKind kind, int64_t hidden) {
  ops::CellShape shape;
  shape.kind = kind;
  shape.inputs = 5;
  shape.hidden = hidden;
  shape.linear_before_reset = kind == CellKind::kGru;
  shape.f.mutate_op(format::UnaryOp::sigmoid);
  shape.g.mutate_op(format::UnaryOp::tanh);
  shape.h.mutate_op(format::UnaryOp::tanh);
  return shape;
}

// One cell, or a loop over the rows of x with a cell in its body.
struct CellProgram {
  explicit CellProgram(const ops::CellShape& of, bool is_quantised = false) : shape(of) {
    const int64_t gates = GateCount(shape.kind) * shape.hidden;
    packed = Pack(builder, shape,
                  {Sawtooth(gates * shape.inputs, 19),
                   is_quantised ? Multiples(gates * shape.hidden)
                                : CodedFloats(Sawtooth(gates * shape.hidden, 23)),
                   Sawtooth(gates + shape.hidden, 17)});
  }

  ValueId Input(const TensorType& type) {
    const ValueId value = builder.Scratch(type);
    program.inputs.push_back({value, {"in"}, program::kNone, 0});
    return value;
  }
  void Output(ValueId value) { program.outputs.push_back({value, {"out"}, program::kNone, 0}); }
  std::vector<ValueId> States() {
    std::vector<ValueId> states;
    for (size_t i = 0; i < StateCount(shape.kind); ++i) {
      states.push_back(Input(F32({shape.batch, shape.hidden})));
    }
    return states;
  }

  CellProgram& Once() {
    const ValueId x = Input(F32({shape.batch, shape.inputs}));
    const std::vector<ValueId> states = States();
    for (const ValueId state : EmitCell(builder, shape, packed, x, states)) Output(state);
    return *this;
  }
  // A loop with all values of h as an output, or only its last one.
  CellProgram& Loop(int64_t trips, bool scans = false) {
    ops::LoopSpec spec;
    spec.trips = trips;
    spec.sliced.push_back({Input(F32({trips, shape.inputs})), 0, 1, false, 0});
    size_t result = 0;
    for (const ValueId state : States()) {
      spec.carried.push_back({state, result});
      spec.lasts.push_back({result++, F32({1, shape.hidden})});
    }
    if (scans) spec.scans.push_back({0, 0, false, F32({trips, shape.hidden})});
    const ops::LoopResults out =
        ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
          return EmitCell(builder, shape, packed, iteration.slices[0], iteration.states);
        });
    for (const ValueId last : out.lasts) Output(last);
    for (const ValueId scan : out.scans) Output(scan);
    return *this;
  }

  std::vector<std::vector<float>> Run(const Program& of) const {
    std::vector<std::vector<float>> inputs;
    for (const program::Port& port : of.inputs) {
      inputs.push_back(Sawtooth(of.values[port.value].bytes / 4, 13));
    }
    return RunFloats(of, inputs);
  }

  // Both fusion passes, with hoisting of `hoisted_rows` rows between them. Results must equal those
  // of the separate steps.
  Program Fused(int64_t hoisted_rows = 1) const {
    Program fused = program;
    program::FuseCells(fused, precisions);
    plan::PlanLoops(fused);
    program::Hoist(fused, hoisted_rows);
    program::JoinCellInputs(fused);
    plan::AlternateWeightOrder(fused);
    EXPECT_EQ(Run(fused), Run(program));
    return fused;
  }

  ops::CellShape shape;
  Program program;
  program::Precisions precisions;
  Builder builder{program};
  ops::PackedCell packed;
};

using KindList = std::vector<StepKind>;

// Steps in the copies of the only section, except plain copies, which are removed later.
std::vector<KindList> Phases(const Program& program) {
  std::vector<KindList> phases;
  for (const program::BlockId copy : program.sections.at(0).copies) {
    KindList& kinds = phases.emplace_back();
    for (const program::Item& item : program.blocks[copy].items) {
      const StepKind kind = std::get<program::Step>(item).kind();
      if (kind != StepKind::kCopy) kinds.push_back(kind);
    }
  }
  return phases;
}

TEST(Cells, AreOneStep) {
  for (const int64_t hidden : {1, 8, 16, 17, 31, 40, 48}) {
    const CellProgram lstm = CellProgram(ShapeOf(CellKind::kLstm, hidden)).Once();
    const Program one = lstm.Fused();
    EXPECT_EQ(Kinds(one), KindList{StepKind::kLstmCell});
    EXPECT_EQ(ParamsAt<format::LstmCellParams>(one).inputs(), 5u);
    EXPECT_EQ(ParamsAt<format::LstmCellParams>(one).hidden(), hidden);
    const CellProgram gru = CellProgram(ShapeOf(CellKind::kGru, hidden)).Once();
    EXPECT_EQ(Kinds(gru.Fused()), KindList{StepKind::kGruCell});
  }
}

ops::CellShape ResetBefore(int64_t hidden) {
  ops::CellShape shape = ShapeOf(CellKind::kGru, hidden);
  shape.linear_before_reset = false;
  return shape;
}

TEST(Cells, WithTheResetBeforeTheirProductAreOneStep) {
  for (const int64_t hidden : {1, 8, 16, 17, 31, 40, 48}) {
    const Program one = CellProgram(ResetBefore(hidden)).Once().Fused();
    EXPECT_EQ(Kinds(one), KindList{StepKind::kGruResetCell});
    EXPECT_EQ(ParamsAt<format::GruResetCellParams>(one).inputs(), 5u);
    EXPECT_EQ(ParamsAt<format::GruResetCellParams>(one).hidden(), hidden);
  }
  for (const int64_t trips : {2, 7, 8}) {
    const CellProgram loop = CellProgram(ResetBefore(32)).Loop(trips);
    EXPECT_EQ(Phases(loop.Fused()), (std::vector<KindList>(2, {StepKind::kGruResetCell})));
    EXPECT_EQ(std::ranges::count(Kinds(loop.Fused(trips)), StepKind::kDense), 1);
  }
}

TEST(Cells, WithTheResetBeforeTheirProductStayApartWhereOneStepCannotDoIt) {
  const KindList apart = {StepKind::kDense, StepKind::kDense, StepKind::kGruReset, StepKind::kDense,
                          StepKind::kGruUpdate};
  ops::CellShape rows = ResetBefore(16), gates = rows, candidate = rows;
  rows.batch = 2;
  gates.f.mutate_op(format::UnaryOp::hard_sigmoid);
  candidate.g.mutate_clip(1);
  for (const ops::CellShape& shape : {rows, gates, candidate}) {
    EXPECT_EQ(Kinds(CellProgram(shape).Once().Fused()), apart);
  }
  CellProgram integers = CellProgram(ResetBefore(16)).Once();
  integers.precisions.all = ElementType::i8;
  EXPECT_EQ(Kinds(integers.Fused()), apart);
  CellProgram shared(ResetBefore(16));
  shared.Once().Output(shared.packed.r_candidate);
  EXPECT_EQ(Kinds(shared.Fused()), apart);
}

TEST(Cells, OfIntegersAreSteps) {
  CellProgram lstm = CellProgram(ShapeOf(CellKind::kLstm, 16)).Once();
  lstm.precisions.all = ElementType::i8;
  const KindList apart = {StepKind::kDense, StepKind::kDense, StepKind::kLstmGates};
  EXPECT_EQ(Kinds(lstm.Fused()), apart);
  const std::string layer = Steps(lstm.program).back().layer;
  lstm.precisions.layers = {{layer, ElementType::f32}};
  EXPECT_EQ(Kinds(lstm.Fused()), KindList{StepKind::kLstmCell});
}

TEST(Cells, OfWeightsThatWereIntegersAreSteps) {
  CellProgram lstm = CellProgram(ShapeOf(CellKind::kLstm, 16), true).Once();
  const KindList apart = {StepKind::kDense, StepKind::kDense, StepKind::kLstmGates};
  EXPECT_EQ(Kinds(lstm.Fused()), apart);
  lstm.precisions.all = ElementType::f32;
  EXPECT_EQ(Kinds(lstm.Fused()), KindList{StepKind::kLstmCell});
}

// If --precision names one of the layers, its type must apply to the weights of that layer only.
TEST(Cells, OfLayersThatACallTellsApartAreSteps) {
  CellProgram lstm = CellProgram(ShapeOf(CellKind::kLstm, 16)).Once();
  for (program::Item& item : lstm.program.blocks[lstm.program.main].items) {
    program::Step& step = std::get<program::Step>(item);
    step.layer = step.kind() == StepKind::kLstmGates ? "gates" : "product";
  }
  EXPECT_EQ(Kinds(lstm.Fused()), KindList{StepKind::kLstmCell});
  for (const char* name : {"gates", "product"}) {
    lstm.precisions.layers = {{name, ElementType::f16}};
    EXPECT_EQ(Kinds(lstm.Fused()).back(), StepKind::kLstmGates);
  }
}

// For the cell in each copy of the body: 1 if it reads its weights backward.
std::vector<uint32_t> Directions(const Program& program) {
  std::vector<uint32_t> directions;
  for (const program::BlockId copy : program.sections.at(0).copies) {
    for (const program::Item& item : program.blocks[copy].items) {
      const auto& step = std::get<program::Step>(item);
      if (const auto* lstm = std::get_if<format::LstmCellParams>(&step.params)) {
        directions.push_back(lstm->backward());
      }
      if (const auto* gru = std::get_if<format::GruCellParams>(&step.params)) {
        directions.push_back(gru->backward());
      }
    }
  }
  return directions;
}

TEST(Cells, OfALoopTakeTurnsInTheirOrder) {
  for (const CellKind kind : {CellKind::kLstm, CellKind::kGru}) {
    const StepKind cell = kind == CellKind::kLstm ? StepKind::kLstmCell : StepKind::kGruCell;
    for (const int64_t trips : {2, 7, 8}) {
      const CellProgram loop = CellProgram(ShapeOf(kind, 32)).Loop(trips);
      const Program fused = loop.Fused();
      EXPECT_EQ(Phases(fused), (std::vector<KindList>(2, {cell})));
      EXPECT_EQ(Directions(fused), (std::vector<uint32_t>{0, 1}));
      // A hoisted product stays a separate step.
      const KindList outside = Kinds(loop.Fused(trips));
      EXPECT_EQ(std::ranges::count(outside, StepKind::kDense), 1);
    }
  }
}

// Every h has a separate buffer, so one copy of the body would be enough. A second copy only pays
// if the weights exceed the L1 cache.
TEST(Cells, OfALoopWithAllItsOutputsTakeTurnsWhereWeightsAreLarge) {
  for (const CellKind kind : {CellKind::kLstm, CellKind::kGru}) {
    for (const int64_t trips : {2, 6, 7}) {
      const Program large = CellProgram(ShapeOf(kind, 64)).Loop(trips, true).Fused();
      EXPECT_EQ(Directions(large), (std::vector<uint32_t>{0, 1}));
    }
    const Program small = CellProgram(ShapeOf(kind, 32)).Loop(6, true).Fused();
    EXPECT_EQ(Directions(small), (std::vector<uint32_t>{0}));
  }
}

// A loop of 9 iterations with two phases could not be split into chunks of 3.
TEST(Cells, LeaveOddLoopsTheirChunks) {
  for (const CellKind kind : {CellKind::kLstm, CellKind::kGru}) {
    EXPECT_EQ(Phases(CellProgram(ShapeOf(kind, 64)).Loop(9).Fused())[0].size(), 3u);
    // Phases that only alternate the traversal order may end in the middle of a round.
    const Program chunks = CellProgram(ShapeOf(kind, 64)).Loop(9, true).Fused(3);
    EXPECT_EQ(chunks.sections.at(0).trip_count, 3);
    EXPECT_EQ(Directions(chunks), (std::vector<uint32_t>{0, 1}));
  }
}

TEST(Cells, StayApartWhereOneStepCannotDoIt) {
  const auto kinds_of = [](ops::CellShape shape) {
    const CellProgram cell = CellProgram(shape).Once();
    const KindList kinds = Kinds(cell.Fused());
    return std::set<StepKind>(kinds.begin(), kinds.end());
  };
  const std::set<StepKind> lstm = {StepKind::kDense, StepKind::kLstmGates};
  const std::set<StepKind> gru = {StepKind::kDense, StepKind::kGruGates};
  for (const CellKind kind : {CellKind::kLstm, CellKind::kGru}) {
    const auto& apart = kind == CellKind::kLstm ? lstm : gru;
    ops::CellShape rows = ShapeOf(kind, 16), clipped = rows, other = rows;
    rows.batch = 2;
    EXPECT_EQ(kinds_of(rows), apart);
    clipped.f.mutate_clip(1);
    EXPECT_EQ(kinds_of(clipped), apart);
    other.g.mutate_op(format::UnaryOp::relu);
    EXPECT_EQ(kinds_of(other), apart);
  }
}

// Weights with other readers would be stored twice in the file.
TEST(Cells, LeaveWeightsThatHaveOtherReaders) {
  for (const CellKind kind : {CellKind::kLstm, CellKind::kGru}) {
    CellProgram shared(ShapeOf(kind, 16));
    shared.Once();
    shared.Output(shared.packed.w);
    const KindList kinds = Kinds(shared.Fused());
    ASSERT_EQ(kinds.size(), 2u);
    EXPECT_EQ(kinds[0], StepKind::kDense);
    shared.Output(shared.packed.r);
    EXPECT_EQ(Kinds(shared.Fused()).size(), 3u);
  }
}

// Two cells with equal weights share them.
TEST(Cells, ShareTheirWeights) {
  CellProgram twice(ShapeOf(CellKind::kGru, 16));
  twice.Once().Once();
  const Program fused = twice.Fused();
  const std::vector<program::Step> steps = Steps(fused);
  ASSERT_EQ(Kinds(fused), KindList(2, StepKind::kGruCell));
  EXPECT_EQ(steps[0].inputs[1], steps[1].inputs[1]);
}

TEST(Cells, DoNotReadWhatWasWrittenInBetween) {
  CellProgram cell(ShapeOf(CellKind::kLstm, 16));
  cell.Once();
  std::vector<program::Item>& items = cell.program.blocks[cell.program.main].items;
  auto& recurrent = std::get<program::Step>(items[1]);
  const ValueId h = recurrent.inputs[0];
  Builder& builder = cell.builder;
  builder.Fill(h);  // moved from after the gates to between the product and the gates
  std::rotate(items.begin() + 2, items.end() - 1, items.end());
  EXPECT_EQ(Kinds(cell.Fused()).size(), 4u);
}

}  // namespace
}  // namespace weft
