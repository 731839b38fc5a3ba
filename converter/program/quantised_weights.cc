// SPDX-License-Identifier: Apache-2.0
#include "converter/program/quantised_weights.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <variant>

namespace weft::program {
namespace {

constexpr size_t kIntegers = 1;  // operand index of the weights

int64_t CountOf(const format::DenseQ8Params& dense) {
  return int64_t{dense.inputs()} * dense.outputs();
}
int64_t CountOf(const format::ConvQ8Params& conv) {
  return int64_t{conv.groups()} * conv.in_channels() * conv.out_channels() * conv.kernel_height() *
         conv.kernel_width();
}
int64_t CountOf(const format::DepthwiseQ8Params& depthwise) {
  return int64_t{depthwise.channels()} * depthwise.kernel_height() * depthwise.kernel_width();
}

// Calls visit(step) for each quantised product.
template <typename Visit>
void ForQuantisedProducts(const Program& program, const Visit& visit) {
  ForEachStep(program, [&](const Step& step) {
    if (QuantisedWeightsOf(step) > 0) visit(step);
  });
}

}  // namespace

int64_t QuantisedWeightsOf(const Step& step) {
  const auto count = [](const auto& params) -> int64_t {
    if constexpr (requires { CountOf(params); }) return CountOf(params);
    return 0;
  };
  return std::visit(count, step.params);
}

std::vector<LayerWeights> QuantisedWeights(const Program& program) {
  std::vector<LayerWeights> layers;
  std::set<ValueId> counted;
  ForQuantisedProducts(program, [&](const Step& step) {
    if (counted.contains(Resolve(program, step.inputs[kIntegers]).root)) return;
    LayerWeights layer = {step.layer, ElementType::i8,
                          QuantisedWeightsOf(step) * int64_t{sizeof(float)}, 0,
                          std::numeric_limits<double>::infinity()};
    for (size_t i = kIntegers; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == kNone) continue;
      const ValueId root = Resolve(program, step.inputs[i]).root;
      const Value& value = program.values[root];
      if (value.storage == Storage::kWeights && counted.insert(root).second)
        layer.bytes += value.bytes;
    }
    layers.push_back(std::move(layer));
  });
  return layers;
}

void CheckQuantisedWeights(const Program& program, const Precisions& precisions, Faults& faults) {
  std::set<std::string> layers;
  ForQuantisedProducts(program, [&](const Step& step) { layers.insert(step.layer); });
  for (const auto& [layer, precision] : precisions.layers) {
    const ElementType type = TypeOf(precision).value_or(ElementType::i8);
    if (type == ElementType::i8 || type == ElementType::f32 || !layers.contains(layer)) continue;
    faults.Warn(fmt::format(
        "--precision: names layer \"{}\" for {}, whose data and weights are integers in the file; "
        "they stay integers, unless --precision names it for f32",
        layer, format::EnumNameElementType(type)));
  }
}

}  // namespace weft::program
