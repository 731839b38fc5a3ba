// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/bounds.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "converter/ops/operation.h"

namespace weft::ops {
namespace {

// Limit of nodes that a search visits. Chains are usually short; a longer or strongly branching one
// gets the bounds of its type.
constexpr int kMaxBoundsNodes = 64;

// Sums and products of two numbers within this limit fit 64 bits.
constexpr int64_t kBoundsLimit = int64_t{1} << 31;
constexpr float kClampLimit = 0x1p31f;

IntegerBounds OfElementType(ElementType type) {
  if (type == ElementType::boolean) return {0, 1};
  if (type == ElementType::u8) return {0, 255};
  if (type == ElementType::i8) return {-128, 127};
  if (type == ElementType::i16) return {-32768, 32767};
  if (type == ElementType::i32) {
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
  return {};
}

std::optional<Dims> KnownIntegers(const ir::Source& source) {
  const std::optional<ir::Constant>& constant = source.node->constant;
  if (source.port != 0 || !constant || IsFloat(constant->type.type)) return std::nullopt;
  return ir::IntegersOf(*constant);
}

bool IsSmall(const IntegerBounds& bounds) {
  return bounds.low > -kBoundsLimit && bounds.high < kBoundsLimit;
}

// Bounds that exceed the type are replaced by those of the type: the value may wrap around.
IntegerBounds Within(const IntegerBounds& bounds, ElementType type) {
  const IntegerBounds all = OfElementType(type);
  return bounds.low >= all.low && bounds.high <= all.high ? bounds : all;
}

IntegerBounds OfBoth(std::string_view name, const IntegerBounds& a, const IntegerBounds& b,
                     ElementType type) {
  if (name == "Maximum") return {std::max(a.low, b.low), std::max(a.high, b.high)};
  if (name == "Minimum") return {std::min(a.low, b.low), std::min(a.high, b.high)};
  if (name == "FloorMod" && b.low > 0) return {0, b.high - 1};
  if (!IsSmall(a) || !IsSmall(b)) return OfElementType(type);
  if (name == "Add") return Within({a.low + b.low, a.high + b.high}, type);
  if (name == "Subtract") return Within({a.low - b.high, a.high - b.low}, type);
  if (name != "Multiply") return OfElementType(type);
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Within({low, high}, type);
}

// Returns true if the elements of input 0 keep their values and order, possibly in another integer
// type.
bool KeepsNumbers(const ir::Node& node) {
  const Traits& traits = TraitsOf(node);
  return traits.reshapes || (traits.converts && node.outputs.size() == 1);
}

// Returns true for types that hold any extent; narrower types may wrap around within it.
bool HoldsAnyExtent(ElementType type) {
  return type == ElementType::i32 || type == ElementType::i64;
}

size_t CountOf(const ir::Source& source) {
  return static_cast<size_t>(ElementCount(TypeOf(source).dims).value_or(0));
}

// The element of an operand that is broadcast to element `at` of the output. nullopt unless the
// operand has one element or the shape of the output.
std::optional<Element> OperandAt(const ir::Node& node, size_t input, size_t at) {
  const ir::Source& source = node.inputs[input];
  if (CountOf(source) == 1) return Element{source, 0};
  const Dims& dims = TypeOf(source).dims;
  return dims == node.outputs[0].type.dims ? std::optional(Element{source, at}) : std::nullopt;
}

std::optional<Element> OfJoined(const ir::Node& node, size_t at) {
  for (const ir::Source& source : node.inputs) {
    if (TypeOf(source).dims.size() != 1) return std::nullopt;
    if (at < CountOf(source)) return Element{source, at};
    at -= CountOf(source);
  }
  return std::nullopt;
}

// The input element that an operation which only moves elements copies to `element`; nullopt if it
// is unknown.
std::optional<Element> MovedFrom(const Element& element) {
  const ir::Node& node = *element.source.node;
  if (node.operation == nullptr || node.inputs.empty() || node.constant) return std::nullopt;
  if (KeepsNumbers(node)) return Element{node.inputs[0], element.at};
  if (TraitsOf(node).joins) return OfJoined(node, element.at);
  if (node.operation->name != "Gather" || TypeOf(node.inputs[0]).dims.size() != 1) {
    return std::nullopt;
  }
  const std::optional<Dims> positions = KnownIntegers(node.inputs[1]);
  const auto count = static_cast<int64_t>(CountOf(node.inputs[0]));
  if (!positions || element.at >= positions->size()) return std::nullopt;
  const int64_t position = (*positions)[element.at];
  if (position < -count || position >= count) return std::nullopt;
  return Element{node.inputs[0], static_cast<size_t>(position < 0 ? position + count : position)};
}

IntegerBounds OfClamp(const ir::Node& node, const IntegerBounds& of, ElementType type) {
  Faults ignored;
  const ir::Graph none;
  const Attributes attributes(none, node, ignored);
  const float low = attributes.Float("min", 0), high = attributes.Float("max", 0);
  if (!(low >= -kClampLimit && low <= high && high <= kClampLimit)) return OfElementType(type);
  const auto inside = [&](int64_t bound) {
    return std::clamp(bound, static_cast<int64_t>(low), static_cast<int64_t>(high));
  };
  return {inside(of.low), inside(of.high)};
}

// Bounds of a shape, which is computed at run time if it has a run-time length.
IntegerBounds OfShape(const Dims& dims, std::optional<size_t> at) {
  if (dims.empty()) return {};
  return {0, at ? dims.at(*at) : std::ranges::max(dims)};
}

IntegerBounds OfKnown(const Dims& known, std::optional<size_t> at) {
  if (known.empty()) return {};
  if (at) return {known.at(*at), known.at(*at)};
  const auto [low, high] = std::ranges::minmax(known);
  return {low, high};
}

// Traverses each node as often as it is read, up to kMaxBoundsNodes visits.
class BoundsSearch {
 public:
  // Bounds of all elements, or of element `at`.
  IntegerBounds Of(const ir::Source& source, std::optional<size_t> at);

 private:
  IntegerBounds OfInput(const ir::Node& node, size_t input, std::optional<size_t> at);

  int left_ = kMaxBoundsNodes;
};

IntegerBounds BoundsSearch::Of(const ir::Source& source, std::optional<size_t> at) {
  const ElementType type = TypeOf(source).type;
  if (const std::optional<Dims> known = KnownIntegers(source)) return OfKnown(*known, at);
  const ir::Node& node = *source.node;
  if (--left_ < 0 || node.operation == nullptr || node.inputs.empty() || !node.bodies.empty()) {
    return OfElementType(type);
  }
  const TensorType& from = TypeOf(node.inputs[0]);
  if (TraitsOf(node).shape_only) return OfShape(from.dims, at);
  if (IsFloat(from.type)) return OfElementType(type);
  if (at) {
    const std::optional<Element> moved = MovedFrom({source, *at});
    if (moved) return Within(Of(moved->source, moved->at), type);
  } else if (KeepsNumbers(node)) {
    return Within(Of(node.inputs[0], at), type);
  }
  const std::string_view name = node.operation->name;
  if (name == "Clamp") return OfClamp(node, OfInput(node, 0, at), type);
  if (node.inputs.size() != 2) return OfElementType(type);
  const IntegerBounds first = OfInput(node, 0, at);
  return OfBoth(name, first, OfInput(node, 1, at), type);
}

IntegerBounds BoundsSearch::OfInput(const ir::Node& node, size_t input, std::optional<size_t> at) {
  if (!at) return Of(node.inputs[input], at);
  const std::optional<Element> one = OperandAt(node, input, *at);
  return Of(node.inputs[input], one ? std::optional(one->at) : std::nullopt);
}

}  // namespace

IntegerBounds BoundsOf(const ir::Source& source) { return BoundsSearch().Of(source, std::nullopt); }

IntegerBounds BoundsOf(const Element& element) {
  return BoundsSearch().Of(element.source, element.at);
}

std::optional<int64_t> KnownValue(const Element& element) {
  std::optional<Element> at = element;
  for (int count = 0; at && count < kMaxBoundsNodes; ++count) {
    if (const std::optional<Dims> known = KnownIntegers(at->source)) return known->at(at->at);
    at = MovedFrom(*at);
  }
  return std::nullopt;
}

OffsetValue OffsetValueOf(Element element) {
  OffsetValue value = {element, 0};
  for (int count = 0; count < kMaxBoundsNodes; ++count) {
    const ir::Node& node = *value.base.source.node;
    if (node.operation == nullptr || node.inputs.empty() || node.constant) return value;
    if (!HoldsAnyExtent(TypeOf(node.inputs[0]).type) ||
        !HoldsAnyExtent(TypeOf(value.base.source).type)) {
      return value;
    }
    if (const std::optional<Element> moved = MovedFrom(value.base)) {
      value.base = *moved;
      continue;
    }
    const bool subtracts = node.operation->name == "Subtract";
    if (node.inputs.size() != 2 || (node.operation->name != "Add" && !subtracts)) return value;
    const std::optional<Element> a = OperandAt(node, 0, value.base.at);
    const std::optional<Element> b = OperandAt(node, 1, value.base.at);
    if (!a || !b) return value;
    std::optional<int64_t> known = KnownValue(*b);
    std::optional<Element> other = a;
    if (!known && !subtracts) {
      known = KnownValue(*a);
      other = b;
    }
    if (!known || std::abs(*known) >= kBoundsLimit) return value;
    value.offset += subtracts ? -*known : *known;
    value.base = *other;
  }
  return value;
}

}  // namespace weft::ops
