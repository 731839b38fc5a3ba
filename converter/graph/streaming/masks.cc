// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/masks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

bool Is(const ir::Node& node, const char* operation) { return node.operation->name == operation; }

}  // namespace

Masks::Masks(const std::vector<ir::Node*>& between, int64_t positions, bool has_softmax)
    : between_(between), positions_(static_cast<size_t>(positions)), has_softmax_(has_softmax) {
  for (const ir::Node* node : between_) {
    if (ops::TraitsOf(*node).reshapes) continue;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (node->inputs[i].node->constant) operands_.push_back(OperandOf(*node, i));
    }
  }
  for (const Operand& operand : operands_) {
    const bool repeats = std::ranges::all_of(operand.batches, [](size_t at) { return at == 0; });
    if (!repeats) batches_ = std::max(batches_, operand.batches.size());
  }
  FindExcluders();
  hides_last_ = positions_ >= 2 && HidesTheLastPosition();
  if (hides_last_) excluded_ = ReadExcluded();
}

Masks::Operand Masks::OperandOf(const ir::Node& node, size_t input) const {
  Operand operand{&node, input, &*node.inputs[input].node->constant, {}, {0}, 0, 0};
  const Dims& whole = node.outputs[0].type.dims;
  Dims dims = operand.constant->type.dims;
  dims.insert(dims.begin(), whole.size() - dims.size(), 1);
  operand.row = dims.end()[-2] == 1 ? 0 : static_cast<size_t>(dims.back());
  operand.column = dims.back() == 1 ? 0 : 1;
  auto stride = static_cast<size_t>(dims.back() * dims.end()[-2]);
  operand.batch.assign(dims.begin(), dims.end() - 2);
  for (size_t axis = operand.batch.size(); axis-- > 0;) {
    std::vector<size_t> all;
    const size_t step = dims[axis] == 1 ? 0 : stride;
    for (size_t at = 0; at < static_cast<size_t>(whole[axis]); ++at) {
      for (const size_t inner : operand.batches) all.push_back(at * step + inner);
    }
    operand.batches = std::move(all);
    stride *= static_cast<size_t>(dims[axis]);
  }
  return operand;
}

const Masks::Operand* Masks::OperandAt(const ir::Node& node, size_t input) const {
  for (const Operand& operand : operands_) {
    if (operand.node == &node && operand.input == input) return &operand;
  }
  return nullptr;
}

// Returns true if the operation, whose result is then multiplied by `scale`, excludes the key.
bool Masks::IsExcludedBy(const ir::Node& node, double scale, size_t b, const Pair& at) const {
  const auto number = [&](const Operand& operand) {
    return NumberAt(*operand.constant, operand.At(b, at.i, at.j));
  };
  if (Is(node, "Select")) {
    const Operand* chosen = OperandAt(node, 0);
    if (chosen == nullptr) return false;
    const Operand* other = OperandAt(node, number(*chosen) != 0 ? 1 : 2);
    return other != nullptr && number(*other) * scale <= kExcludingScore;
  }
  const bool takes = Is(node, "Subtract");
  const Operand* addend = OperandAt(node, takes || !node.inputs[0].node->constant ? 1 : 0);
  if (addend == nullptr || (!takes && !Is(node, "Add"))) return false;
  return (takes ? -number(*addend) : number(*addend)) * scale <= kExcludingScore;
}

// Used without a softmax.
bool Masks::IsZeroBy(const ir::Node& node, size_t b, const Pair& at) const {
  const auto is_zero = [&](const Operand* operand) {
    return operand != nullptr && NumberAt(*operand->constant, operand->At(b, at.i, at.j)) == 0;
  };
  if (Is(node, "Multiply")) return is_zero(OperandAt(node, node.inputs[0].node->constant ? 0 : 1));
  const Operand* chosen = Is(node, "Select") ? OperandAt(node, 0) : nullptr;
  return chosen != nullptr && is_zero(OperandAt(node, is_zero(chosen) ? 2 : 1));
}

std::optional<double> Masks::ScaleOf(const ir::Node& node) const {
  const bool divides = Is(node, "Divide");
  if (!divides && !Is(node, "Multiply")) return std::nullopt;
  const Operand* factor = OperandAt(node, node.inputs[0].node->constant ? 0 : 1);
  if (factor == nullptr || (divides && factor->input == 0)) return std::nullopt;
  if (ElementCount(factor->constant->type.dims) != 1) return std::nullopt;
  const double number = NumberAt(*factor->constant, 0);
  if (!(number > 0)) return std::nullopt;
  return divides ? 1 / number : number;
}

// Returns true for an operation, whose result is then multiplied by `scale`, that keeps excluded
// keys excluded.
bool Masks::LeavesExcluded(const ir::Node& node, double scale) const {
  if (!has_softmax_) return Is(node, "Relu") || Is(node, "Tanh");
  if (Is(node, "Clamp")) return AttributeOf(node, "min") * scale <= kExcludingScore;
  if (!Is(node, "Maximum") && !Is(node, "Minimum")) return false;
  const Operand* limit = OperandAt(node, node.inputs[0].node->constant ? 0 : 1);
  if (limit == nullptr || ElementCount(limit->constant->type.dims) != 1) return false;
  const double number = NumberAt(*limit->constant, 0);
  return Is(node, "Minimum") ? !std::isnan(number) : number * scale <= kExcludingScore;
}

// Starts at the last operation and stops where an excluded key may be included again.
void Masks::FindExcluders() {
  double scale = 1;
  for (size_t k = between_.size(); k-- > 0;) {
    const ir::Node& node = *between_[k];
    if (ops::TraitsOf(node).reshapes) continue;
    const std::optional<double> factor = ScaleOf(node);
    if (factor) scale *= *factor;
    if (factor || LeavesExcluded(node, scale)) continue;
    const bool excludes =
        has_softmax_ ? Is(node, "Add") || Is(node, "Subtract") : Is(node, "Multiply");
    if (!excludes && !Is(node, "Select")) {
      // Without a softmax, a factor of 0 excludes only keys whose weights are finite.
      if (!has_softmax_)
        std::erase_if(excluders_, [](const auto& at) { return Is(*at.first, "Multiply"); });
      return;
    }
    excluders_.emplace_back(&node, scale);
  }
}

bool Masks::IsExcluded(size_t b, const Pair& at) const {
  return std::ranges::any_of(excluders_, [&](const auto& excluder) {
    const auto& [node, scale] = excluder;
    return has_softmax_ ? IsExcludedBy(*node, scale, b, at) : IsZeroBy(*node, b, at);
  });
}

// Returns false if the first position sees the last one. The mask is then not causal for any
// period, because the last position is in a later chunk than the first.
bool Masks::HidesTheLastPosition() const {
  for (size_t b = 0; b < batches_; ++b) {
    if (!IsExcluded(b, {0, positions_ - 1})) return false;
  }
  return true;
}

std::vector<bool> Masks::ReadExcluded() const {
  std::vector<bool> excluded(batches_ * positions_ * positions_);
  for (size_t at = 0; at < excluded.size(); ++at) {
    const size_t b = at / (positions_ * positions_);
    excluded[at] = IsExcluded(b, {at / positions_ % positions_, at % positions_});
  }
  return excluded;
}

Masks::Pair Masks::Model(int64_t period, int64_t phase, int64_t distance) const {
  const auto positions = static_cast<int64_t>(positions_);
  const int64_t after = std::max<int64_t>(distance - phase, 0);
  const int64_t i = phase + (after + period - 1) / period * period;
  const int64_t j = i - distance;
  if (i >= positions || j >= positions) return {static_cast<size_t>(phase), positions_ - 1};
  return {static_cast<size_t>(i), static_cast<size_t>(j)};
}

bool Masks::AreAlike(size_t b, const Pair& at, const Pair& other) const {
  if (Excludes(b, at) || Excludes(b, other)) return Excludes(b, at) && Excludes(b, other);
  return std::ranges::all_of(operands_, [&](const Operand& operand) {
    const auto size = static_cast<size_t>(ElementBytes(operand.constant->type.type));
    const std::byte* bytes = operand.constant->bytes.data();
    return std::memcmp(bytes + operand.At(b, at.i, at.j) * size,
                       bytes + operand.At(b, other.i, other.j) * size, size) == 0;
  });
}

bool Masks::Repeats(int64_t period) const {
  for (size_t b = 0; b < batches_; ++b) {
    for (size_t i = 0; i < positions_; ++i) {
      for (size_t j = 0; j < positions_; ++j) {
        const auto row = static_cast<int64_t>(i);
        const Pair model = Model(period, row % period, row - static_cast<int64_t>(j));
        if (!AreAlike(b, {i, j}, model)) return false;
      }
    }
  }
  return true;
}

// Each position must see itself; of later positions, it may only see those of its chunk.
std::optional<Reach> Masks::ReachOf(int64_t period) const {
  Reach reach{0, period, false};
  int64_t before_chunk = 0;
  for (size_t b = 0; b < batches_; ++b) {
    for (size_t i = 0; i < positions_; ++i) {
      if (Excludes(b, {i, i})) return std::nullopt;
      for (size_t j = 0; j < positions_; ++j) {
        if (Excludes(b, {i, j})) continue;
        const auto row = static_cast<int64_t>(i), column = static_cast<int64_t>(j);
        if (column / period > row / period) return std::nullopt;
        reach.is_even = reach.is_even || column > row;
        reach.past = std::max(reach.past, row - column);
        before_chunk = std::max(before_chunk, row / period * period - column);
      }
    }
  }
  if (reach.is_even) reach.past = before_chunk;
  return reach;
}

std::optional<Reach> Masks::Read() const {
  if (!hides_last_) return std::nullopt;
  // The second of two chunks must repeat the first.
  for (int64_t period = 1; 2 * period <= static_cast<int64_t>(positions_); ++period) {
    if (Repeats(period)) return ReachOf(period);
  }
  return std::nullopt;
}

ir::Constant Masks::CutOf(const Operand& operand, const Reach& reach, int64_t count) const {
  const int64_t phases = reach.is_even ? 1 : reach.period, columns = reach.past + count;
  const auto size = static_cast<size_t>(ElementBytes(operand.constant->type.type));
  auto bytes = std::make_shared<std::vector<std::byte>>();
  const auto matrices = static_cast<size_t>(ElementCount(operand.batch).value_or(0));
  const size_t plane = operand.constant->bytes.size() / size / matrices;
  for (int64_t phase = 0; phase < phases; ++phase) {
    for (size_t matrix = 0; matrix < matrices; ++matrix) {
      for (int64_t at = 0; at < count * columns; ++at) {
        const int64_t row = at / columns, column = at % columns;
        const Pair pair =
            Model(reach.period, (phase + row) % reach.period, reach.past + row - column);
        const size_t from = matrix * plane + pair.i * operand.row + pair.j * operand.column;
        const auto element = operand.constant->bytes.subspan(from * size, size);
        bytes->insert(bytes->end(), element.begin(), element.end());
      }
    }
  }
  Dims dims = operand.batch;
  dims.insert(dims.end(), {count, columns});
  if (phases > 1) dims.insert(dims.begin(), phases);
  const std::span<const std::byte> span = *bytes;
  return {{operand.constant->type.type, std::move(dims)}, std::move(bytes), span};
}

std::vector<Masks::Cut> Masks::CutTo(const Reach& reach, int64_t count) const {
  std::vector<Cut> cuts;
  for (const Operand& operand : operands_) {
    if (!operand.varies()) continue;
    const auto node = std::ranges::find(between_, operand.node);
    const bool by_phase = reach.period > 1 && !reach.is_even;
    cuts.push_back({*node, operand.input, CutOf(operand, reach, count), by_phase});
  }
  return cuts;
}

}  // namespace weft::graph
