// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cli {
namespace {

struct Target {
  std::string_view name;
  bool converts_f16 = false;
  double f16_cost = 0;
};
constexpr Target kTargets[] = {
#define WEFT_TARGET(preset, processor, compiler, runs_on, converts_f16, f16_cost) \
  {preset, converts_f16, f16_cost},
#include "converter/cli/targets.inc"
#undef WEFT_TARGET
};

}  // namespace

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) names.emplace_back(target.name);
  return names;
}

std::string TargetWarning(std::string_view target,
                          const std::vector<plan::WeightsOfType>& weights) {
  const auto found = std::ranges::find(kTargets, target, &Target::name);
  const bool has_halves = std::ranges::any_of(weights, [](const plan::WeightsOfType& one) {
    return one.type == ElementType::f16 && one.bytes != 0;
  });
  if (found == std::end(kTargets) || found->converts_f16 || !has_halves) return {};
  return fmt::format(
      "warning: {} has no instruction that converts f16: products with such weights take {} times "
      "the instructions of f32; --precision f32 and i8 avoid it",
      found->name, found->f16_cost);
}

}  // namespace weft::cli
