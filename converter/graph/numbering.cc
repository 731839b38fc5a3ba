// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/numbering.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "converter/graph/infer.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

constexpr const char* kBegins = "begins_anywhere";  // attribute
constexpr double kMaxNumber = 1 << 24;              // all integers up to it are exact in f32
constexpr int64_t kMinPositions = 4;

// Returns the integer whose f32 inverse is the element; -1 if there is none.
double InverseAt(const ir::Constant& constant, size_t i) {
  const double inverse = NumberAt(constant, i);
  const double number = std::nearbyint(1 / inverse);
  const bool is_inverse = number >= 1 && number <= kMaxNumber &&
                          1.0F / static_cast<float>(number) == static_cast<float>(inverse);
  return is_inverse ? number : -1;
}

std::optional<Numbering> NumbersAlong(const ir::Constant& constant, int64_t axis, bool anywhere,
                                      bool inverse) {
  const Dims& dims = constant.type.dims;
  const auto at = static_cast<size_t>(axis);
  const int64_t positions = dims[at], inside = ops::ProductOf(dims, at + 1, dims.size());
  const int64_t count = ElementCount(dims).value_or(0);
  const bool is_number = constant.type.type != ElementType::boolean;
  if (!is_number || positions < kMinPositions || count == 0) return std::nullopt;
  const auto number = [&](int64_t i) {
    const auto element = static_cast<size_t>(i);
    return inverse ? InverseAt(constant, element) : NumberAt(constant, element);
  };
  const double first = number(0), step = number(inside) - first;
  const bool starts = anywhere || (first == 0 && !inverse) || first == step;
  if (!starts || !(step >= 1) || !(number(count - 1) <= kMaxNumber)) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    const auto position = static_cast<double>(i / inside % positions);
    if (number(i) != first + position * step) return std::nullopt;
  }
  const Numbering numbering = {axis, static_cast<int64_t>(first), static_cast<int64_t>(step),
                               inverse};
  return static_cast<double>(numbering.step) == step ? std::optional(numbering) : std::nullopt;
}

// Returns a constant of `type` with these numbers.
ir::Source NumbersOf(ir::Graph& graph, const ir::Node& like, const TensorType& type,
                     const Numbering& numbering) {
  const auto at = static_cast<size_t>(numbering.axis);
  const int64_t inside = ops::ProductOf(type.dims, at + 1, type.dims.size());
  const int64_t count = ElementCount(type.dims).value_or(0);
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = i / inside % type.dims[at];
    numbers.push_back(static_cast<double>(numbering.first + position * numbering.step));
  }
  return NewNumbers(graph, like, type, numbers);
}

}  // namespace

std::optional<Numbering> NumberingAlong(const ir::Constant& constant, int64_t axis) {
  const std::optional<Numbering> plain =
      NumbersAlong(constant, axis, /*anywhere=*/false, /*inverse=*/false);
  if (plain || constant.type.type != ElementType::f32) return plain;
  return NumbersAlong(constant, axis, /*anywhere=*/false, /*inverse=*/true);
}

std::optional<Numbering> NumberingOf(const ir::Node& node, int64_t axis) {
  if (!node.attributes.contains(kBegins)) return NumberingAlong(*node.constant, axis);
  return NumbersAlong(*node.constant, axis, /*anywhere=*/true, /*inverse=*/false);
}

ir::Source NewNumbering(ir::Graph& graph, const ir::Node& like, const TensorType& type,
                        const Numbering& numbering) {
  const ir::Source source = NumbersOf(graph, like, {type.type, {kMinPositions}}, numbering);
  source.node->outputs[0].type = type;
  source.node->attributes = {{kBegins, "true"}, {kCountsSteps, "true"}};
  return source;
}

bool IsOpenNumbering(const ir::Node& node) { return node.attributes.contains(kCountsSteps); }

bool CanStartAt(const ir::Constant& constant, const Numbering& numbering, int64_t first) {
  const ElementType type = constant.type.type;
  const bool is_signed = IsFloat(type) || type == ElementType::i32 || type == ElementType::i64;
  return !numbering.inverse && (first >= 0 || is_signed);
}

void Renumber(ir::Node& node, const Numbering& numbering, int64_t first, int64_t positions) {
  TensorType type = node.constant->type;
  if (!IsOpenNumbering(node)) type.dims[static_cast<size_t>(numbering.axis)] = positions;
  ir::Graph made;
  node.constant =
      NumbersOf(made, node, type, {numbering.axis, first, numbering.step}).node->constant;
  node.outputs[0].type.dims[static_cast<size_t>(numbering.axis)] = positions;
  // The constant no longer depends on a shape, and may start at any number.
  if (first != numbering.first && !IsOpenNumbering(node)) node.attributes = {{kBegins, "true"}};
}

bool IsNumbering(const ir::Constant& constant) {
  for (size_t axis = 0; axis < constant.type.dims.size(); ++axis) {
    if (NumberingAlong(constant, static_cast<int64_t>(axis))) return true;
  }
  return false;
}

ir::Source ReadNumbering(ir::Graph& graph, const ir::Node& constant, const Numbering& numbering,
                         const std::string& name) {
  const TensorType type = constant.outputs[0].type;
  const TensorType one = {ElementType::i64, Dims(type.dims.size(), 1)};
  TensorType number = one;
  int64_t counters = 1;
  if (const auto along = constant.attributes.find(kCountedAlong);
      along != constant.attributes.end()) {
    const auto axis = static_cast<size_t>(std::stoll(along->second));
    counters = number.dims[axis] = type.dims[axis];
  }
  TensorType row = number, offset = one;
  const auto at = static_cast<size_t>(numbering.axis);
  const int64_t positions = row.dims[at] = offset.dims[at] = type.dims[at];
  const std::vector<int64_t> first(static_cast<size_t>(counters), numbering.first);
  const ir::Source read =
      NewReadValue(graph, constant, name, NewInts(graph, constant, number, first));
  const auto made = [&](const char* of, std::vector<ir::Source> inputs,
                        std::map<std::string, std::string> attributes = {}) {
    return NewOperation(graph, constant, of, 3, std::move(inputs), std::move(attributes));
  };
  const ir::Source after = NewInts(graph, constant, one, {numbering.step * positions});
  NewAssign(graph, constant, name, made("Add", {read, after}));
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < positions; ++i) offsets.push_back(i * numbering.step);
  ir::Source numbers = made("Add", {read, NewInts(graph, constant, offset, offsets)});
  if (type.type != ElementType::i64) {
    numbers = made("Convert", {numbers}, {{"destination_type", std::string(Name(type.type))}});
  }
  if (numbering.inverse) {
    numbers = made("Divide", {NewFloats(graph, constant, {}, {1}), numbers});
  }
  if (row.dims == type.dims) return numbers;
  const TensorType shape = {ElementType::i64, {static_cast<int64_t>(type.dims.size())}};
  return made("Broadcast", {numbers, NewInts(graph, constant, shape, type.dims)});
}

}  // namespace weft::graph
