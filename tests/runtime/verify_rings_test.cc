// SPDX-License-Identifier: Apache-2.0
// The rules of steps that write or read a ring, each broken once.
#include <gtest/gtest.h>

#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

TEST(VerifyRings, HoldsRunsToWhatThereIs) {
  using format::Kind;
  using B = ListingBuilder;
  const auto code = [](void (*spoil)(format::RingParams & params)) {
    return CodeOf(Kind::ring, [spoil](B& b) { spoil(b.ring_rows[0]); });
  };
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_element_bytes(3); }),
            FaultCode::kParamElementBytes);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_dilation(3); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_dilation(0xFFFFFFFF); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_length(3); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_first(1); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_first(0xFFFFFFFF); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_past(0x7FFFFFFE); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_past(0xFFFFFFFF); }),
            FaultCode::kParamWindow);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_past(5); }), FaultCode::kOperandBytes);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_outer(4); }), FaultCode::kOperandBytes);
}

TEST(VerifyRings, HoldsTheOrderToThoseThereAre) {
  using format::Kind;
  using B = ListingBuilder;
  const auto code = [](void (*spoil)(format::RingParams & params)) {
    return CodeOf(Kind::ring, [spoil](B& b) { spoil(b.ring_rows[0]); });
  };
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_order(static_cast<format::RingOrder>(3)); }),
            FaultCode::kParamOp);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_reserved0(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(code([](format::RingParams& p) { p.mutate_reserved1(1); }), FaultCode::kParamReserved);
}

TEST(VerifyRings, HoldsProductsToWhatThereIs) {
  using format::Kind;
  using Params = format::RingMatmulParams;
  const auto code = [](void (*spoil)(Params & params)) {
    return CodeOf(Kind::ring_matmul, [spoil](ListingBuilder& b) { spoil(b.ring_matmul_rows[0]); });
  };
  EXPECT_EQ(code([](Params& p) { p.mutate_batch_rank(7); }), FaultCode::kParamRank);
  EXPECT_EQ(code([](Params& p) { p.mutate_along(static_cast<format::RingAlong>(2)); }),
            FaultCode::kParamOp);
  EXPECT_EQ(code([](Params& p) { p.mutate_reserved0(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(code([](Params& p) { p.mutate_reserved1(1); }), FaultCode::kParamReserved);
  EXPECT_EQ(code([](Params& p) { p.mutate_positions(4); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](Params& p) { p.mutate_positions(0xFFFFFFFF); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](Params& p) { p.mutate_columns(0); }), FaultCode::kParamWindow);
  EXPECT_EQ(code([](Params& p) { p.mutate_along(format::RingAlong::inner); }),
            FaultCode::kOperandBytes)
      << "four columns of x";
  void (*const beyond[])(Params&) = {
      [](Params& p) { p.mutate_positions(2); },
      [](Params& p) { p.mutate_columns(5); },
      [](Params& p) { p.mutate_rows(3); },
      [](Params& p) { p.mutate_inner(6); },
      [](Params& p) { p.mutate_a_row_stride(6); },
      [](Params& p) { p.mutate_a_inner_stride(0x40000000); },
      [](Params& p) { p.mutate_past_inner_stride(0x40000000); },
      [](Params& p) { p.mutate_past_column_stride(4); },
      [](Params& p) { p.mutate_x_inner_stride(2); },
      [](Params& p) { p.mutable_past_batch_strides()->Mutate(0, 16); },
      [](Params& p) { p.mutable_x_batch_strides()->Mutate(0, 6); },
      [](Params& p) { p.mutable_a_batch_strides()->Mutate(0, 0xFFFFFFFF); },
      [](Params& p) { p.mutable_batch_dims()->Mutate(0, 3); },
  };
  for (const auto spoil : beyond) EXPECT_EQ(code(spoil), FaultCode::kOperandBytes);
}

}  // namespace
}  // namespace weft::test
