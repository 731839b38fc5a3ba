// SPDX-License-Identifier: Apache-2.0
// Convolutions that are dense products, the shapes of these, and copies that they need.
#include "converter/program/conv_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace weft {
namespace {

using format::ConvParams;
using format::MapStrides;

// Two channels-last images of 6 x 5 pixels and 3 channels, and 4 filters of one tap.
ConvParams Pointwise() {
  ConvParams params;
  params.mutate_batch(2);
  params.mutate_groups(1);
  params.mutate_in_channels(3);
  params.mutate_out_channels(4);
  params.mutate_in_height(6);
  params.mutate_in_width(5);
  params.mutate_out_height(6);
  params.mutate_out_width(5);
  params.mutate_kernel_height(1);
  params.mutate_kernel_width(1);
  params.mutate_stride_y(1);
  params.mutate_stride_x(1);
  params.mutate_dilation_y(1);
  params.mutate_dilation_x(1);
  params.mutable_x() = MapStrides(90, 15, 3, 1);
  params.mutable_y() = MapStrides(120, 20, 4, 1);
  params.mutate_weights(ElementType::f32);
  return params;
}

using Change = std::function<void(ConvParams&)>;
std::optional<program::ConvRows> Rows(const Change& change) {
  ConvParams params = Pointwise();
  change(params);
  return program::ConvRowsOf(params);
}
void ExpectRows(const std::optional<program::ConvRows>& rows, uint32_t count, uint32_t x_stride,
                uint32_t y_stride, bool has_own_x = true, bool has_own_y = true) {
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->product.rows(), count);
  EXPECT_EQ(rows->product.inputs(), 3u);
  EXPECT_EQ(rows->product.outputs(), 4u);
  EXPECT_EQ(rows->product.x_row_stride(), x_stride);
  EXPECT_EQ(rows->product.y_row_stride(), y_stride);
  EXPECT_EQ(rows->product.start_row_stride(), 0u);
  EXPECT_EQ(rows->product.weights(), ElementType::f32);
  EXPECT_EQ(rows->has_own_x, has_own_x);
  EXPECT_EQ(rows->has_own_y, has_own_y);
}

TEST(ConvRows, AreThePlaces) {
  ExpectRows(Rows([](ConvParams&) {}), 60, 3, 4);
  // A slice of wider maps.
  ExpectRows(Rows([](ConvParams& p) {
               p.mutable_x() = MapStrides(270, 45, 9, 1);
               p.mutable_y() = MapStrides(150, 25, 5, 1);
             }),
             60, 9, 5);
  // Every second pixel of one row.
  ExpectRows(Rows([](ConvParams& p) {
               p.mutate_batch(1);
               p.mutate_in_height(1);
               p.mutate_out_height(1);
               p.mutate_out_width(3);
               p.mutate_stride_x(2);
             }),
             3, 6, 4);
  // A single pixel has no strides.
  ExpectRows(Rows([](ConvParams& p) {
               p.mutate_batch(1);
               p.mutate_out_height(1);
               p.mutate_out_width(1);
             }),
             1, 3, 4);
}

TEST(ConvRows, AreMovedWhereTheyAreNotEvenlySpaced) {
  const MapStrides x_planes(90, 5, 1, 30), y_planes(120, 5, 1, 30);
  ExpectRows(Rows([&](ConvParams& p) { p.mutable_x() = x_planes; }), 60, 3, 4, false);
  ExpectRows(Rows([&](ConvParams& p) { p.mutable_y() = y_planes; }), 60, 3, 4, true, false);
  ExpectRows(Rows([&](ConvParams& p) {
               p.mutable_x() = x_planes;
               p.mutable_y() = y_planes;
             }),
             60, 3, 4, false, false);
  // Maps with a margin; pixels that are skipped.
  ExpectRows(Rows([](ConvParams& p) { p.mutable_x() = MapStrides(108, 18, 3, 1); }), 60, 3, 4,
             false);
  ExpectRows(Rows([](ConvParams& p) { p.mutable_y() = MapStrides(130, 20, 4, 1); }), 60, 3, 4, true,
             false);
  ExpectRows(Rows([](ConvParams& p) {
               p.mutate_stride_x(2);
               p.mutate_out_width(3);
               p.mutable_y() = MapStrides(72, 12, 4, 1);
             }),
             36, 3, 4, false);
}

TEST(ConvRows, AreNoneElsewhere) {
  const Change changes[] = {
      [](ConvParams& p) { p.mutate_groups(2); },
      [](ConvParams& p) { p.mutate_batch(0); },
      [](ConvParams& p) { p.mutate_out_width(0); },
      [](ConvParams& p) { p.mutate_pad_left(1); },
      [](ConvParams& p) { p.mutate_pad_top(1); },
      [](ConvParams& p) { p.mutate_out_width(6); },  // into the padding
      [](ConvParams& p) { p.mutate_kernel_height(2); },
      [](ConvParams& p) { p.mutate_kernel_width(2); },
  };
  for (const Change& change : changes) {
    EXPECT_FALSE(Rows(change).has_value()) << &change - changes;
  }
}

}  // namespace
}  // namespace weft
