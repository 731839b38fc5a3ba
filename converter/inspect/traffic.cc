// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/traffic.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

#include "converter/inspect/cost.h"
#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

// Adds up steps of one kind, layer and reason.
std::vector<Cause> CausesOf(const format::Model& model, const std::vector<double>& times) {
  const auto steps = format::RowsOf(model.steps());
  std::map<std::tuple<std::string, std::string, format::Reason>, double> bytes;
  for (uint32_t i = 0; i < steps.count; ++i) {
    const double moved = times[i] * MovedBytes(model, steps[i]);
    const auto reason = static_cast<format::Reason>(steps[i].reason());
    if (moved > 0) bytes[{KindName(steps[i].kind()), LayerOf(model, i), reason}] += moved;
  }
  std::vector<Cause> list;
  for (const auto& [who, moved] : bytes) {
    const auto& [kind, layer, reason] = who;
    list.push_back({kind, layer, reason, moved});
  }
  std::ranges::stable_sort(list, std::ranges::greater(), &Cause::bytes);
  return list;
}

}  // namespace

Traffic TrafficOf(const format::Model& model) {
  const auto steps = format::RowsOf(model.steps());
  Traffic traffic;
  traffic.bytes = SumOf(model, [&](uint32_t step) { return MovedBytes(model, steps[step]); });
  traffic.causes = CausesOf(model, traffic.bytes.times);
  return traffic;
}

const char* Why(format::Reason reason) {
  // In the order of Reason.
  constexpr const char* kReasons[] = {
      "the operation itself moves data",
      "no step computes the initial value of the state, or another step reads the value too",
      "no step computes the new value of the state, or another state has the same value",
      "the iteration count is not known at conversion",
      "the sliced axis is not the outermost: one transpose before the loop",
      "the gathered axis is not the outermost: one transpose after the loop",
      "no step computes the gathered value, or the value is gathered twice",
      "the returned value is not a step's result of the iteration",
      "the condition is not a step's result of the iteration",
      "a branch returns an outer value",
      "no step computes the new value of the variable, or a later step reads the old value",
      "an output must be outside the state, contiguous at its actual length",
      "cleared, because the loop may run zero iterations",
  };
  static_assert(std::size(kReasons) == static_cast<size_t>(format::Reason::MAX) + 1);
  return kReasons[static_cast<size_t>(reason)];
}

}  // namespace weft::inspect
