// SPDX-License-Identifier: Apache-2.0
#include "converter/program/fixed_weights.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <variant>

namespace weft::program {
namespace {

LayerWeights FixedWeights(const Step& step, const Value& value) {
  LayerWeights layer;
  layer.layer = step.layer;
  layer.bytes_before = layer.bytes = value.bytes;
  layer.signal_to_noise_db = std::numeric_limits<double>::infinity();
  layer.is_fixed = true;
  layer.f32_because = fmt::format("{} reads them as data", Name(step.kind()));
  return layer;
}

}  // namespace

void AddFixedWeights(const Program& program, WeightsReport& report,
                     const std::function<bool(ValueId root)>& is_listed) {
  std::set<ValueId> added;
  const auto add = [&](const Step& step, ValueId input) {
    if (input == kNone) return;
    const ValueId root = Resolve(program, input).root;
    const Value& value = program.values[root];
    if (value.storage != Storage::kWeights || value.type.type != ElementType::f32) return;
    if (value.bytes < kMinListedBytes || is_listed(root) || !added.insert(root).second) return;
    report.Add(FixedWeights(step, value));
  };
  ForEachStep(program, [&](const Step& step) {
    for (const ValueId input : step.inputs) add(step, input);
  });
}

}  // namespace weft::program
