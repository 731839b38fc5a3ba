// SPDX-License-Identifier: Apache-2.0
// Maps of conv, depthwise and pool: with any strides they stay inside their slots, and no two
// elements of a written map have the same address.
#include <gtest/gtest.h>

#include "runtime/verify.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

// Strides of the sample's x, 2 channels of 4 x 4 in planes, and y, 3 x 3 pixels of 3 channels.
TEST(Maps, OfAConvolutionStayInTheirSlotsAndApart) {
  const auto code = [](const format::MapStrides& x, const format::MapStrides& y) {
    return CodeOf(format::Kind::conv, [&](ListingBuilder& b) {
      b.conv_rows[0].mutable_x() = x;
      b.conv_rows[0].mutable_y() = y;
    });
  };
  const format::MapStrides planes(32, 4, 1, 16), last(27, 9, 3, 1);
  constexpr uint32_t kFar = 0xFFFFFFFFu;
  EXPECT_EQ(code(planes, last), FaultCode::kNone);
  EXPECT_EQ(code({kFar, 8, 2, 1}, {kFar, 3, 1, 9}), FaultCode::kNone);
  EXPECT_EQ(code({0, 0, 0, 0}, last), FaultCode::kNone) << "x may repeat";
  for (const uint32_t far : {uint32_t{5}, uint32_t{0x40000000}, uint32_t{0x55555556}, kFar}) {
    EXPECT_EQ(code({0, far, 1, 16}, last), FaultCode::kOperandBytes) << far;
    EXPECT_EQ(code({0, 4, far, 16}, last), FaultCode::kOperandBytes) << far;
    EXPECT_EQ(code({0, 4, 1, far | 16}, last), FaultCode::kOperandBytes) << far;
    EXPECT_EQ(code(planes, {0, far | 16, 3, 1}), FaultCode::kOperandBytes) << far;
  }
  EXPECT_EQ(code(planes, {0, 8, 3, 1}), FaultCode::kParamRows) << "rows";
  EXPECT_EQ(code(planes, {0, 9, 2, 1}), FaultCode::kParamRows) << "pixels";
  EXPECT_EQ(code(planes, {0, 3, 1, 8}), FaultCode::kParamRows) << "channels";
  EXPECT_EQ(code(planes, {0, 3, 1, 1}), FaultCode::kParamRows) << "equal strides";
  EXPECT_EQ(code(planes, {0, 9, 3, 0}), FaultCode::kParamRows) << "one address for all";
}

// Result of opening a pool over two channels of 4 x 4 elements with these strides; y has 2 x 2.
FaultCode CodeOfMaps(const format::MapStrides& x, const format::MapStrides& y) {
  return CodeOf(format::Kind::pool, [&](ListingBuilder& b) {
    b.pool_rows[0].mutable_x() = x;
    b.pool_rows[0].mutable_y() = y;
  });
}

TEST(Maps, OfAPoolStayInTheirSlotsAndApart) {
  const format::MapStrides planes = {32, 4, 1, 16}, last = {32, 8, 2, 1};
  EXPECT_EQ(CodeOfMaps(planes, {8, 2, 1, 4}), FaultCode::kNone);
  EXPECT_EQ(CodeOfMaps(last, {8, 4, 2, 1}), FaultCode::kNone);
  EXPECT_EQ(CodeOfMaps({0, 0, 0, 0}, {0, 4, 2, 1}), FaultCode::kNone) << "of one image";
  for (const format::MapStrides& x : {format::MapStrides{0, 5, 1, 16},
                                      {0, 4, 2, 16},
                                      {0, 4, 1, 17},
                                      {0, 0x80000000, 1, 1},
                                      {0, 1, 0xFFFFFFFF, 1}}) {
    EXPECT_EQ(CodeOfMaps(x, {8, 2, 1, 4}), FaultCode::kOperandBytes) << x.row();
  }
  for (const format::MapStrides& y :
       {format::MapStrides{0, 2, 1, 5}, {0, 5, 2, 1}, {0, 6, 3, 1}, {0, 0xFFFFFFFF, 2, 1}}) {
    EXPECT_EQ(CodeOfMaps(planes, y), FaultCode::kOperandBytes) << y.row();
  }
  for (const format::MapStrides& y : {format::MapStrides{0, 2, 1, 0},
                                      {0, 2, 1, 2},
                                      {0, 2, 0, 4},
                                      {0, 3, 2, 1},
                                      {0, 4, 3, 1},
                                      {0, 1, 1, 4},
                                      {0, 4, 1, 1}}) {
    EXPECT_EQ(CodeOfMaps(planes, y), FaultCode::kParamRows) << y.row();
  }
}

// y has 2 channels of 4 x 4, x is the same in planes.
TEST(Maps, OfADepthwiseStayInTheirSlotsAndApart) {
  const auto code = [](const format::MapStrides& x, const format::MapStrides& y) {
    return CodeOf(format::Kind::depthwise, [&](ListingBuilder& b) {
      b.depthwise_rows[0].mutable_x() = x;
      b.depthwise_rows[0].mutable_y() = y;
    });
  };
  const format::MapStrides planes(32, 4, 1, 16), last(32, 8, 2, 1);
  EXPECT_EQ(code(last, planes), FaultCode::kNone);
  for (const uint32_t far : {17u, 0x40000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(code({0, 4, 1, far}, planes), FaultCode::kOperandBytes) << far;
    EXPECT_EQ(code(planes, {0, far, 2, 1}), FaultCode::kOperandBytes) << far;
  }
  EXPECT_EQ(code(planes, {0, 8, 1, 1}), FaultCode::kParamRows) << "pixels";
  EXPECT_EQ(code(planes, {0, 4, 1, 15}), FaultCode::kParamRows) << "channels";
}

}  // namespace
}  // namespace weft::test
