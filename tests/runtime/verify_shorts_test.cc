// SPDX-License-Identifier: Apache-2.0
// The rules of steps with int16 values, of unary_q8 and of softmax_q16, each broken once.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/reduce/pool_q8_shorts.h"
#include "kernels/reduce/softmax_q16.h"
#include "runtime/bind/shorts.h"
#include "runtime/steps.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using B = ListingBuilder;
using format::Kind;

constexpr auto kShorts = format::Results::shorts;

// The error of the sample of a kind with int16 values after a change.
template <typename Change>
FaultCode ShortsCodeOf(Kind kind, const Change& change) {
  for (StepSample& sample : samples::ShortSteps()) {
    if (sample.kind != kind) continue;
    change(sample.builder);
    return Loaded(sample.builder.Finish()).fault.code;
  }
  return FaultCode::kStepKind;
}

TEST(VerifyShorts, AcceptsEachKind) {
  for (StepSample& sample : samples::ShortSteps()) {
    EXPECT_TRUE(Loaded(sample.builder.Finish()).fault.ok()) << format::NameOf(sample.kind);
  }
}

TEST(VerifyShorts, HasNoZeroPointsAndScales) {
  const format::CodeRange zero(1, 0, 0, kShorts), high(0, 0, 1, kShorts);
  for (const format::CodeRange& codes : {zero, high}) {
    EXPECT_EQ(
        ShortsCodeOf(Kind::dense_q8, [&](B& b) { b.dense_q8_rows[0].mutable_codes() = codes; }),
        FaultCode::kParamReserved);
  }
  EXPECT_EQ(ShortsCodeOf(Kind::conv_q8, [](B& b) { b.conv_q8_rows[0].mutate_x_zero(1); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(ShortsCodeOf(Kind::depthwise_q8, [](B& b) { b.depthwise_q8_rows[0].mutate_x_zero(1); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(ShortsCodeOf(Kind::pool_q8, [](B& b) { b.pool_q8_rows[0].mutate_x_zero(1); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(ShortsCodeOf(Kind::pool_q8, [](B& b) { b.pool_q8_rows[0].mutate_scale(1); }),
            FaultCode::kParamScale);
  EXPECT_EQ(ShortsCodeOf(Kind::binary_q8, [](B& b) { b.binary_q8_rows[0].mutate_a_zero(1); }),
            FaultCode::kParamReserved);
  EXPECT_EQ(ShortsCodeOf(Kind::binary_q8, [](B& b) { b.binary_q8_rows[0].mutate_b_scale(1); }),
            FaultCode::kParamScale);
}

TEST(VerifyShorts, LimitsCodesByTheActivation) {
  const auto dense = [](float low, float high, format::UnaryOp op, float clip) {
    return ShortsCodeOf(Kind::dense_q8, [=](B& b) {
      b.dense_q8_rows[0].mutable_activation() = format::Activation(low, high, clip, op, 0, 0);
    });
  };
  constexpr auto kClamp = format::UnaryOp::clamp;
  EXPECT_EQ(dense(-32768, 32767, kClamp, 0), FaultCode::kNone);
  EXPECT_EQ(dense(5, 5, kClamp, 0), FaultCode::kNone);
  EXPECT_EQ(dense(5, 4, kClamp, 0), FaultCode::kParamFactor);
  EXPECT_EQ(dense(-32769, 0, kClamp, 0), FaultCode::kParamFactor);
  EXPECT_EQ(dense(0, 32768, kClamp, 0), FaultCode::kParamFactor);
  EXPECT_EQ(dense(std::numeric_limits<float>::quiet_NaN(), 1, kClamp, 0), FaultCode::kParamFactor);
  EXPECT_EQ(dense(-0.0f, 0.5f, kClamp, 0), FaultCode::kParamFactor);
  EXPECT_EQ(dense(0, 1, kClamp, -0.0f), FaultCode::kNone);
  EXPECT_EQ(dense(0, 1, kClamp, 1), FaultCode::kParamOp);
  EXPECT_EQ(dense(0, 1, format::UnaryOp::identity, 0), FaultCode::kParamOp);
}

TEST(VerifyShorts, ReadsLimitsFromTheirBits) {
  for (int32_t code = -0x8000; code <= 0x7FFF; ++code) {
    ASSERT_EQ(bind::LimitOf(static_cast<float>(code)), code);
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  for (const float limit : {0.5f, -0.5f, 1.5f, 32766.5f, 32767.5f, 32768.f, -32767.5f, -32768.5f,
                            -32769.f, 65535.f, -65536.f, 1e30f, kInfinity, -kInfinity, kSmallest,
                            -kSmallest, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(bind::LimitOf(limit), 0x8000) << limit;
  }
}

TEST(VerifyShorts, HasOperandsOfItsTypes) {
  for (const uint32_t operand : {0u, 2u, 3u, 4u, 5u}) {
    EXPECT_EQ(
        ShortsCodeOf(Kind::dense_q8, [=](B& b) { b.slots[operand].mutate_type(samples::kI8); }),
        FaultCode::kOperandType)
        << operand;
  }
  EXPECT_EQ(ShortsCodeOf(Kind::dense_q8, [](B& b) { b.operands[3] = format::kNoSlot; }),
            FaultCode::kNone);
  EXPECT_EQ(ShortsCodeOf(Kind::dense_q8, [](B& b) { b.operands[4] = format::kNoSlot; }),
            FaultCode::kOperandAbsent);
}

TEST(VerifyShorts, HoldsSumsOfPoolsTo32Bits) {
  const auto mean = [](uint32_t taps, format::PoolOp op) {
    return ShortsCodeOf(Kind::pool_q8, [=](B& b) {
      b.pool_q8_rows[0].mutate_kernel_width(taps);
      b.pool_q8_rows[0].mutate_pad_right(taps);
      b.pool_q8_rows[0].mutate_op(op);
    });
  };
  constexpr uint32_t kMax = kernels::kMaxShortTaps / 2;
  EXPECT_EQ(mean(kMax, format::PoolOp::mean_exclude_pad), FaultCode::kNone);
  EXPECT_EQ(mean(kMax + 1, format::PoolOp::mean_exclude_pad), FaultCode::kParamTerms);
  EXPECT_EQ(mean(kMax + 1, format::PoolOp::max), FaultCode::kNone);
  EXPECT_EQ(mean(2, format::PoolOp::mean_include_pad), FaultCode::kParamOpType);
  EXPECT_EQ(ShortsCodeOf(Kind::binary_q8,
                         [](B& b) { b.binary_q8_rows[0].mutate_op(format::BinaryOp::divide); }),
            FaultCode::kParamOpType);
}

TEST(VerifyShorts, AddsIn32BitsInProductsOnly) {
  const format::CodeRange codes(0, 0, 0, format::Results::shorts32);
  EXPECT_EQ(ShortsCodeOf(Kind::dense_q8, [&](B& b) { b.dense_q8_rows[0].mutable_codes() = codes; }),
            FaultCode::kNone);
  EXPECT_EQ(ShortsCodeOf(Kind::conv_q8, [&](B& b) { b.conv_q8_rows[0].mutable_codes() = codes; }),
            FaultCode::kNone);
  EXPECT_EQ(ShortsCodeOf(Kind::depthwise_q8,
                         [&](B& b) { b.depthwise_q8_rows[0].mutable_codes() = codes; }),
            FaultCode::kNone);
  EXPECT_EQ(ShortsCodeOf(Kind::pool_q8, [&](B& b) { b.pool_q8_rows[0].mutable_codes() = codes; }),
            FaultCode::kParamType);
  EXPECT_EQ(
      ShortsCodeOf(Kind::binary_q8, [&](B& b) { b.binary_q8_rows[0].mutable_codes() = codes; }),
      FaultCode::kParamType);
}

// The plain entries reject int16 values, the entries of int16 values all others.
TEST(VerifyShorts, SeparatesTheEntries) {
  const auto open = [](StepSample& sample, StepEntry entry) {
    std::vector<StepEntry> entries(format::kKindCount + 1);
    entries[static_cast<size_t>(sample.kind) - 1] = entry;
    return Loaded(sample.builder.Finish(), {entries.data(), static_cast<uint32_t>(entries.size())})
        .fault.code;
  };
  StepSample bytes = samples::SampleOf<Kind::pool_q8>();
  for (StepSample& sample : samples::ShortSteps()) {
    if (sample.kind != Kind::pool_q8) continue;
    EXPECT_EQ(open(sample, steps::kPoolQ8), FaultCode::kParamType);
    EXPECT_EQ(open(sample, steps::kPoolQ8Shorts), FaultCode::kNone);
    EXPECT_EQ(open(sample, steps::kPoolQ8Mixed), FaultCode::kNone);
  }
  EXPECT_EQ(open(bytes, steps::kPoolQ8), FaultCode::kNone);
  EXPECT_EQ(open(bytes, steps::kPoolQ8Shorts), FaultCode::kParamType);
  EXPECT_EQ(open(bytes, steps::kPoolQ8Mixed), FaultCode::kNone);
}

TEST(VerifyShorts, HoldsFunctionsToTheirForm) {
  const auto unary = [](const auto& change) {
    return CodeOf(Kind::unary_q8, [&](B& b) { change(b.unary_q8_rows[0]); });
  };
  using P = format::UnaryQ8Params;
  using format::Multiplier;
  EXPECT_EQ(unary([](P&) {}), FaultCode::kNone);
  EXPECT_EQ(unary([](P& p) { p.mutate_low(2001); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutate_high(32768); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutate_zero(-32769); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutate_zero(INT32_MAX); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutable_above() = Multiplier(-1, 0); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutable_below() = Multiplier(-1, 31); }), FaultCode::kParamFactor);
  EXPECT_EQ(unary([](P& p) { p.mutate_from(ElementType::u8); }), FaultCode::kParamType);
  EXPECT_EQ(unary([](P& p) { p.mutate_to(kF32); }), FaultCode::kParamType);
  EXPECT_EQ(unary([](P& p) { p.mutate_op(static_cast<format::CodeFunction>(3)); }),
            FaultCode::kParamOp);
  const auto sigmoid = [&](const Multiplier& by, int32_t zero) {
    return unary([&](P& p) {
      p = P(19, 0, zero, 0, 0, by, Multiplier(), format::CodeFunction::sigmoid, ElementType::i16,
            ElementType::i16, 0);
    });
  };
  EXPECT_EQ(sigmoid(Multiplier(32767, -31), 0), FaultCode::kNone);
  EXPECT_EQ(sigmoid(Multiplier(32768, 0), 0), FaultCode::kParamFactor);
  EXPECT_EQ(sigmoid(Multiplier(3, 1), 0), FaultCode::kParamFactor);
  EXPECT_EQ(sigmoid(Multiplier(3, 0), 1), FaultCode::kParamReserved);
}

TEST(VerifyShorts, HoldsLongSumsToTheirForm) {
  using P = format::UnaryQ8Params;
  using format::Multiplier;
  const auto sums = [](const auto& change) {
    P row(19, 0, 0, -9, 9, Multiplier(1 << 30, 14), Multiplier(), format::CodeFunction::rescale,
          ElementType::i64, ElementType::i16, 0);
    change(row);
    StepSample sample =
        StepSample(Kind::unary_q8, {{ElementType::i64, 19}, {ElementType::i16, 19}}).With(row);
    return Loaded(sample.builder.Finish()).fault.code;
  };
  EXPECT_EQ(sums([](P&) {}), FaultCode::kNone);
  EXPECT_EQ(sums([](P& p) { p.mutable_above() = Multiplier(1, 15); }), FaultCode::kParamFactor);
  EXPECT_EQ(sums([](P& p) { p.mutable_above() = Multiplier(-1, 0); }), FaultCode::kParamFactor);
  EXPECT_EQ(sums([](P& p) { p.mutate_to(ElementType::i8); }), FaultCode::kParamType);
  EXPECT_EQ(sums([](P& p) { p.mutate_high(0x8000); }), FaultCode::kParamFactor);
  EXPECT_EQ(sums([](P& p) { p.mutate_zero(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(sums([](P& p) { p.mutate_x_zero(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(sums([](P& p) { p.mutable_below() = Multiplier(1, 0); }), FaultCode::kParamReserved);
}

TEST(VerifyShorts, HoldsSumsOfSoftmaxTo32Bits) {
  const auto softmax = [](uint32_t length) {
    return CodeOf(Kind::softmax_q16, [=](B& b) {
      b.softmax_q16_rows[0].mutate_length(length);
      b.softmax_q16_rows[0].mutate_rows(0);
    });
  };
  EXPECT_EQ(softmax(kernels::kMaxSoftmaxShorts), FaultCode::kNone);
  EXPECT_EQ(softmax(kernels::kMaxSoftmaxShorts + 1), FaultCode::kParamTerms);
}

}  // namespace
}  // namespace weft::test
