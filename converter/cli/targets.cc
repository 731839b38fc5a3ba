// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "converter/program/integer_costs.h"

namespace weft::cli {
namespace {

constexpr Target kUnknownTarget = {.name = "",
                                   .is_board = true,
                                   .fuses = false,
                                   .adds_products = true,
                                   .keeps_i8x32 = true,
                                   .converts_f16 = true};
constexpr Target kTargets[] = {
#define WEFT_TARGET(preset, processor, compiler, runs_on, is_processor, is_board, fuses, \
                    adds_products, keeps_i8x32, converts_f16, f16_cost, float_cost)      \
  {preset,      is_processor, is_board, fuses,     adds_products,                        \
   keeps_i8x32, converts_f16, f16_cost, float_cost},
#include "converter/cli/targets.inc"
#undef WEFT_TARGET
};

}  // namespace

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    if (target.is_processor) names.emplace_back(target.name);
  }
  return names;
}

bool IsTarget(std::string_view name) { return &TargetOf(name) != &kUnknownTarget; }

// The start of a name is not accepted: cortex-m5 is another processor than cortex-m55.
const Target& TargetOf(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kTargets, [&](const Target& target) { return target.is_processor && target.name == name; });
  return found == std::end(kTargets) ? kUnknownTarget : *found;
}

const program::IntegerCosts* IntegerCostsOf(std::string_view target) {
  return target == "x86-64" ? &program::kIntegerCostsOfX86 : nullptr;
}

std::vector<std::string> TargetWarnings(std::string_view target,
                                        const std::vector<program::WeightsOfType>& weights) {
  std::vector<std::string> warnings;
  const Target& found = TargetOf(target);
  const auto has = [&](const auto& is_of) {
    return std::ranges::any_of(weights, [&](const program::WeightsOfType& one) {
      return one.bytes != 0 && is_of(one.type);
    });
  };
  if (!found.converts_f16 && has([](ElementType type) { return type == ElementType::f16; })) {
    warnings.push_back(
        fmt::format("warning: {} has no instruction that converts f16: layers with f16 weights "
                    "need {} times the instructions of f32; use --precision {}",
                    found.name, found.f16_cost, found.adds_products ? "f32 or i8" : "f32"));
  }
  if (!found.adds_products && has(program::IsInteger)) {
    warnings.push_back(fmt::format(
        "warning: {} has no integer dot-product instruction: integer weights reduce size but run "
        "slower than f32",
        found.name));
  }
  return warnings;
}

std::string FloatNote(std::string_view target, const std::vector<std::string>& layers,
                      bool with_names) {
  const Target& found = TargetOf(target);
  if (found.float_cost == 1 || layers.empty()) return {};
  return fmt::format(
      "note: {} has no FPU: {} layer{} with floats, at about {} times the instructions of a "
      "Cortex-M4F{}",
      found.name, layers.size(), layers.size() == 1 ? " computes" : "s compute", found.float_cost,
      with_names ? fmt::format(": {}", fmt::join(layers, ", ")) : "; --verbose lists them");
}

}  // namespace weft::cli
