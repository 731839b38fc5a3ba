// SPDX-License-Identifier: Apache-2.0
// Products that read a ring in place, and those that must not. Every program runs both ways, with
// bit-identical results.
#include <gtest/gtest.h>

#include "converter/ops/core/matmul.h"
#include "converter/program/builder.h"
#include "converter/program/passes.h"
#include "tests/converter/program_runner.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

using format::RingOrder;
using program::StepKind;
using program::ValueId;
using KindList = std::vector<StepKind>;

constexpr uint32_t kHeads = 2, kPast = 5, kNew = 3, kSize = 4, kRows = 2, kAll = kPast + kNew;

// Two heads of a ring that starts at its third time step, and the products that read them.
class RingProgram {
 public:
  explicit RingProgram(RingOrder order, uint32_t length = kAll) : builder_(program_) {
    x_ = Input({kHeads, kNew, kSize});
    std::vector<float> positions(kHeads * kPast * kSize);
    for (size_t i = 0; i < positions.size(); ++i)
      positions[i] = 0.25f * static_cast<float>(i % 13) - 1;
    past_ = State("past", {ElementType::f32, {std::ssize(positions)}}, positions);
    start_ = State("start", {ElementType::i32, {1}}, std::vector<int32_t>{2});
    window_ = builder_.Scratch({ElementType::f32, {kHeads, length, kSize}});
    past_after_ = builder_.Scratch(builder_.value(past_).type);
    start_after_ = builder_.Scratch(builder_.value(start_).type);
    builder_.Emit(
        format::RingParams(kHeads, kPast, kNew, kSize, 0, 1, 1, length, sizeof(float), order, 0, 0),
        {x_, past_, start_}, {window_, past_after_, start_after_});
  }

  ValueId Input(Dims dims) {
    const ValueId value = builder_.Scratch({ElementType::f32, std::move(dims)});
    program_.inputs.push_back({value, {"x" + std::to_string(program_.inputs.size())}});
    return value;
  }
  void Output(ValueId value) {
    program_.outputs.push_back({value, {"y" + std::to_string(program_.outputs.size())}});
  }

  // Scores: a row for each query, a column for each time step.
  void AddScores() { AddProduct({kHeads, kRows, kSize}, true); }
  // Sums over the time steps.
  void AddSums() { AddProduct({kHeads, kRows, kAll}, false); }

  // The variables take the new contents of the ring.
  program::Program Finished() {
    builder_.Copy(past_after_, past_);
    builder_.Copy(start_after_, start_);
    return std::move(program_);
  }

  program::Builder& builder() { return builder_; }
  ValueId x() const { return x_; }
  ValueId past() const { return past_; }
  ValueId past_after() const { return past_after_; }
  ValueId window() const { return window_; }

 private:
  template <typename T>
  ValueId State(const std::string& name, const TensorType& type, const std::vector<T>& initial) {
    const ValueId value = builder_.VariableNamed(name, type).value;
    builder_.SetInitial(name, builder_.WeightsOf(type, initial));
    return value;
  }
  void AddProduct(const Dims& dims, bool permuted) {
    const ValueId a = Input(dims);
    const ops::MatrixProduct product = ops::ProductOfBatches(
        {kHeads}, ops::MatrixOver(dims), ops::MatrixOver({kHeads, kAll, kSize}, permuted));
    const ValueId y = builder_.Scratch({ElementType::f32, {kHeads, kRows, product.columns}});
    ops::EmitProduct(builder_, product, a, window_, y);
    Output(y);
  }

  program::Program program_;
  program::Builder builder_;
  ValueId x_, past_, start_, window_, past_after_, start_after_;
};

std::vector<std::vector<float>> Answers(const program::Program& program) {
  std::vector<std::vector<float>> inputs;
  uint32_t seed = 1;
  for (const program::Port& port : program.inputs) {
    std::vector<float>& numbers =
        inputs.emplace_back(static_cast<size_t>(program.values[port.value].bytes / 4));
    for (float& number : numbers) {
      seed = seed * 1664525u + 1013904223u;
      number = static_cast<float>(static_cast<int32_t>(seed >> 8) - (1 << 23)) / (1 << 23);
    }
  }
  return RunFloats(program, inputs);
}

program::Program ReadInPlace(const program::Program& program) {
  program::Program changed = program;
  program::ReadRingsInPlace(changed);
  const auto answers = Answers(program);
  EXPECT_FALSE(answers.empty());
  EXPECT_EQ(Answers(changed), answers);
  return changed;
}

TEST(RingProducts, ReadThePlacesOfEveryOrder) {
  for (const RingOrder order : {RingOrder::positions_outer_inner, RingOrder::outer_positions_inner,
                                RingOrder::outer_inner_positions}) {
    SCOPED_TRACE(format::EnumNameRingOrder(order));
    RingProgram scores(order), sums(order), both(order);
    scores.AddScores();
    sums.AddSums();
    both.AddScores();
    both.AddSums();
    const KindList one = {StepKind::kRingMatmul, StepKind::kRing, StepKind::kCopy, StepKind::kCopy};
    EXPECT_EQ(Kinds(ReadInPlace(scores.Finished())), one);
    EXPECT_EQ(Kinds(ReadInPlace(sums.Finished())), one);
    EXPECT_EQ(Kinds(ReadInPlace(both.Finished())),
              (KindList{StepKind::kRingMatmul, StepKind::kRingMatmul, StepKind::kRing,
                        StepKind::kCopy, StepKind::kCopy}));
  }
}

TEST(RingProducts, TakeTheirStridesFromTheOrder) {
  RingProgram permuted(RingOrder::outer_inner_positions);
  permuted.AddScores();
  const program::Program program = ReadInPlace(permuted.Finished());
  const auto params = ParamsAt<format::RingMatmulParams>(program);
  EXPECT_EQ(params.along(), format::RingAlong::columns);
  EXPECT_EQ(params.positions(), kNew);
  EXPECT_EQ(params.past_column_stride(), 1u) << "time steps are adjacent";
  EXPECT_EQ(params.past_inner_stride(), kPast);
  EXPECT_EQ(params.past_batch_strides()->Get(0), kPast * kSize);
  EXPECT_EQ(params.x_column_stride(), kSize);
  EXPECT_EQ(params.x_inner_stride(), 1u);
  EXPECT_EQ(params.x_batch_strides()->Get(0), kNew * kSize);
  const auto ring = ParamsAt<format::RingParams>(program, 1);
  EXPECT_EQ(ring.taps(), 0u);
  EXPECT_EQ(Steps(program)[1].outputs[0], program::kNone);
}

// Heads that all queries of a group share repeat with stride 0.
TEST(RingProducts, ShareHeads) {
  RingProgram shared(RingOrder::outer_positions_inner);
  const ValueId a = shared.Input({kHeads, 3, 1, kSize});
  ops::Matrix b = ops::MatrixOver({kHeads, 1, kAll, kSize}, true);
  const ops::MatrixProduct product =
      ops::ProductOfBatches({kHeads, 3}, ops::MatrixOver({kHeads, 3, 1, kSize}), b);
  const ValueId y = shared.builder().Scratch({ElementType::f32, {kHeads, 3, 1, kAll}});
  ops::EmitProduct(shared.builder(), product, a, shared.window(), y);
  shared.Output(y);
  EXPECT_EQ(Kinds(ReadInPlace(shared.Finished()))[0], StepKind::kRingMatmul);
}

void ExpectStays(program::Program&& program) {
  EXPECT_EQ(Kinds(ReadInPlace(program)), Kinds(program));
}

TEST(RingProducts, LeaveAWindowThatSomethingElseReads) {
  RingProgram ring(RingOrder::outer_inner_positions);
  ring.AddScores();
  const ValueId y = ring.builder().Scratch({ElementType::f32, {kHeads * kAll * kSize}});
  ring.builder().Emit(format::UnaryParams(kHeads * kAll * kSize,
                                          format::Activation(0, 0, 0, format::UnaryOp::abs, 0, 0),
                                          ElementType::f32, 0, 0),
                      {ring.window()}, {y});
  ring.Output(y);
  ExpectStays(ring.Finished());
  RingProgram shown(RingOrder::outer_inner_positions);
  shown.AddScores();
  shown.Output(shown.window());
  ExpectStays(shown.Finished());
}

TEST(RingProducts, LeaveAPartOfThePast) {
  RingProgram ring(RingOrder::outer_positions_inner, kAll - 1);
  const ValueId a = ring.Input({kHeads, kRows, kSize});
  const ops::MatrixProduct product =
      ops::ProductOfBatches({kHeads}, ops::MatrixOver({kHeads, kRows, kSize}),
                            ops::MatrixOver({kHeads, kAll - 1, kSize}, true));
  const ValueId y = ring.builder().Scratch({ElementType::f32, {kHeads, kRows, kAll - 1}});
  ops::EmitProduct(ring.builder(), product, a, ring.window(), y);
  ring.Output(y);
  ExpectStays(ring.Finished());
}

// Rows of the window that contain parts of several time steps.
TEST(RingProducts, LeaveStridesThatCutPlaces) {
  RingProgram ring(RingOrder::outer_positions_inner);
  const ValueId a = ring.Input({1, kRows, 2 * kSize});
  const ops::MatrixProduct product = ops::ProductOfBatches(
      {1}, ops::MatrixOver({1, kRows, 2 * kSize}), ops::MatrixOver({1, kAll, 2 * kSize}, true));
  const ValueId y = ring.builder().Scratch({ElementType::f32, {1, kRows, kAll}});
  ops::EmitProduct(ring.builder(), product, a, ring.window(), y);
  ring.Output(y);
  ExpectStays(ring.Finished());
}

// The ring cannot be written after a product if its new contents are read earlier.
TEST(RingProducts, LeaveARingThatIsReadAfterItsRun) {
  RingProgram ring(RingOrder::outer_positions_inner);
  const ValueId y = ring.builder().Scratch(ring.builder().value(ring.past()).type);
  ring.builder().Copy(ring.past_after(), y);
  ring.Output(y);
  ring.AddScores();
  ExpectStays(ring.Finished());
}

}  // namespace
}  // namespace weft
