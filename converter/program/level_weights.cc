// SPDX-License-Identifier: Apache-2.0
#include "converter/program/level_weights.h"

#include <limits>
#include <set>
#include <variant>

namespace weft::plan {
namespace {

constexpr size_t kIntegers = 1;  // operand of each of these products

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

}  // namespace

int64_t LevelWeightsOf(const Step& step) {
  const auto count = [](const auto& params) -> int64_t {
    if constexpr (requires { CountOf(params); }) return CountOf(params);
    return 0;
  };
  return std::visit(count, step.params);
}

std::vector<LayerWeights> LevelWeights(const Program& program) {
  std::vector<LayerWeights> layers;
  std::set<ValueId> counted;
  for (const Block& block : program.blocks) {
    for (const Item& item : block.items) {
      const auto* step = std::get_if<Step>(&item);
      const int64_t count = step == nullptr ? 0 : LevelWeightsOf(*step);
      if (count == 0 || counted.contains(Resolve(program, step->inputs[kIntegers]).root)) continue;
      LayerWeights layer = {step->layer, ElementType::i8, count * int64_t{sizeof(float)}, 0,
                            std::numeric_limits<double>::infinity()};
      for (size_t i = kIntegers; i < step->inputs.size(); ++i) {
        if (step->inputs[i] == kNone) continue;
        const ValueId root = Resolve(program, step->inputs[i]).root;
        if (counted.insert(root).second) layer.bytes += program.values[root].bytes;
      }
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

}  // namespace weft::plan
