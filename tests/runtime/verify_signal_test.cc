// SPDX-License-Identifier: Apache-2.0
// The rules of the steps of audio front ends: shifts, sizes and tables are inside of their limits.
#include <gtest/gtest.h>

#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using format::ElementType, format::SignalOp;

template <typename Change>
FaultCode OfSignal(const Change& change) {
  return CodeOf(format::Kind::signal, [&](ListingBuilder& b) { change(b.signal_rows[0]); });
}

TEST(VerifySignal, HoldsAWindowToItsLength) {
  using P = format::SignalParams;
  const auto code = [](uint32_t length, uint32_t shift) {
    return OfSignal([=](P& p) {
      p.mutate_length(length);
      p.mutate_shift(shift);
    });
  };
  EXPECT_EQ(code(5, 31), FaultCode::kNone);
  EXPECT_EQ(code(1, 0), FaultCode::kNone);
  EXPECT_EQ(code(5, 32), FaultCode::kParamFactor);
  EXPECT_EQ(code(0, 0), FaultCode::kParamChoice);
  EXPECT_EQ(code(11, 0), FaultCode::kParamChoice);
  EXPECT_EQ(code(6, 0), FaultCode::kOperandBytes);
  EXPECT_EQ(OfSignal([](P& p) { p.mutate_count(11); }), FaultCode::kOperandBytes);
  EXPECT_EQ(OfSignal([](P& p) { p.mutate_count(0xFFFFFFFF); }), FaultCode::kOperandBytes);
  EXPECT_EQ(OfSignal([](P& p) { p.mutate_scale(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(OfSignal([](P& p) { p.mutate_op(static_cast<SignalOp>(4)); }), FaultCode::kParamOp);
  EXPECT_EQ(OfSignal([](P& p) { p.mutate_reserved1(1); }), FaultCode::kParamReserved);
}

using Slots = std::vector<std::pair<ElementType, uint32_t>>;

// The fault of a step of the op with 8 results over operands of these types and sizes.
FaultCode OfOp(SignalOp op, uint32_t scale, uint32_t shift, const Slots& slots) {
  StepSample sample = StepSample(format::Kind::signal, slots)
                          .With(format::SignalParams(8, 0, scale, shift, op, 0, 0));
  return Loaded(sample.builder.Finish()).fault.code;
}

TEST(VerifySignal, HoldsOperandsToTheOp) {
  constexpr ElementType kI16 = ElementType::i16, kI32 = ElementType::i32, kI64 = ElementType::i64;
  const Slots energy = {{kI16, 16}, {kI32, 2}, {kI32, 8}};
  EXPECT_EQ(OfOp(SignalOp::energy, 0, 0, energy), FaultCode::kNone);
  EXPECT_EQ(OfOp(SignalOp::energy, 0, 1, energy), FaultCode::kParamReserved);
  EXPECT_EQ(OfOp(SignalOp::energy, 1, 0, energy), FaultCode::kParamReserved);
  EXPECT_EQ(OfOp(SignalOp::energy, 0, 0, {{kI16, 15}, {kI32, 2}, {kI32, 8}}),
            FaultCode::kOperandBytes);
  EXPECT_EQ(OfOp(SignalOp::energy, 0, 0, {{kI16, 16}, {kI32, 1}, {kI32, 8}}),
            FaultCode::kOperandBytes);
  EXPECT_EQ(OfOp(SignalOp::square_root, 0, 0, {{kI64, 8}, {kI32, 1}, {kI32, 8}}), FaultCode::kNone);
  EXPECT_EQ(OfOp(SignalOp::square_root, 0, 0, energy), FaultCode::kOperandType);
  EXPECT_EQ(OfOp(SignalOp::logarithm, 64, 31, {{kI32, 8}, {kI16, 129}, {kI16, 8}}),
            FaultCode::kNone);
  EXPECT_EQ(OfOp(SignalOp::logarithm, 64, 32, {{kI32, 8}, {kI16, 129}, {kI16, 8}}),
            FaultCode::kParamFactor);
  EXPECT_EQ(OfOp(SignalOp::logarithm, 64, 3, {{kI32, 8}, {kI16, 128}, {kI16, 8}}),
            FaultCode::kOperandBytes);
}

TEST(VerifySignal, HoldsAGainToItsTable) {
  using P = format::ChannelGainParams;
  const auto code = [](const auto& change) { return CodeOf(format::Kind::channel_gain, change); };
  const auto with = [&](uint32_t count, uint32_t shift) {
    return code([=](ListingBuilder& b) { b.channel_gain_rows[0] = P(count, shift); });
  };
  EXPECT_EQ(with(7, 31), FaultCode::kNone);
  EXPECT_EQ(with(7, 32), FaultCode::kParamFactor);
  EXPECT_EQ(with(8, 6), FaultCode::kOperandBytes);
  EXPECT_EQ(with(0xFFFFFFFF, 6), FaultCode::kOperandBytes);
}

TEST(VerifySignal, HoldsATransformToItsSize) {
  using P = format::FixedFourierParams;
  const auto code = [](const auto& change) {
    return CodeOf(format::Kind::fixed_fourier,
                  [&](ListingBuilder& b) { change(b.fixed_fourier_rows[0]); });
  };
  const auto of_size = [&](uint32_t size) {
    return code([=](P& p) {
      p.mutate_size(size);
      p.mutate_inputs(0);
    });
  };
  EXPECT_EQ(of_size(8), FaultCode::kNone);
  for (const uint32_t size : {0u, 2u, 12u, 0xFFFFFFFFu}) {
    EXPECT_EQ(of_size(size), FaultCode::kParamFactors) << size;
  }
  for (const uint32_t size : {32u, 1u << 31}) EXPECT_EQ(of_size(size), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_inputs(16); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_inputs(17); }), FaultCode::kParamChoice);
  EXPECT_EQ(code([](P& p) { p.mutate_lines(0xFFFFFFFF); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_is_inverse(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(code([](P& p) { p.mutate_is_inverse(2); }), FaultCode::kParamFlag);
  EXPECT_EQ(code([](P& p) { p.mutate_type(ElementType::i32); }), FaultCode::kOperandType);
  EXPECT_EQ(code([](P& p) { p.mutate_type(ElementType::f32); }), FaultCode::kParamType);
}

TEST(VerifySignal, HoldsABankToItsTables) {
  using P = format::FilterBankParams;
  const auto code = [](const auto& change) {
    return CodeOf(format::Kind::filter_bank,
                  [&](ListingBuilder& b) { change(b.filter_bank_rows[0]); });
  };
  EXPECT_EQ(code([](P& p) { p.mutate_channels(3); }), FaultCode::kNone);
  EXPECT_EQ(code([](P& p) { p.mutate_channels(5); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_channels(0xFFFFFFFF); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_bins(18); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_pairs(13); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_pairs(0x80000001); }), FaultCode::kOperandBytes);
}

TEST(VerifySignal, HoldsShiftsOfASubtractionToTheWord) {
  using P = format::SubtractNoiseParams;
  const auto code = [](const auto& change) {
    return CodeOf(format::Kind::subtract_noise,
                  [&](ListingBuilder& b) { change(b.subtract_noise_rows[0]); });
  };
  EXPECT_EQ(code([](P& p) { p.mutate_bits(31); }), FaultCode::kNone);
  EXPECT_EQ(code([](P& p) { p.mutate_bits(32); }), FaultCode::kParamFactor);
  EXPECT_EQ(code([](P& p) { p.mutate_smoothing_bits(32); }), FaultCode::kParamFactor);
  EXPECT_EQ(code([](P& p) { p.mutate_clamping(2); }), FaultCode::kParamFlag);
  EXPECT_EQ(code([](P& p) { p.mutate_count(8); }), FaultCode::kOperandBytes);
}

}  // namespace
}  // namespace weft::test
