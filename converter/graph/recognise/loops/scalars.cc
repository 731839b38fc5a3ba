// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/loops/scalars.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr size_t kMaxInputs = 3;  // of an operation with a rule
constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxLength = kMax;  // of a run

bool IsNarrow(int64_t value) { return value >= kMin && value <= kMax; }

}  // namespace

void AddNeeded(std::set<const ir::Node*>& nodes, const ir::Node* root) {
  std::vector<const ir::Node*> open = {root};
  while (!open.empty()) {
    const ir::Node* node = open.back();
    open.pop_back();
    if (!nodes.insert(node).second) continue;
    for (const ir::Source& source : node->inputs) open.push_back(source.node);
  }
}

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

LoopScalars::Run LoopScalars::TakeRun(ir::Source source) {
  length_ = kMaxLength;
  Run run{Value(source), StepOf(source), 0};
  while (!assumed_.empty()) {
    const auto [next, step] = assumed_.back();
    assumed_.pop_back();
    if (StepOf(next) != step) length_ = 1;
  }
  run.iterations = length_;
  Continue();
  return run;
}

void LoopScalars::Advance() {
  length_ = 1;
  Continue();
}

void LoopScalars::Continue() {
  std::map<const ir::Node*, std::optional<int64_t>> next = parameters_;
  for (const ir::BodyInput& input : body_.map.inputs) {
    if (input.range || (input.input && input.next == nullptr)) continue;
    const ir::Source parameter = {input.parameter, 0};
    std::optional<int64_t>& value = next[input.parameter];
    if (!input.input) {
      value = iteration_ + length_;
    } else if (length_ == 1) {
      value = Value(input.next->inputs[0]);
    } else if (value) {
      *value += length_ * At(parameter).step.value_or(0);
    }
  }
  parameters_ = std::move(next);
  iteration_ += length_;
}

std::optional<int64_t> LoopScalars::Value(ir::Source source) {
  Known& known = At(source);
  if (known.iteration == iteration_) return known.value;
  known = {iteration_, std::nullopt, std::nullopt};  // ends a cycle
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

void LoopScalars::Limit(int64_t first, int64_t step, int64_t max) {
  if (step > 0) length_ = std::min(length_, (max - first) / step + 1);
}

int64_t LoopScalars::StepOf(ir::Source source) {
  const std::optional<int64_t> value = Value(source);
  Known& known = At(source);
  if (known.step) return *known.step;
  const ir::Node& node = *source.node;
  known.step = 0;
  if (node.constant) return 0;
  if (!ir::IsParameter(node)) {
    known.step = StepOfRule(node);
  } else if (const ir::BodyInput* input = body_.map.InputOf(node); input != nullptr) {
    if (!input->input) known.step = 1;
    if (input->next != nullptr && !input->range) {
      known.step = StepOfState(source, input->next->inputs[0]);
    }
  }
  if (value) {
    Limit(*value, *known.step, kMax);
    Limit(-*value, -*known.step, -kMin);
  }
  return *known.step;
}

// Assumes that the state grows by as much as in this iteration. TakeRun checks that its next value
// grows by that as well.
int64_t LoopScalars::StepOfState(ir::Source state, ir::Source next) {
  const std::optional<int64_t> now = Value(state), then = Value(next);
  if (now.has_value() != then.has_value()) length_ = 1;
  const int64_t step = now && then ? *then - *now : 0;
  assumed_.emplace_back(next, step);
  return step;
}

int64_t LoopScalars::StepOfRule(const ir::Node& node) {
  const ops::Traits& traits = ops::TraitsOf(node);
  const size_t count = node.inputs.size();
  if (traits.scalar == nullptr || count == 0 || count > kMaxInputs) return 0;
  std::array<std::optional<int64_t>, kMaxInputs> inputs, steps;
  bool is_known = true, moves = false;
  for (size_t i = 0; i < count; ++i) {
    inputs[i] = Value(node.inputs[i]);
    steps[i] = StepOf(node.inputs[i]);
    is_known = is_known && inputs[i];
    moves = moves || steps[i] != 0;
  }
  if (!moves) return 0;
  if (!traits.scalar_is_polynomial) return EndRun();
  if (is_known && count == 2) {  // up to the iteration before they are equal
    const int64_t ahead = *inputs[0] - *inputs[1], step = *steps[0] - *steps[1];
    if (ahead == 0 && step != 0) length_ = 1;
    if (ahead < 0) Limit(ahead, step, -1);
    if (ahead > 0) Limit(-ahead, -step, -1);
  }
  std::array<std::optional<int64_t>, 3> results;
  for (std::optional<int64_t>& result : results) {
    result = traits.scalar(node, {inputs.data(), count});
    for (size_t i = 0; i < count; ++i) {
      if (inputs[i]) *inputs[i] += *steps[i];
    }
  }
  const auto& [a, b, c] = results;
  if (!a && !is_known) return 0;
  const bool is_line = a && b && c && *b - *a == *c - *b;
  return length_ >= 3 && is_line ? *b - *a : EndRun();
}

std::optional<int64_t> LoopScalars::Element(ir::Source source, size_t index) {
  const ir::Node& node = *source.node;
  if (node.constant) {
    const std::vector<int64_t> ints = IntsOf(source);
    const size_t at = ints.size() == 1 ? 0 : index;
    return at < ints.size() ? std::optional(ints[at]) : std::nullopt;
  }
  const ops::Traits& traits = ops::TraitsOf(node);
  if (traits.joins) {
    for (const ir::Source& part : node.inputs) {
      const size_t length = part.node->constant ? IntsOf(part).size() : 1;
      if (index < length) return Element(part, index);
      index -= length;
    }
    return std::nullopt;
  }
  const size_t count = node.inputs.size();
  if (!traits.pointwise || traits.scalar == nullptr || count == 0 || count > kMaxInputs) {
    return Value(source);
  }
  std::array<std::optional<int64_t>, kMaxInputs> inputs;
  for (size_t i = 0; i < count; ++i) inputs[i] = Element(node.inputs[i], index);
  return traits.scalar(node, {inputs.data(), count});
}

}  // namespace weft::graph
