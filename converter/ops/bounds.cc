// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/bounds.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "converter/base/elements.h"
#include "converter/ops/operation.h"

namespace weft::ops {
namespace {

// What a search looks at. Chains are short; what is longer, or branches often, has the bounds of its
// type.
constexpr int kMostBoundsNodes = 64;

// Sums and products of two such numbers stay within 64 bits.
constexpr int64_t kBoundsLimit = int64_t{1} << 31;
constexpr float kClampLimit = 0x1p31f;

const TensorType& TypeOfSource(const ir::Source& source) {
  return source.node->outputs[source.port].type;
}

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
  Dims numbers(static_cast<size_t>(ElementCount(constant->type.dims).value_or(0)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = IntegerAt(constant->type.type, constant->bytes, i);
  }
  return numbers;
}

bool IsSmall(const IntegerBounds& bounds) {
  return bounds.low > -kBoundsLimit && bounds.high < kBoundsLimit;
}

// Of what would wrap around nothing is known.
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

// Elements of input 0 in the same order, maybe as other integers.
bool KeepsNumbers(const ir::Node& node) {
  const Traits& traits = TraitsOf(node);
  return traits.reshapes || (traits.converts && node.outputs.size() == 1);
}

// Narrower types wrap around within the extent of an axis.
bool CountsFar(ElementType type) { return type == ElementType::i32 || type == ElementType::i64; }

IntegerBounds Clamped(const ir::Node& clamp, const IntegerBounds& bounds, ElementType type) {
  Faults ignored;  // the shape rule has reported them
  const ir::Graph none;
  const Attributes attributes(none, clamp, ignored);
  const float low = attributes.Float("min", 0), high = attributes.Float("max", 0);
  if (!(low >= -kClampLimit && low <= high && high <= kClampLimit)) return OfElementType(type);
  const auto inside = [&](int64_t bound) {
    return std::clamp(bound, static_cast<int64_t>(low), static_cast<int64_t>(high));
  };
  return {inside(bounds.low), inside(bounds.high)};
}

// Each node as often as it is read, for as many as kMostBoundsNodes.
class BoundsSearch {
 public:
  IntegerBounds Of(const ir::Source& source) {
    const ElementType type = TypeOfSource(source).type;
    if (const std::optional<Dims> known = KnownIntegers(source)) {
      if (known->empty()) return {};
      const auto [low, high] = std::ranges::minmax(*known);
      return {low, high};
    }
    const ir::Node& node = *source.node;
    if (--left_ < 0 || node.operation == nullptr || node.inputs.empty() || !node.bodies.empty() ||
        IsFloat(TypeOfSource(node.inputs[0]).type)) {
      return OfElementType(type);
    }
    const IntegerBounds a = Of(node.inputs[0]);
    if (KeepsNumbers(node)) return Within(a, type);
    const std::string_view name = node.operation->name;
    if (name == "Clamp") return Clamped(node, a, type);
    if (node.inputs.size() != 2) return OfElementType(type);
    return OfBoth(name, a, Of(node.inputs[1]), type);
  }

 private:
  int left_ = kMostBoundsNodes;
};

}  // namespace

IntegerBounds BoundsOf(const ir::Source& source) { return BoundsSearch().Of(source); }

OffsetValue OffsetValueOf(ir::Source source) {
  OffsetValue value = {source, 0};
  for (int node_count = 0; node_count < kMostBoundsNodes; ++node_count) {
    const ir::Node& node = *value.base.node;
    if (node.operation == nullptr || node.inputs.empty() || node.constant) return value;
    const TensorType& from = TypeOfSource(node.inputs[0]);
    if (ElementCount(from.dims) != 1 || !CountsFar(from.type) ||
        !CountsFar(TypeOfSource(value.base).type)) {
      return value;
    }
    if (KeepsNumbers(node)) {
      value.base = node.inputs[0];
      continue;
    }
    const bool subtracts = node.operation->name == "Subtract";
    if (node.inputs.size() != 2 || (node.operation->name != "Add" && !subtracts)) return value;
    std::optional<Dims> known = KnownIntegers(node.inputs[1]);
    size_t other = 0;
    if (!known && !subtracts) {
      known = KnownIntegers(node.inputs[0]);
      other = 1;
    }
    if (!known || known->size() != 1) return value;
    if (std::abs(known->front()) >= kBoundsLimit) return value;
    value.offset += subtracts ? -known->front() : known->front();
    value.base = node.inputs[other];
  }
  return value;
}

}  // namespace weft::ops
