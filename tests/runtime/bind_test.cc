// SPDX-License-Identifier: Apache-2.0
// The rules of every step, through Open: exactly the bytes of its geometry are enough, and one
// fewer is not. No overlap is accepted except those that the step allows, and these give the same
// results as separate slots.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/footprint/steps.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using format::Kind;

const char* StepName(uint32_t kind) { return format::NameOf(static_cast<Kind>(kind)); }

class EveryStepTest : public testing::TestWithParam<uint32_t> {
 protected:
  StepSample Sample() const { return EveryStep()[GetParam() - 1]; }
  uint32_t Operands() const { return format::kArity[GetParam()].operands(); }
  uint32_t Inputs() const { return format::kArity[GetParam()].inputs; }
};

TEST_P(EveryStepTest, OpensAndRunsWithSlotsOfItsExactSize) {
  StepSample sample = Sample();
  ASSERT_EQ(static_cast<uint32_t>(sample.kind), GetParam())
      << "tests/runtime/samples.h: the sample of " << StepName(GetParam()) << " is of another step";
  Loaded model(sample.builder.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  FillInputs(model.engine);
  EXPECT_TRUE(model.engine.Run().ok());
}

TEST_P(EveryStepTest, NeedsEveryByteOfEveryOperand) {
  for (uint32_t operand = 0; operand < Operands(); ++operand) {
    StepSample sample = Sample();
    format::Slot& slot = sample.builder.slots[sample.operands[operand]];
    const uint32_t bytes = slot.bytes();
    slot.mutate_bytes(bytes - 1);
    Loaded model(sample.builder.Finish());
    EXPECT_EQ(model.fault.code, FaultCode::kOperandBytes) << model.Text();
    EXPECT_EQ(model.fault.operand, operand);
    EXPECT_EQ(model.fault.kind, GetParam());
    EXPECT_EQ(model.fault.is, bytes - 1);
    EXPECT_EQ(model.fault.must, bytes);
  }
}

TEST_P(EveryStepTest, RefusesAbsentOperandsButOptionalOnes) {
  for (uint32_t operand = 0; operand < Operands(); ++operand) {
    StepSample sample = Sample();
    sample.builder.operands[operand] = kNoSlot;
    Loaded model(sample.builder.Finish());
    if (format::kArity[GetParam()].MayLack(operand)) {
      ASSERT_TRUE(model.fault.ok()) << model.Text();
      FillInputs(model.engine);
      EXPECT_TRUE(model.engine.Run().ok());
    } else {
      EXPECT_EQ(model.fault.code, FaultCode::kOperandAbsent) << model.Text();
      EXPECT_EQ(model.fault.operand, operand);
    }
  }
}

TEST_P(EveryStepTest, RefusesOperandsOfAnotherType) {
  // These steps move bytes, whatever their meaning.
  const std::set<std::tuple<std::string, uint32_t>> untyped = {
      {"select", 1}, {"select", 2}, {"select", 3}, {"copy", 0},    {"copy", 1},
      {"fill", 0},   {"gather", 0}, {"gather", 2}, {"compact", 0}, {"compact", 2},
      {"ring", 0},   {"ring", 1},   {"ring", 3},   {"ring", 4}};
  for (uint32_t operand = 0; operand < Operands(); ++operand) {
    StepSample sample = Sample();
    format::Slot& slot = sample.builder.slots[sample.operands[operand]];
    slot.mutate_type(slot.type() == ElementType::u8 ? ElementType::i8 : ElementType::u8);
    sample.builder.inputs.clear();
    sample.builder.outputs.clear();
    Loaded model(sample.builder.Finish());
    const bool any = untyped.count({StepName(GetParam()), operand}) != 0;
    EXPECT_EQ(model.fault.code, any ? FaultCode::kNone : FaultCode::kOperandType) << model.Text();
    EXPECT_EQ(model.fault.operand, any ? 0 : operand);
  }
}

TEST_P(EveryStepTest, RefusesOperandsOffTheirAlignment) {
  for (uint32_t operand = 0; operand < Operands(); ++operand) {
    StepSample sample = Sample();
    format::Slot& slot = sample.builder.slots[sample.operands[operand]];
    if (format::BitsOf(slot.type()) == 8) continue;
    slot.mutate_offset_bytes(slot.offset_bytes() + 2);
    sample.builder.region_bytes[2] += 8;
    // With one byte per element the slot itself is valid; the step is not.
    slot.mutate_type(ElementType::u8);
    sample.builder.inputs.clear();
    sample.builder.outputs.clear();
    Loaded model(sample.builder.Finish());
    EXPECT_TRUE(model.fault.code == FaultCode::kOperandAlignment ||
                model.fault.code == FaultCode::kOperandType)
        << model.Text();
  }
}

TEST_P(EveryStepTest, RefusesOutputsInTheWeights) {
  for (uint32_t operand = Inputs(); operand < Operands(); ++operand) {
    StepSample sample = Sample();
    const uint32_t bytes = sample.builder.slots[sample.operands[operand]].bytes();
    sample.builder.operands[operand] = sample.builder.PositionAt(
        0, 0, bytes, sample.builder.slots[sample.operands[operand]].type(), {});
    Loaded model(sample.builder.Finish());
    EXPECT_EQ(model.fault.code, FaultCode::kOperandConstant) << model.Text();
    EXPECT_EQ(model.fault.operand, operand);
  }
}

std::vector<std::byte> OutputsOf(const Loaded& model) {
  std::vector<std::byte> bytes;
  for (uint32_t port = 0; port < model.engine.output_count(); ++port) {
    const Tensor tensor = model.engine.output(port);
    const std::byte* data = static_cast<const std::byte*>(tensor.data);
    bytes.insert(bytes.end(), data, data + tensor.bytes);
  }
  return bytes;
}

// The pairs (step, input, output) that the samples may share.
const std::set<std::tuple<std::string, uint32_t, uint32_t>> kShared = {
    {"unary", 0, 0},          {"compact", 0, 0},        {"binary", 0, 0},
    {"select", 1, 0},         {"softmax", 0, 0},        {"normalize", 0, 0},
    {"lstm_gates", 1, 1},     {"lstm_cell", 3, 1},      {"gru_gates", 2, 0},
    {"gru_reset", 0, 0},      {"gru_reset", 1, 1},      {"gru_update", 0, 0},
    {"gru_update", 1, 0},     {"gru_update", 2, 0},     {"ring", 1, 1},
    {"ring", 2, 2},           {"snake", 0, 0},          {"lookup", 0, 0},
    {"binary_q8", 0, 0},      {"chain", 0, 0},          {"chain", 1, 0},
    {"chain", 2, 0},          {"chain", 3, 0},          {"chain", 4, 0},
    {"chain", 5, 0},          {"softmax_q8", 0, 0},     {"lstm_q8", 3, 0},
    {"lstm_q8", 4, 1},        {"svdf_q8", 4, 1},        {"signal", 0, 0},
    {"auto_scale", 0, 0},     {"channel_gain", 0, 0},   {"channel_gain", 1, 0},
    {"subtract_noise", 0, 0}, {"subtract_noise", 1, 1}, {"unary_q8", 0, 0},
    {"softmax_q16", 0, 0},    {"normalize_q8", 0, 0}};

TEST_P(EveryStepTest, SharesAnAddressOnlyWhereItsKernelAllowsIt) {
  StepSample apart = Sample();
  Loaded reference(apart.builder.Finish());
  ASSERT_TRUE(reference.fault.ok()) << reference.Text();
  FillInputs(reference.engine);
  ASSERT_TRUE(reference.engine.Run().ok());
  for (uint32_t output = Inputs(); output < Operands(); ++output) {
    for (uint32_t input = 0; input < Inputs(); ++input) {
      StepSample sample = Sample();
      const uint32_t offset = sample.builder.slots[input].offset_bytes();
      sample.builder.slots[output].mutate_offset_bytes(offset);
      sample.builder.region_bytes[2] += 512;
      Loaded model(sample.builder.Finish());
      const bool shared = kShared.count({StepName(GetParam()), input, output - Inputs()}) != 0;
      EXPECT_EQ(model.fault.code, shared ? FaultCode::kNone : FaultCode::kOperandOverlap)
          << StepName(GetParam()) << " input " << input << ": " << model.Text();
      if (!model.fault.ok()) continue;
      FillInputs(model.engine);
      ASSERT_TRUE(model.engine.Run().ok());
      EXPECT_EQ(OutputsOf(model), OutputsOf(reference)) << "input " << input;
    }
  }
}

TEST_P(EveryStepTest, RefusesAnyOtherOverlap) {
  for (uint32_t output = Inputs(); output < Operands(); ++output) {
    for (uint32_t other = 0; other < output; ++other) {
      StepSample sample = Sample();
      const format::Slot& slot = sample.builder.slots[other];
      format::Slot& written = sample.builder.slots[output];
      const uint32_t element_bytes = format::BitsOf(written.type()) / 8;
      const uint32_t unit = element_bytes < 4 ? 4 : element_bytes;  // some must be aligned to words
      const uint32_t last = (slot.bytes() - 1) / unit * unit;
      // For `last` 0 this is the operand's own address.
      if (last == 0 && kShared.count({StepName(GetParam()), other, output - Inputs()}) != 0)
        continue;
      written.mutate_offset_bytes(slot.offset_bytes() + last);
      sample.builder.region_bytes[2] += 512;
      Loaded model(sample.builder.Finish());
      EXPECT_EQ(model.fault.code, FaultCode::kOperandOverlap) << model.Text();
      EXPECT_EQ(model.fault.operand, output);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bind, EveryStepTest, testing::Range(uint32_t{1}, format::kKindCount),
                         [](const testing::TestParamInfo<uint32_t>& step) {
                           return std::string(StepName(step.param));
                         });

TEST(MayShare, DependsOnTheWalk) {
  const uint32_t dims[8] = {2, 3}, whole[8] = {3, 1}, rows[8] = {0, 1}, permuted[8] = {1, 2};
  const auto binary = [&](const uint32_t(&a)[8]) {
    return footprint::MayShare(
        format::BinaryParams(2, dims, a, rows, format::BinaryOp::add, ElementType::f32, 0), 0, 2);
  };
  EXPECT_TRUE(binary(whole));
  EXPECT_FALSE(binary(rows));
  EXPECT_FALSE(binary(permuted));
  const uint32_t ones[8] = {1, 6}, any[8] = {77, 1};
  EXPECT_TRUE(footprint::MayShare(
      format::BinaryParams(2, ones, any, rows, format::BinaryOp::add, ElementType::f32, 0), 0, 2))
      << "the stride of a single row does not matter";
  const auto compare = [&](ElementType type) {
    return footprint::MayShare(
        format::CompareParams(2, dims, whole, rows, format::CompareOp::less, type, 0), 0, 2);
  };
  EXPECT_TRUE(compare(ElementType::u8));
  EXPECT_FALSE(compare(ElementType::f32));
  const auto convert = [](ElementType from, ElementType to) {
    return footprint::MayShare(format::ConvertParams(9, from, to, 0), 0, 1);
  };
  EXPECT_TRUE(convert(ElementType::f32, ElementType::i32));
  EXPECT_FALSE(convert(ElementType::f32, ElementType::f16));
  const auto dense = [](uint32_t rows_count, uint32_t start_stride) {
    return footprint::MayShare(
        format::DenseParams(rows_count, 3, 5, 3, 5, start_stride,
                            Activate(format::UnaryOp::identity), format::ElementType::f32, 0, 0),
        2, 3);
  };
  EXPECT_TRUE(dense(1, 0));
  EXPECT_FALSE(dense(2, 0));
  EXPECT_TRUE(dense(2, 5));
}

TEST(StepRules, CountsBeyondThirtyTwoBitsFitNowhere) {
  const uint32_t huge = 0xFFFFFFFF;
  StepSample softmax = EveryStep()[static_cast<size_t>(Kind::softmax) - 1];
  for (const uint32_t outer : {huge, uint32_t{1} << 31, uint32_t{1} << 16}) {
    for (const uint32_t axis : {huge, uint32_t{1} << 31, uint32_t{1} << 16}) {
      for (const uint32_t inner : {huge, uint32_t{1} << 31, uint32_t{1} << 16}) {
        StepSample sample = softmax;
        sample.builder.softmax_rows[0] = format::SoftmaxParams(outer, axis, inner, 0, 0, 0);
        EXPECT_EQ(Loaded(sample.builder.Finish()).fault.code, FaultCode::kOperandBytes);
      }
    }
  }
  StepSample sample = EveryStep()[static_cast<size_t>(Kind::copy) - 1];
  const uint32_t dims[8] = {huge, huge, huge, huge, huge, huge, huge, huge};
  const int32_t min[8] = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN,
                          INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
  sample.builder.copy_rows[0] = format::CopyParams(8, dims, min, min, huge, huge, 8);
  EXPECT_EQ(Loaded(sample.builder.Finish()).fault.code, FaultCode::kOperandBytes);
}

TEST(StepRules, EmptyWalksTouchNothing) {
  StepSample sample = EveryStep()[static_cast<size_t>(Kind::copy) - 1];
  const uint32_t dims[8] = {7, 0, 9};
  const int32_t strides[8] = {-1000, 1000, 1000};
  sample.builder.copy_rows[0] = format::CopyParams(3, dims, strides, strides, 999, 999, 4);
  Loaded model(sample.builder.Finish());
  ASSERT_TRUE(model.fault.ok()) << model.Text();
  EXPECT_TRUE(model.engine.Run().ok());
}

TEST(StepRules, BackwardWalksStayInFrontOfTheirSlot) {
  StepSample sample = EveryStep()[static_cast<size_t>(Kind::copy) - 1];
  const uint32_t dims[8] = {2, 3};
  const int32_t from[8] = {-3, 1}, to[8] = {3, 1};
  for (const uint32_t offset : {0u, 2u, 4u}) {
    sample.builder.copy_rows[0] = format::CopyParams(2, dims, from, to, offset, 0, 4);
    EXPECT_EQ(Loaded(sample.builder.Finish()).fault.code, FaultCode::kOperandBytes) << offset;
  }
  sample.builder.copy_rows[0] = format::CopyParams(2, dims, from, to, 3, 0, 4);
  EXPECT_TRUE(Loaded(sample.builder.Finish()).fault.ok());
}

TEST(StepRules, MovesOfOneWayKeepTheirDistance) {
  // State that lives in the scan output: iteration i reads slice i, writes slice i + 1.
  for (const bool same_way : {true, false}) {
    ListingBuilder b;
    const SlotIndex scan = b.Scratch(ElementType::f32, {4, 2});
    const SlotIndex before = b.Part(scan, 0, 8, {{0, 8}});
    const SlotIndex after =
        same_way ? b.Part(scan, 8, 8, {{0, 8}}) : b.Part(scan, 24, 8, {{0, -8}});
    b.Output(scan, {"scan"});
    b.Enter({.trip_count = 3, .max_trips = 3});
    b.Unary(format::UnaryOp::exp, before, after);
    b.Leave();
    Loaded model(b.Finish());
    EXPECT_EQ(model.fault.code, same_way ? FaultCode::kNone : FaultCode::kOperandOverlap)
        << model.Text();
  }
}

}  // namespace
}  // namespace weft::test
