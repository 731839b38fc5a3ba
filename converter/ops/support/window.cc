// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/window.h"

#include <algorithm>
#include <string_view>

namespace weft::ops {
namespace {

// Keeps every sum and product of attributes inside 64 bits.
constexpr int64_t kMaxExtent = int64_t{1} << 31;

constexpr std::string_view kAutoPads[] = {"explicit", "notset", "valid", "same_upper",
                                          "same_lower"};
constexpr std::string_view kRoundings[] = {"floor", "ceil", "ceil_torch"};

// Number of spatial axis i; `fallback` if the attribute is absent.
int64_t At(const Dims& values, size_t i, int64_t fallback) {
  return i < values.size() ? values[i] : fallback;
}

bool CheckAxis(InferScope& scope, const WindowAxis& axis) {
  return CheckNumber(scope, "an extent of the window", axis.kernel, 1) &&
         CheckNumber(scope, "a stride", axis.stride, 1) &&
         CheckNumber(scope, "a dilation", axis.dilation, 1) &&
         CheckNumber(scope, "a pad at the beginning", axis.pad_begin, 0) &&
         CheckNumber(scope, "a pad at the end", axis.pad_end, -axis.in) &&
         CheckNumber(scope, "the window with its dilation", axis.extent(), 1);
}

}  // namespace

Dims Window::OutDims() const {
  const Dims all = {z.out, y.out, x.out};
  return Dims(all.end() - static_cast<std::ptrdiff_t>(axis_count), all.end());
}

void PadToSame(WindowAxis& axis, bool upper) {
  const int64_t windows = (axis.in + axis.stride - 1) / axis.stride;
  const int64_t total = std::max<int64_t>((windows - 1) * axis.stride + axis.extent() - axis.in, 0);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

int64_t OutExtent(const WindowAxis& axis, std::string_view rounding) {
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
  if (room < 0) return 0;
  const int64_t up = rounding == "floor" ? 0 : axis.stride - 1;
  int64_t out = (room + up) / axis.stride + 1;
  // ceil_torch: the last window must begin inside the input or the padding before it.
  if (rounding == "ceil_torch" && (out - 1) * axis.stride >= axis.in + axis.pad_begin) --out;
  return out;
}

program::ValueId Padded(program::Builder& builder, program::ValueId x, int64_t planes,
                        uint64_t bits, Window& window) {
  if (window.stays_inside()) return x;
  Dims from = {planes}, to = {planes}, taken = {planes}, zeros;
  for (WindowAxis* axis : {&window.z, &window.y, &window.x}) {
    from.push_back(axis->in);
    to.push_back(axis->reach());
    zeros.push_back(std::min(axis->pad_begin, axis->reach()));
    taken.push_back(std::min(axis->in, axis->reach() - zeros.back()));
    axis->in = axis->reach();
  }
  const program::ValueId padded = builder.Scratch({builder.type(x), to});
  builder.Fill(padded, bits);
  const Dims strides = program::DenseStrides(to);
  builder.CopyStrided(x, padded, taken, program::DenseStrides(from), 0, strides,
                      zeros[0] * strides[1] + zeros[1] * strides[2] + zeros[2]);
  return padded;
}

bool CheckLength(InferScope& scope, std::string_view key, size_t axes) {
  const Dims values = scope.attributes.Ints(key);
  if (!scope.attributes.Has(key) || values.size() == axes) return true;
  scope.Fault("attribute {} is {}; must have one number for each of {} spatial axes", key,
              ToString(values), axes);
  return false;
}

bool CheckNumber(InferScope& scope, std::string_view what, int64_t value, int64_t min) {
  if (value >= min && value < kMaxExtent) return true;
  scope.Fault("{} is {}; must be from {} to {}", what, value, min, kMaxExtent - 1);
  return false;
}

std::string AutoPad(const NodeScope& scope) {
  return scope.attributes.Choice("auto_pad", "explicit", kAutoPads);
}

WindowAxis ExplicitAxis(const NodeScope& scope, size_t i, int64_t in, int64_t kernel) {
  const bool padded = AutoPad(scope) == "explicit" || AutoPad(scope) == "notset";
  const auto number = [&](std::string_view key, int64_t fallback) {
    return At(scope.attributes.Ints(key), i, fallback);
  };
  return {in,
          kernel,
          number("strides", 1),
          number("dilations", 1),
          padded ? number("pads_begin", 0) : 0,
          padded ? number("pads_end", 0) : 0};
}

bool CheckWindow(InferScope& scope, std::span<const int64_t> in, std::span<const int64_t> kernel) {
  if (in.empty() || in.size() > 3) {
    scope.Fault("the data has {} spatial axes; 1, 2 and 3 are supported", in.size());
    return false;
  }
  if (kernel.size() != in.size()) {
    scope.Fault("the window is {} and the data has {} spatial axes; must have one extent per axis",
                ToString(kernel), in.size());
    return false;
  }
  for (std::string_view key : {"strides", "dilations", "pads_begin", "pads_end"}) {
    if (!CheckLength(scope, key, in.size())) return false;
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (!CheckAxis(scope, ExplicitAxis(scope, i, in[i], kernel[i]))) return false;
  }
  return true;
}

std::optional<Window> InferWindow(InferScope& scope, std::span<const int64_t> in,
                                  std::span<const int64_t> kernel) {
  if (!CheckWindow(scope, in, kernel)) return std::nullopt;
  Window window = WindowOf(scope, in, kernel);
  for (size_t i = 0; i < in.size(); ++i) {
    const WindowAxis& axis = window.axis(i);
    if (axis.out > 0) continue;
    scope.Fault(
        "spatial axis {} is {} long, {} with its pads, and the window covers {}; the window must "
        "fit",
        i, axis.in, axis.in + axis.pad_begin + axis.pad_end, axis.extent());
  }
  return scope.failed() ? std::nullopt : std::optional(window);
}

Window WindowOf(const NodeScope& scope, std::span<const int64_t> in,
                std::span<const int64_t> kernel) {
  const std::string auto_pad = AutoPad(scope);
  const std::string rounding = scope.attributes.Choice("rounding_type", "floor", kRoundings);
  Window window;
  window.axis_count = in.size();
  for (size_t i = 0; i < in.size(); ++i) {
    WindowAxis& axis = window.axis(i);
    axis = ExplicitAxis(scope, i, in[i], kernel[i]);
    if (auto_pad.starts_with("same")) PadToSame(axis, auto_pad == "same_upper");
    axis.out = OutExtent(axis, rounding);
  }
  return window;
}

void WindowAxes(AxisScope& scope, const Dims& kernel, bool channels_independent) {
  scope.Pair(0, 0, 0, 0);
  if (channels_independent) scope.Pair(0, 1, 0, 1);
  const int64_t first = scope.rank(0) - static_cast<int64_t>(kernel.size());
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t at = first + static_cast<int64_t>(i);
    const WindowAxis axis = ExplicitAxis(scope, i, AxisScope::At(scope.in(0), at), kernel[i]);
    if (axis.is_alone()) scope.Pair(0, at, 0, at);
  }
  scope.relation.reason = "has windows over time";
}

format::MapStrides PlanesOf(int64_t channels, int64_t height, int64_t width) {
  return {Narrow32(channels * height * width, "image stride"), Narrow32(width, "row stride"), 1,
          Narrow32(height * width, "channel stride")};
}

format::MapStrides LastOf(int64_t channels, int64_t height, int64_t width) {
  return {Narrow32(height * width * channels, "image stride"),
          Narrow32(width * channels, "row stride"), Narrow32(channels, "pixel stride"), 1};
}

}  // namespace weft::ops
