// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/look_back.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::ops {

void SetDilation(const ir::Graph& graph, ir::Node& node, int64_t at, int64_t dilation) {
  Faults none;
  Dims dilations = Attributes(graph, node, none).Ints("dilations");
  dilations.at(static_cast<size_t>(at) - 2) = dilation;
  node.attributes["dilations"] = fmt::format("{}", fmt::join(dilations, ","));
}

std::string PadFillOf(int64_t axis) { return fmt::format("pad_fill_{}", axis); }

std::map<std::string, std::string> PadsOf(Window window) {
  std::string begin, end;
  for (size_t i = 0; i < window.axis_count; ++i) {
    const char* comma = i == 0 ? "" : ",";
    begin += comma + std::to_string(window.axis(i).pad_begin);
    end += comma + std::to_string(window.axis(i).pad_end);
  }
  return {{"auto_pad", "explicit"}, {"pads_begin", begin}, {"pads_end", end}};
}

std::optional<Delay> LookBackOf(const NodeScope& scope, Window window, size_t i, int64_t first) {
  WindowAxis& axis = window.axis(i);
  const int64_t past = axis.pad_begin, ahead = axis.extent() - axis.stride;
  const bool covers = axis.in % axis.stride == 0 && axis.out == axis.in / axis.stride;
  if (!covers || past < std::max<int64_t>(ahead, 0) || past >= axis.extent()) return std::nullopt;
  if (axis.is_alone()) return std::nullopt;
  Delay delay = {static_cast<int64_t>(i) + first, past, axis.stride};
  delay.taps = axis.kernel;
  delay.dilation = axis.dilation;
  const std::string fill = PadFillOf(delay.axis);
  delay.repeats = scope.attributes.Text(fill, "0") == kRepeatFirst;
  if (!delay.repeats) delay.fill = scope.attributes.Float(fill, 0);
  axis.pad_begin = axis.pad_end = 0;
  delay.attributes = PadsOf(window);
  if (scope.attributes.Has("rounding_type")) delay.attributes["rounding_type"] = "floor";
  return delay;
}

std::optional<Delay> SpreadDelayOf(Window window, size_t i, int64_t first) {
  WindowAxis& axis = window.axis(i);
  if (axis.pad_begin != 0 || axis.out != axis.in * axis.stride) return std::nullopt;
  if (axis.is_alone()) return std::nullopt;
  const int64_t past = (axis.extent() - 1) / axis.stride;
  Delay delay = {static_cast<int64_t>(i) + first, past, 1, axis.stride};
  axis.pad_begin = past * axis.stride;
  delay.attributes = PadsOf(window);
  return delay;
}

std::optional<Windows> WindowsOf(const NodeScope& scope, Window window, size_t i, int64_t first) {
  const WindowAxis& axis = window.axis(i);
  if (axis.is_alone() && axis.out == axis.in) return std::nullopt;
  Windows found = {static_cast<int64_t>(i) + first, axis.extent(), axis.stride};
  found.first_axis = first;
  found.fill = scope.attributes.Float(PadFillOf(found.axis), 0);
  for (size_t at = 0; at < window.axis_count; ++at) {
    found.begin.push_back(window.axis(at).pad_begin);
    found.end.push_back(window.axis(at).pad_end);
  }
  return found;
}

bool IsFinite(const NodeScope& scope, size_t i) {
  const std::optional<std::vector<double>> numbers = scope.Numbers(i);
  return numbers &&
         std::ranges::all_of(*numbers, [](double number) { return std::isfinite(number); });
}

}  // namespace weft::ops
