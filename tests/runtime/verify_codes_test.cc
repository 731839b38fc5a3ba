// SPDX-License-Identifier: Apache-2.0
// The rules of int8 steps, each broken once.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/reduce/normalize_q8.h"
#include "kernels/simd/code_range.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

TEST(VerifyCodes, HoldsSumsOfLevelsTo32Bits) {
  using B = ListingBuilder;
  const auto dense = [](uint32_t inputs) {
    return CodeOf(format::Kind::dense_q8, [=](B& b) { b.dense_q8_rows[0].mutate_inputs(inputs); });
  };
  EXPECT_EQ(dense(3), FaultCode::kNone);
  EXPECT_EQ(dense(kernels::kMaxProducts), FaultCode::kOperandBytes);
  EXPECT_EQ(dense(0xFFFFFFFF), FaultCode::kParamTerms);
  const auto terms = [](uint32_t inputs) {
    return CodeOf(format::Kind::dense_q8, [=](B& b) {
      b.dense_q8_rows[0].mutate_inputs(inputs);
      b.dense_q8_rows[0].mutate_rows(0);
    });
  };
  EXPECT_EQ(terms(kernels::kMaxProducts), FaultCode::kOperandBytes);
  EXPECT_EQ(terms(kernels::kMaxProducts + 1), FaultCode::kParamTerms);
  EXPECT_EQ(terms(0xFFFFFFFF), FaultCode::kParamTerms);
  const auto conv = [](uint32_t taps) {
    return CodeOf(format::Kind::conv_q8,
                  [=](B& b) { b.conv_q8_rows[0].mutate_kernel_width(taps); });
  };
  EXPECT_EQ(conv(kernels::kMaxProducts / 4), FaultCode::kOperandBytes);
  EXPECT_EQ(conv(kernels::kMaxProducts / 4 + 1), FaultCode::kParamTerms);
  EXPECT_EQ(conv(0x40000000), FaultCode::kParamTerms);
  const auto depthwise = [](uint32_t taps) {
    return CodeOf(format::Kind::depthwise_q8,
                  [=](B& b) { b.depthwise_q8_rows[0].mutate_kernel_width(taps); });
  };
  EXPECT_EQ(depthwise(kernels::kMaxProducts / 3), FaultCode::kOperandBytes);
  EXPECT_EQ(depthwise(kernels::kMaxProducts / 3 + 1), FaultCode::kParamTerms);
  const auto pool = [](uint32_t taps, format::PoolOp op) {
    return CodeOf(format::Kind::pool_q8, [=](B& b) {
      b.pool_q8_rows[0].mutate_kernel_width(taps);
      b.pool_q8_rows[0].mutate_pad_right(taps);
      b.pool_q8_rows[0].mutate_op(op);
    });
  };
  EXPECT_EQ(pool(kernels::kMaxDifferences / 2, format::PoolOp::mean_exclude_pad), FaultCode::kNone);
  EXPECT_EQ(pool(kernels::kMaxDifferences / 2 + 1, format::PoolOp::mean_exclude_pad),
            FaultCode::kParamTerms);
}

TEST(VerifyCodes, HoldsSumsOfSquaresTo32Bits) {
  const auto normalize = [](uint32_t length, int32_t zero) {
    return CodeOf(format::Kind::normalize_q8, [=](ListingBuilder& b) {
      b.normalize_q8_rows[0] = format::NormalizeQ8Params(0, length, zero);
    });
  };
  EXPECT_EQ(normalize(kernels::kMaxNormalizeLength, -128), FaultCode::kNone);
  EXPECT_EQ(normalize(kernels::kMaxNormalizeLength + 1, 127), FaultCode::kParamTerms);
  EXPECT_EQ(normalize(1, -129), FaultCode::kParamFactor);
  EXPECT_EQ(normalize(1, 128), FaultCode::kParamFactor);
}

TEST(VerifyCodes, HasSoftmaxesOfBytesAndShorts) {
  const auto softmax = [](uint8_t gives_shorts, uint8_t reserved) {
    return CodeOf(format::Kind::softmax_q8, [=](ListingBuilder& b) {
      b.softmax_q8_rows[0] =
          format::SoftmaxQ8Params(0, 3, gives_shorts, reserved, format::Multiplier(1 << 30, 22));
    });
  };
  EXPECT_EQ(softmax(0, 0), FaultCode::kNone);
  EXPECT_EQ(softmax(1, 0), FaultCode::kOperandType);
  EXPECT_EQ(softmax(2, 0), FaultCode::kParamFlag);
  EXPECT_EQ(softmax(0, 1), FaultCode::kParamReserved);
}

TEST(VerifyCodes, HoldsLevelsAndScalesToTheirRange) {
  using B = ListingBuilder;
  using format::Kind;
  const format::CodeRange reversed(0, 5, 4, format::Results::codes),
      of_floats(0, 0, 0, format::Results::f32);
  EXPECT_EQ(CodeOf(Kind::quantize, [&](B& b) { b.quantize_rows[0].mutable_codes() = reversed; }),
            FaultCode::kParamCodes);
  EXPECT_EQ(CodeOf(Kind::quantize, [&](B& b) { b.quantize_rows[0].mutable_codes() = of_floats; }),
            FaultCode::kParamType);
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float scale : {0.0f, -1.0f, 0x0.8p-100f, 0x1.1p100f, infinity, nan}) {
    EXPECT_EQ(CodeOf(Kind::quantize, [&](B& b) { b.quantize_rows[0].mutate_inverse(scale); }),
              FaultCode::kParamScale)
        << scale;
    EXPECT_EQ(CodeOf(Kind::dequantize, [&](B& b) { b.dequantize_rows[0].mutate_scale(scale); }),
              FaultCode::kParamScale)
        << scale;
    EXPECT_EQ(CodeOf(Kind::pool_q8, [&](B& b) { b.pool_q8_rows[0].mutate_scale(scale); }),
              FaultCode::kParamScale)
        << scale;
    if (scale == -1.0f) continue;
    EXPECT_EQ(CodeOf(Kind::binary_q8, [&](B& b) { b.binary_q8_rows[0].mutate_a_scale(scale); }),
              FaultCode::kParamScale)
        << scale;
    EXPECT_EQ(CodeOf(Kind::binary_q8, [&](B& b) { b.binary_q8_rows[0].mutate_b_scale(scale); }),
              FaultCode::kParamScale)
        << scale;
  }
  const auto multiply = [](float b_scale) {
    return CodeOf(Kind::binary_q8, [=](B& b) {
      b.binary_q8_rows[0].mutate_op(format::BinaryOp::multiply);
      b.binary_q8_rows[0].mutate_b_scale(b_scale);
    });
  };
  EXPECT_EQ(multiply(0), FaultCode::kNone);
  EXPECT_EQ(multiply(1), FaultCode::kParamScale);
  EXPECT_EQ(CodeOf(Kind::binary_q8,
                   [](B& b) { b.binary_q8_rows[0].mutate_op(format::BinaryOp::divide); }),
            FaultCode::kParamOpType);
}

// Unused fields must be 0.
TEST(VerifyCodes, HoldsResultsOfLevelsToOneForm) {
  using B = ListingBuilder;
  using format::Kind;
  const format::CodeRange reversed(0, 5, 4, format::Results::codes);
  const format::CodeRange half(1, 0, 0, format::Results::f32), whole(0, 0, 0, format::Results::f32);
  const auto dense = [](const format::CodeRange& codes, const format::Activation& activation) {
    return CodeOf(Kind::dense_q8, [&](B& b) {
      b.dense_q8_rows[0].mutable_codes() = codes;
      b.dense_q8_rows[0].mutable_activation() = activation;
      b.slots[5].mutate_type(codes.results() == format::Results::f32 ? kF32 : samples::kI8);
    });
  };
  const format::Activation plain, relu = Activate(format::UnaryOp::relu),
                                  clipped = Activate(format::UnaryOp::identity, 0, 0, 1.0f);
  EXPECT_EQ(dense(samples::kCodes, plain), FaultCode::kNone);
  EXPECT_EQ(dense(samples::kCodes, relu), FaultCode::kParamOp);
  EXPECT_EQ(dense(samples::kCodes, clipped), FaultCode::kParamOp);
  EXPECT_EQ(dense(reversed, plain), FaultCode::kParamCodes);
  EXPECT_EQ(dense(half, relu), FaultCode::kParamReserved);
  EXPECT_EQ(dense(whole, relu), FaultCode::kOperandBytes);  // four times as many
  const auto maximum = [](float scale, int8_t x_zero, const format::CodeRange& codes) {
    return CodeOf(Kind::pool_q8, [&](B& b) {
      b.pool_q8_rows[0].mutate_op(format::PoolOp::max);
      b.pool_q8_rows[0].mutate_scale(scale);
      b.pool_q8_rows[0].mutate_x_zero(x_zero);
      b.pool_q8_rows[0].mutable_codes() = codes;
    });
  };
  const format::CodeRange none(0, 0, 0, format::Results::codes);
  EXPECT_EQ(maximum(0, 0, none), FaultCode::kNone);
  EXPECT_EQ(maximum(1, 0, none), FaultCode::kParamScale);
  EXPECT_EQ(maximum(0, -1, none), FaultCode::kParamReserved);
  EXPECT_EQ(maximum(0, 0, samples::kCodes), FaultCode::kParamReserved);
  EXPECT_EQ(maximum(0, 0, whole), FaultCode::kParamType);
}

TEST(VerifyCodes, HoldsMultipliersToTheirRange) {
  using B = ListingBuilder;
  using format::Kind;
  using format::Multiplier;
  const format::CodeRange integers(3, -100, 120, format::Results::integer_codes);
  const auto dense = [&](ElementType factors, bool has_start) {
    return CodeOf(Kind::dense_q8, [&](B& b) {
      b.dense_q8_rows[0].mutable_codes() = integers;
      b.slots[2].mutate_type(factors);
      b.slots[4].mutate_type(factors);
      if (!has_start) b.operands[4] = format::kNoSlot;
    });
  };
  EXPECT_EQ(dense(samples::kI32, true), FaultCode::kNone);
  EXPECT_EQ(dense(samples::kI32, false), FaultCode::kOperandAbsent);
  EXPECT_EQ(dense(kF32, true), FaultCode::kOperandType);
  EXPECT_EQ(CodeOf(Kind::quantize, [&](B& b) { b.quantize_rows[0].mutable_codes() = integers; }),
            FaultCode::kParamType);
  const auto sum = [&](format::BinaryOp op, const Multiplier& a, const Multiplier& y) {
    return CodeOf(Kind::binary_q8, [&](B& b) {
      format::BinaryQ8Params& row = b.binary_q8_rows[0];
      row.mutable_codes() = integers;
      row.mutate_op(op);
      row.mutate_a_scale(0);
      row.mutate_b_scale(0);
      row.mutable_a_multiplier() = a;
      if (op != format::BinaryOp::multiply) row.mutable_b_multiplier() = a;
      row.mutable_multiplier() = y;
    });
  };
  const Multiplier half(1 << 30, 0), none;
  EXPECT_EQ(sum(format::BinaryOp::add, half, half), FaultCode::kNone);
  EXPECT_EQ(sum(format::BinaryOp::subtract, half, Multiplier(1 << 30, -31)), FaultCode::kNone);
  EXPECT_EQ(sum(format::BinaryOp::multiply, none, half), FaultCode::kNone);
  EXPECT_EQ(sum(format::BinaryOp::divide, none, half), FaultCode::kNone);
  EXPECT_EQ(sum(format::BinaryOp::maximum, half, half), FaultCode::kParamOpType);
  EXPECT_EQ(sum(format::BinaryOp::add, half, Multiplier(-1, 0)), FaultCode::kParamFactor);
  EXPECT_EQ(sum(format::BinaryOp::add, half, Multiplier(1, -32)), FaultCode::kParamFactor);
  EXPECT_EQ(sum(format::BinaryOp::add, half, Multiplier(1, 31)), FaultCode::kParamFactor);
  const auto mean = [&](format::PoolOp op, float scale) {
    return CodeOf(Kind::pool_q8, [&](B& b) {
      b.pool_q8_rows[0].mutable_codes() = integers;
      b.pool_q8_rows[0].mutate_op(op);
      b.pool_q8_rows[0].mutate_scale(scale);
    });
  };
  EXPECT_EQ(mean(format::PoolOp::mean_exclude_pad, 0), FaultCode::kNone);
  EXPECT_EQ(mean(format::PoolOp::mean_include_pad, 0), FaultCode::kParamOpType);
}

}  // namespace
}  // namespace weft::test
