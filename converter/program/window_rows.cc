// SPDX-License-Identifier: Apache-2.0
#include "converter/program/window_rows.h"

#include <variant>

#include "converter/base/narrow.h"

namespace weft::program {

namespace {

template <typename P>
concept HasWindow = requires(P p) {
  p.kernel_height();
  p.dilation_y();
  p.pad_top();
  p.x().row();
  p.y().row();
};

// One-dimensional data have height 1: their rows are pixels.
template <HasWindow P>
bool IsFlat(const P& p) {
  return p.in_height() == 1 && p.out_height() == 1 && p.kernel_height() == 1 && p.pad_top() == 0;
}

// Returns true if rows of `pixels` pixels, or pixels if `flat`, are contiguous.
bool AreRuns(const format::MapStrides& map, int64_t pixels, int64_t channels, bool flat) {
  const int64_t row = flat ? map.pixel() : map.row();
  const int64_t channel = channels == 1 ? 1 : map.channel();
  if (flat) return channel == 1 && row == channels;
  return row == pixels * channels && ((channel == 1 && (pixels == 1 || map.pixel() == channels)) ||
                                      (map.pixel() == 1 && channel == pixels));
}

template <HasWindow P>
std::optional<WindowRows> RowsOf(const P& p) {
  const bool flat = IsFlat(p);
  const bool has_runs = AreRuns(p.x(), p.in_width(), InputChannels(p), flat) &&
                        AreRuns(p.y(), p.out_width(), OutputChannels(p), flat);
  if (p.batch() != 1 || !has_runs || (flat ? p.stride_x() : p.stride_y()) != 1) return std::nullopt;
  if (flat) {
    return WindowRows{p.in_width(), p.out_width(), p.pad_left(),
                      (int64_t{p.kernel_width()} - 1) * p.dilation_x()};
  }
  return WindowRows{p.in_height(), p.out_height(), p.pad_top(),
                    (int64_t{p.kernel_height()} - 1) * p.dilation_y()};
}
template <typename P>
std::optional<WindowRows> RowsOf(const P&) {
  return std::nullopt;
}

template <HasWindow P>
void TakeRows(P& p, uint32_t in, uint32_t out, uint32_t front) {
  if (IsFlat(p)) {
    p.mutate_in_width(in);
    p.mutate_out_width(out);
    p.mutate_pad_left(front);
  } else {
    p.mutate_in_height(in);
    p.mutate_out_height(out);
    p.mutate_pad_top(front);
  }
}
template <typename P>
void TakeRows(P&, uint32_t, uint32_t, uint32_t) {}

}  // namespace

std::optional<WindowRows> WindowRowsOf(const Step& step) {
  if (step.outputs.size() != 1) return std::nullopt;
  return std::visit([](const auto& params) { return RowsOf(params); }, step.params);
}

Params WindowPart(const Step& step, int64_t in, int64_t out, int64_t front) {
  Params part = step.params;
  std::visit(
      [&](auto& params) {
        TakeRows(params, Narrow32(in, "rows of x"), Narrow32(out, "rows of y"),
                 Narrow32(front, "padding"));
      },
      part);
  return part;
}

}  // namespace weft::program
