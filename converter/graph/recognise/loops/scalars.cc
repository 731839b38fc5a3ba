// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/loops/scalars.h"

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr size_t kMaxInputs = 2;  // of an operation with a rule

bool IsNarrow(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

std::optional<int64_t> IntOf(ir::Source source) {
  const std::vector<int64_t> ints = IntsOf(source);
  return ints.size() == 1 ? std::optional(ints[0]) : std::nullopt;
}

LoopScalars::LoopScalars(const ir::Node& loop) : body_(loop.bodies[0]) {
  for (const ir::BodyInput& input : body_.map.inputs) {
    if (input.range) continue;
    parameters_[input.parameter] = input.input ? IntOf(loop.inputs[*input.input]) : 0;
  }
}

void LoopScalars::Advance() {
  next_.clear();
  for (const ir::BodyInput& input : body_.map.inputs) {
    if (input.range) continue;
    if (!input.input) next_.emplace_back(input.parameter, iteration_ + 1);
    if (input.next != nullptr) next_.emplace_back(input.parameter, Value(input.next->inputs[0]));
  }
  for (const auto& [parameter, value] : next_) parameters_[parameter] = value;
  ++iteration_;
}

std::optional<int64_t> LoopScalars::Value(ir::Source source) {
  Known& known = known_[{source.node, source.port}];
  if (known.iteration == iteration_) return known.value;
  known = {iteration_, std::nullopt};  // ends a cycle
  std::optional<int64_t> value = Compute(source);
  if (value && IsNarrow(*value)) known.value = value;
  return known.value;
}

std::optional<int64_t> LoopScalars::Compute(ir::Source source) {
  const ir::Node& node = *source.node;
  if (node.constant) return IntOf(source);
  if (ir::IsParameter(node)) {
    const auto found = parameters_.find(&node);
    return found == parameters_.end() ? std::nullopt : found->second;
  }
  const ops::ScalarRule rule = ops::TraitsOf(node).scalar;
  std::array<std::optional<int64_t>, kMaxInputs> inputs;
  const size_t count = node.inputs.size();
  if (rule == nullptr || count == 0 || count > kMaxInputs) return std::nullopt;
  for (size_t i = 0; i < count; ++i) inputs[i] = Value(node.inputs[i]);
  return rule(node, {inputs.data(), count});
}

}  // namespace weft::graph
