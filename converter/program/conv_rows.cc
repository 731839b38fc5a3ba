// SPDX-License-Identifier: Apache-2.0
#include "converter/program/conv_rows.h"

#include <cstdint>

#include "converter/base/narrow.h"

namespace weft::program {
namespace {

// An axis with the strides of x and y along it.
struct RowAxis {
  int64_t count, x, y;
};

// Returns the single axis that traverses both; nullopt if there is none.
std::optional<RowAxis> Joined(const std::optional<RowAxis>& outer, const RowAxis& inner) {
  if (!outer || inner.count == 1) return outer;
  if (outer->count == 1) return inner;
  if (outer->x != inner.count * inner.x || outer->y != inner.count * inner.y) return std::nullopt;
  return RowAxis{outer->count * inner.count, inner.x, inner.y};
}

// Strides of a map between the images, rows, pixels and channels that are computed.
struct PositionStrides {
  int64_t image, row, pixel, channel;
};
PositionStrides LastOfPositions(const format::ConvParams& p, int64_t channels) {
  const int64_t row = channels * p.out_width();
  return {row * p.out_height(), row, channels, 1};
}

std::optional<RowAxis> JoinedRows(const format::ConvParams& p, const PositionStrides& x,
                                  const PositionStrides& y) {
  if ((x.channel != 1 && p.in_channels() != 1) || (y.channel != 1 && p.out_channels() != 1)) {
    return std::nullopt;
  }
  std::optional<RowAxis> rows = RowAxis{p.batch(), x.image, y.image};
  rows = Joined(rows, {p.out_height(), x.row, y.row});
  rows = Joined(rows, {p.out_width(), x.pixel, y.pixel});
  if (rows && rows->count == 1) *rows = {1, p.in_channels(), p.out_channels()};
  return rows;
}

bool IsInside(int64_t input, int64_t output, int64_t stride, int64_t pad) {
  return pad == 0 && output > 0 && (output - 1) * stride < input;
}

format::DenseParams ProductOver(const format::ConvParams& p, const RowAxis& rows) {
  format::DenseParams product;
  product.mutate_rows(Narrow32(rows.count, "rows"));
  product.mutate_inputs(p.in_channels());
  product.mutate_outputs(p.out_channels());
  product.mutate_x_row_stride(Narrow32(rows.x, "x row stride"));
  product.mutate_y_row_stride(Narrow32(rows.y, "y row stride"));
  product.mutable_activation() = p.activation();
  product.mutate_weights(p.weights());
  return product;
}

}  // namespace

std::optional<ConvRows> ConvRowsOf(const format::ConvParams& p) {
  if (p.kernel_height() != 1 || p.kernel_width() != 1 || p.groups() != 1 || p.batch() == 0 ||
      !IsInside(p.in_height(), p.out_height(), p.stride_y(), p.pad_top()) ||
      !IsInside(p.in_width(), p.out_width(), p.stride_x(), p.pad_left())) {
    return std::nullopt;
  }
  const PositionStrides x = {p.x().image(), int64_t{p.x().row()} * p.stride_y(),
                             int64_t{p.x().pixel()} * p.stride_x(), p.x().channel()};
  const PositionStrides y = {p.y().image(), p.y().row(), p.y().pixel(), p.y().channel()};
  const PositionStrides moved_x = LastOfPositions(p, p.in_channels());
  const PositionStrides moved_y = LastOfPositions(p, p.out_channels());
  for (const bool has_own_y : {true, false}) {
    for (const bool has_own_x : {true, false}) {
      const std::optional<RowAxis> rows =
          JoinedRows(p, has_own_x ? x : moved_x, has_own_y ? y : moved_y);
      if (rows) return ConvRows{ProductOver(p, *rows), has_own_x, has_own_y};
    }
  }
  return std::nullopt;
}

Pixels InputPixels(const format::ConvParams& conv) {
  const format::MapStrides& x = conv.x();
  return {{conv.batch(), conv.out_height(), conv.out_width(), conv.in_channels()},
          {x.image(), int64_t{x.row()} * conv.stride_y(), int64_t{x.pixel()} * conv.stride_x(),
           x.channel()}};
}
Pixels OutputPixels(const format::ConvParams& conv) {
  const format::MapStrides& y = conv.y();
  return {{conv.batch(), conv.out_height(), conv.out_width(), conv.out_channels()},
          {y.image(), y.row(), y.pixel(), y.channel()}};
}

}  // namespace weft::program
