// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/look_back.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace weft::ops {

std::optional<WindowWalk> WindowWalkOf(const NodeScope& scope, int64_t axis) {
  const std::string pads = scope.attributes.Text("auto_pad", "explicit");
  const auto at = static_cast<size_t>(axis - 2);
  const auto space = static_cast<size_t>(scope.rank(0) - 2);
  if (axis < 2 || at >= space || (pads != "explicit" && pads != "notset" && pads != "valid")) {
    return std::nullopt;
  }
  const auto number = [&](std::string_view key, int64_t fallback) {
    const Dims numbers = scope.attributes.Ints(key);
    return at < numbers.size() ? numbers[at] : fallback;
  };
  const Dims& weights = scope.input_dims(1);
  WindowWalk walk{weights[weights.size() - space + at], number("strides", 1),
                  number("dilations", 1)};
  if (pads == "valid") return walk;
  walk.before = number("pads_begin", 0);
  walk.behind = number("pads_end", 0);
  return walk;
}

std::optional<int64_t> PastOf(const NodeScope& scope, int64_t axis) {
  const std::optional<WindowWalk> walk = WindowWalkOf(scope, axis);
  if (!walk || walk->stride != 1 || walk->behind != 0 || walk->before != walk->past() ||
      walk->past() == 0) {
    return std::nullopt;
  }
  const std::optional<std::vector<double>> weights = scope.Numbers(1);
  const bool finite =
      weights && std::ranges::all_of(*weights, [](double number) { return std::isfinite(number); });
  return finite ? std::optional(walk->past()) : std::nullopt;
}

}  // namespace weft::ops
