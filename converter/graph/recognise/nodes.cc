// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/nodes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "converter/base/elements.h"
#include "converter/base/parse_number.h"
#include "converter/base/split.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {

void Join(Covered& covered, const Covered& more) { covered.insert(more.begin(), more.end()); }

std::optional<double> NumberIn(ir::Source source) {
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  const std::span<const std::byte> bytes = constant->bytes;
  if (bytes.size() < sizeof(float)) return std::nullopt;
  // Compares the bytes with themselves, shifted by one element.
  const std::span<const std::byte> next = bytes.subspan(sizeof(float));
  if (std::memcmp(bytes.data(), next.data(), next.size()) != 0) return std::nullopt;
  return RealAt(ElementType::f32, bytes, 0);
}

bool IsClose(double number, double wanted) {
  constexpr double kRoundings = 4e-7;  // about three f32 roundings
  return std::abs(number - wanted) <= kRoundings * std::abs(wanted);
}

std::optional<WithNumber> SplitNumber(const ir::Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  for (const size_t i : {1, 0}) {
    const std::optional<double> number = NumberIn(node.inputs[i]);
    if (number) return WithNumber{node.inputs[1 - i], *number};
  }
  return std::nullopt;
}

int64_t CountIn(ir::Source source) { return ElementCount(TypeOf(source).dims).value_or(0); }

double AttributeOf(const ir::Node& node, const std::string& key, double fallback, size_t index) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return fallback;
  const std::vector<std::string_view> parts = Split(found->second, ",");
  if (index >= parts.size()) return fallback;
  std::string_view text = parts[index];
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.starts_with('t') || text.starts_with('T')) return 1;
  return ParseNumber<double>(text.substr(0, text.find(' '))).value_or(0);
}

std::optional<ConstantMatrix> MatrixIn(const ir::Node& node) {
  if (!IsCalled(node, "MatMul")) return std::nullopt;
  const ir::Constant* constant = ConstantOf(node.inputs[1]);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  const Dims& dims = constant->type.dims;
  if (dims.size() < 2 || ElementCount(dims) != dims.back() * dims.end()[-2]) return std::nullopt;
  const bool outputs_first = AttributeOf(node, "transpose_b") != 0;
  return ConstantMatrix{constant, outputs_first ? dims.end()[-2] : dims.back(),
                        outputs_first ? dims.back() : dims.end()[-2], outputs_first};
}

std::optional<Gathering> GatheringOf(const ir::Graph& graph, ir::Node& node) {
  if (!IsCalled(node, "Gather")) return std::nullopt;
  const Quiet<ops::NodeScope> scope(graph, node);
  std::optional<Dims> indices = scope.Ints(1);
  const std::optional<Dims> axis = scope.Ints(2);
  const bool is_plain = scope.attributes.Int("batch_dims", 0) == 0;
  if (!indices || !axis || axis->size() != 1 || !is_plain || scope.rank(0) == 0) {
    return std::nullopt;
  }
  const size_t along = ops::WrappedAxis(axis->front(), scope.rank(0));
  for (int64_t& index : *indices) index += index < 0 ? scope.input_dims(0)[along] : 0;
  return Gathering{along, *std::move(indices)};
}

std::optional<int64_t> RepeatsIn(const Dims& indices, int64_t positions) {
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t repeats = positions == 0 ? 0 : count / positions;
  if (repeats < 2 || count != repeats * positions) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    if (indices[static_cast<size_t>(i)] != i / repeats) return std::nullopt;
  }
  return repeats;
}

std::optional<std::vector<size_t>> PermutationOf(const ir::Node& node) {
  if (!IsCalled(node, "Transpose")) return std::nullopt;
  const std::vector<int64_t> order = IntsOf(node.inputs[1]);
  if (order.size() != node.outputs[0].type.dims.size()) return std::nullopt;
  return std::vector<size_t>(order.begin(), order.end());
}

bool KeepsOrder(const ir::Node& node) {
  if (node.constant || node.operation == nullptr) return false;
  if (ops::TraitsOf(node).reshapes) return true;
  const auto is_zero = [](int64_t number) { return number == 0; };
  if (IsCalled(node, "Pad")) {
    const std::vector<int64_t> begin = IntsOf(node.inputs[1]), end = IntsOf(node.inputs[2]);
    return !begin.empty() && begin.size() == end.size() && std::ranges::all_of(begin, is_zero) &&
           std::ranges::all_of(end, is_zero);
  }
  std::vector<size_t> moved = PermutationOf(node).value_or(std::vector<size_t>());
  const bool is_known = !moved.empty();
  std::erase_if(moved, [&](size_t axis) { return TypeOf(node.inputs[0]).dims[axis] == 1; });
  return is_known && std::ranges::is_sorted(moved);
}

ir::Source SkipReshapes(ir::Source source) {
  while (KeepsOrder(*source.node)) source = source.node->inputs[0];
  return source;
}

}  // namespace weft::graph
