// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/channel_constant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// Extents [outer, count, inner] around an axis.
struct Split3 {
  int64_t outer = 1, count = 1, inner = 1;
};

Split3 SplitAt(const Dims& dims, size_t axis) {
  Split3 split;
  for (size_t i = 0; i < axis; ++i) split.outer *= dims[i];
  split.count = dims[axis];
  for (size_t i = axis + 1; i < dims.size(); ++i) split.inner *= dims[i];
  return split;
}

// Reduces the axis to extent 1 if all its elements are equal.
void DropRepeats(Repeated& constant, size_t axis) {
  const auto [outer, count, inner] = SplitAt(constant.dims, axis);
  const std::vector<double>& numbers = constant.numbers;
  std::vector<double> first;
  for (int64_t o = 0; o < outer; ++o) {
    const auto begin = numbers.begin() + o * count * inner;
    for (int64_t i = 1; i < count; ++i) {
      if (!std::equal(begin, begin + inner, begin + i * inner)) return;
    }
    first.insert(first.end(), begin, begin + inner);
  }
  constant.numbers = std::move(first);
  constant.dims[axis] = 1;
}

// For each element of dims `whole`, returns the index of the element of `dims` that broadcasts to
// it.
std::vector<size_t> PositionsIn(const Dims& dims, const Dims& whole) {
  std::vector<size_t> positions = {0};
  size_t stride = 1;
  for (size_t axis = whole.size(); axis-- > 0;) {
    std::vector<size_t> longer;
    const size_t step = dims[axis] == 1 ? 0 : stride;
    for (size_t i = 0; i < static_cast<size_t>(whole[axis]); ++i) {
      for (const size_t position : positions) longer.push_back(position + i * step);
    }
    stride *= static_cast<size_t>(dims[axis]);
    positions = std::move(longer);
  }
  return positions;
}

}  // namespace

std::optional<Repeated> RepeatedOf(const ir::Node& node, size_t i) {
  const ir::Constant* constant = ConstantOf(node.inputs[i]);
  if (constant == nullptr || constant->type.type != ElementType::f32) return std::nullopt;
  const size_t rank = node.outputs[0].type.dims.size();
  if (constant->type.dims.size() > rank || constant->bytes.empty()) return std::nullopt;
  if (AttributeText(node, "auto_broadcast") == "pdpd") return std::nullopt;
  Repeated repeated{constant->type.dims, {}};
  repeated.dims.insert(repeated.dims.begin(), rank - repeated.dims.size(), 1);
  const std::vector<float> floats = ops::Floats(*constant);
  repeated.numbers.assign(floats.begin(), floats.end());
  for (size_t axis = 0; axis < rank; ++axis) {
    if (repeated.dims[axis] != 1) DropRepeats(repeated, axis);
  }
  return repeated;
}

std::optional<std::vector<double>> AlongAxis(const Repeated& constant, size_t axis, int64_t count) {
  for (size_t i = 0; i < constant.dims.size(); ++i) {
    if (i != axis && constant.dims[i] != 1) return std::nullopt;
  }
  if (constant.numbers.size() != 1) return constant.numbers;
  return std::vector<double>(static_cast<size_t>(count), constant.numbers[0]);
}

std::optional<Repeated> Joined(const Repeated& a, const Repeated& b, Joining by) {
  const bool longer = b.numbers.size() > a.numbers.size();
  const Repeated &whole = longer ? b : a, &other = longer ? a : b;
  for (size_t i = 0; i < whole.dims.size(); ++i) {
    if (other.dims[i] != 1 && other.dims[i] != whole.dims[i]) return std::nullopt;
  }
  Repeated joined = whole;
  const std::vector<size_t> positions = PositionsIn(other.dims, whole.dims);
  for (size_t i = 0; i < positions.size(); ++i) {
    const double number = other.numbers[positions[i]];
    joined.numbers[i] =
        by == Joining::kSum ? joined.numbers[i] + number : joined.numbers[i] * number;
  }
  return joined;
}

std::optional<std::vector<float>> RoundedFloats(const std::vector<double>& numbers) {
  std::vector<float> floats;
  floats.reserve(numbers.size());
  for (const double number : numbers) {
    const double size = std::abs(number);
    const bool is_sound = size == 0 || (size >= double{std::numeric_limits<float>::min()} &&
                                        size <= double{std::numeric_limits<float>::max()});
    if (!is_sound) return std::nullopt;
    floats.push_back(static_cast<float>(number));
  }
  return floats;
}

}  // namespace weft::graph
