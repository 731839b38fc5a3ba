// SPDX-License-Identifier: Apache-2.0
// The rules of integer products: sums fit in 32 bits, and operands are as large as the bytes read.
#include <gtest/gtest.h>

#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

using format::ElementType;

TEST(VerifyIntegers, HoldsSumsOfIntegersTo32Bits) {
  const auto code = [](uint32_t max, uint32_t inputs) {
    return CodeOf(format::Kind::dense_i8, [=](ListingBuilder& b) {
      b.dense_i8_rows[0].mutate_max(max);
      b.dense_i8_rows[0].mutate_inputs(inputs);
    });
  };
  EXPECT_EQ(code(127, 3), FaultCode::kNone);
  EXPECT_EQ(code(0, 3), FaultCode::kOperandType) << "x must be i16 then";
  for (const uint32_t max : {126u, 32768u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code(max, 3), FaultCode::kParamSums) << max;
  }
  EXPECT_EQ(code(32767, 512), FaultCode::kOperandBytes);
  EXPECT_EQ(code(32767, 513), FaultCode::kParamSums);
  EXPECT_EQ(code(127, 0xFFFFFFFF), FaultCode::kParamSums);
}

TEST(VerifyIntegers, HoldsSumsOverPatchesTo32Bits) {
  const auto code = [](uint32_t max, uint32_t channels) {
    return CodeOf(format::Kind::conv_i8, [=](ListingBuilder& b) {
      b.conv_i8_rows[0].mutate_max(max);
      b.conv_i8_rows[0].mutate_in_channels(channels);
    });
  };
  EXPECT_EQ(code(127, 2), FaultCode::kNone);
  EXPECT_EQ(code(0, 2), FaultCode::kOperandType) << "x must be i16 then";
  for (const uint32_t max : {126u, 32768u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code(max, 2), FaultCode::kParamSums) << max;
  }
  EXPECT_EQ(code(32767, 128), FaultCode::kOperandBytes);
  EXPECT_EQ(code(32767, 129), FaultCode::kParamSums);
  EXPECT_EQ(code(127, 0x40000001), FaultCode::kParamSums) << "4 taps of them are 4 modulo 2^32";
}

TEST(VerifyIntegers, GivesPatchesRoomForResultsWhoseChannelsLieApart) {
  const auto code = [](uint32_t floats, bool is_apart) {
    return CodeOf(format::Kind::conv_i8, [=](ListingBuilder& b) {
      b.slots[5].mutate_bytes(floats * 4);
      if (!is_apart) b.conv_i8_rows[0].mutable_y() = format::MapStrides(27, 9, 3, 1);
    });
  };
  EXPECT_EQ(code(44, true), FaultCode::kNone);
  EXPECT_EQ(code(43, true), FaultCode::kOperandBytes);
  EXPECT_EQ(code(32, false), FaultCode::kPortBytes) << "enough for the step; the port is unchanged";
  EXPECT_EQ(code(31, false), FaultCode::kOperandBytes);
}

TEST(VerifyIntegers, HoldsGroupsOfNibblesToTheirOperands) {
  using B = ListingBuilder;
  const auto code = [](auto spoil) { return CodeOf(format::Kind::dense_i4, spoil); };
  EXPECT_EQ(code([](B&) {}), FaultCode::kNone);
  for (const uint32_t blocks : {0u, 3u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code([&](B& b) { b.dense_i4_rows[0].mutate_group_blocks(blocks); }),
              FaultCode::kOperandBytes)
        << blocks;  // of scratch, which holds a larger piece
  }
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_group_blocks(1); }),
            FaultCode::kOperandBytes);
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_max(126); }), FaultCode::kParamSums);
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_max(32768); }), FaultCode::kParamSums);
  const auto wide = [](uint32_t max) {
    return [=](B& b) {
      b.dense_i4_rows[0].mutate_max(max);
      b.dense_i4_rows[0].mutate_inputs(0xFFFFFFFF);
      b.dense_i4_rows[0].mutate_group_blocks(0);
    };
  };
  EXPECT_EQ(code(wide(127)), FaultCode::kParamSums);
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_scales(ElementType::bf16); }),
            FaultCode::kParamType);
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_scales(ElementType::f32); }),
            FaultCode::kOperandType);
  EXPECT_EQ(code([](B& b) { b.dense_i4_rows[0].mutate_reserved1(1); }), FaultCode::kParamReserved);
}

TEST(VerifyIntegers, HoldsNumbersOfAnLstmToTheirRange) {
  using P = format::LstmQ8Params;
  const auto code = [](const auto& change) {
    return CodeOf(format::Kind::lstm_q8, [&](ListingBuilder& b) { change(b.lstm_q8_rows[0]); });
  };
  const auto with = [](int32_t mantissa, int32_t exponent) {
    return format::Multiplier(mantissa, exponent);
  };
  const auto of_result = [&](int32_t mantissa, int32_t exponent) {
    return code([&](P& p) { p.mutable_result() = with(mantissa, exponent); });
  };
  EXPECT_EQ(of_result(0x7FFFFFFF, 30), FaultCode::kNone);
  EXPECT_EQ(of_result(1 << 30, -31), FaultCode::kNone);
  EXPECT_EQ(of_result(-1, 0), FaultCode::kParamFactor);
  EXPECT_EQ(of_result(1 << 30, 31), FaultCode::kParamFactor);
  EXPECT_EQ(of_result(1 << 30, -32), FaultCode::kParamFactor);
  for (uint32_t gate = 0; gate < 4; ++gate) {
    const auto at = [&](auto* (P::*multipliers)(), int32_t exponent) {
      return code([&](P& p) { (p.*multipliers)()->Mutate(gate, with(1 << 30, exponent)); });
    };
    EXPECT_EQ(at(&P::mutable_of_x, 31), FaultCode::kParamFactor);
    EXPECT_EQ(at(&P::mutable_of_h, 31), FaultCode::kParamFactor);
    EXPECT_EQ(at(&P::mutable_of_c, -32), FaultCode::kParamFactor);
    EXPECT_EQ(at(&P::mutable_of_norm, 18), FaultCode::kNone);
    EXPECT_EQ(at(&P::mutable_of_norm, 19), FaultCode::kParamFactor);
  }
  const auto power = [&](int8_t cell_power, format::Rounding rounding) {
    return code([&](P& p) {
      p.mutate_cell_power(cell_power);
      p.mutate_rounding(rounding);
    });
  };
  EXPECT_EQ(power(0, format::Rounding::micro), FaultCode::kNone);
  EXPECT_EQ(power(1, format::Rounding::micro), FaultCode::kParamFactor);
  EXPECT_EQ(power(-16, format::Rounding::micro), FaultCode::kParamFactor);
  EXPECT_EQ(power(-9, format::Rounding::litert), FaultCode::kNone);
  EXPECT_EQ(power(-8, format::Rounding::litert), FaultCode::kParamFactor);
  EXPECT_EQ(power(-11, static_cast<format::Rounding>(2)), FaultCode::kParamOp);
  EXPECT_EQ(code([](P& p) { p.mutate_type(ElementType::i32); }), FaultCode::kParamType);
  EXPECT_EQ(code([](P& p) { p.mutate_type(ElementType::i16); }), FaultCode::kOperandType);
  EXPECT_EQ(code([](P& p) {
              p.mutate_type(ElementType::i16);
              p.mutate_rounding(format::Rounding::litert);
            }),
            FaultCode::kParamOpType);
  EXPECT_EQ(code([](P& p) { p.mutate_coupled(2); }), FaultCode::kParamFlag);
  EXPECT_EQ(code([](P& p) { p.mutate_peepholes(1); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_norm(1); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](P& p) { p.mutate_coupled(1); }), FaultCode::kNone) << "fewer operands are read";
  EXPECT_EQ(code([](P& p) { p.mutate_inputs(0xFFFFFFFF); }), FaultCode::kParamTerms);
}

TEST(VerifyIntegers, HoldsNumbersOfAnSvdfToTheirRange) {
  using P = format::SvdfQ8Params;
  const auto code = [](const auto& change) {
    return CodeOf(format::Kind::svdf_q8, [&](ListingBuilder& b) { change(b.svdf_q8_rows[0]); });
  };
  EXPECT_EQ(code([](P& p) { p.mutable_of_x() = format::Multiplier(1, 30); }), FaultCode::kNone);
  EXPECT_EQ(code([](P& p) { p.mutable_of_x() = format::Multiplier(-1, 0); }),
            FaultCode::kParamFactor);
  EXPECT_EQ(code([](P& p) { p.mutable_of_state() = format::Multiplier(1, 31); }),
            FaultCode::kParamFactor);
  EXPECT_EQ(code([](P& p) { p.mutate_state(ElementType::i32); }), FaultCode::kParamType);
  EXPECT_EQ(code([](P& p) { p.mutate_state(ElementType::i8); }), FaultCode::kOperandType);
  EXPECT_EQ(code([](P& p) { p.mutate_memory(0); }), FaultCode::kNone) << "y is the bias";
  EXPECT_EQ(code([](P& p) { p.mutate_inputs(0xFFFFFFFF); }), FaultCode::kParamTerms);
}

}  // namespace
}  // namespace weft::test
