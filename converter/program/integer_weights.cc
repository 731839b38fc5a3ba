// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "converter/base/narrow.h"
#include "kernels/matrix/dense_i8.h"

namespace weft::plan {
namespace {

constexpr uint32_t kLeastExtent = 16;  // of inputs and of outputs
constexpr double kGreatestInteger = 127;

// Of each output's weights of `count` inputs, as `integers_of` makes them; nullopt where it makes none of
// some.
template <typename IntegersOf>
std::optional<IntegerWeights> InRows(std::span<const float> panels,
                                     const format::DenseParams& params, uint32_t first,
                                     uint32_t count, const IntegersOf& integers_of) {
  const uint32_t inputs = params.inputs(), outputs = params.outputs();
  const size_t padded = kernels::PanelCount(outputs) * kernels::kPanelOutputs;
  IntegerWeights weights;
  weights.first = first;
  weights.count = count;
  weights.scales.resize(padded);
  weights.numbers.resize(panels.size());
  std::vector<int8_t> rows;
  std::vector<float> row(count), offsets(padded);
  for (uint32_t output = 0; output < outputs; ++output) {
    const auto at = [&](uint32_t input) {
      const size_t panel = output / kernels::kPanelOutputs;
      return (panel * inputs + first + input) * kernels::kPanelOutputs +
             output % kernels::kPanelOutputs;
    };
    for (uint32_t input = 0; input < count; ++input) row[input] = panels[at(input)];
    const std::optional<IntegerGrid> grid = integers_of(row);
    if (!grid) return std::nullopt;
    weights.scales[output] = grid->scale;
    offsets[output] = static_cast<float>(-grid->offset) * grid->scale;
    rows.insert(rows.end(), grid->integers.begin(), grid->integers.end());
    for (uint32_t input = 0; input < count; ++input) {
      const int32_t difference = grid->integers[input] - grid->offset;
      weights.numbers[at(input)] = static_cast<float>(double{grid->scale} * difference);
    }
  }
  if (std::ranges::any_of(offsets, [](float offset) { return offset != 0; })) {
    weights.offsets = std::move(offsets);
  }
  weights.packed.resize(kernels::PackedDenseI8Bytes(outputs, count));
  kernels::PackDenseI8(rows.data(), outputs, count, weights.packed.data());
  return weights;
}

}  // namespace

std::vector<float> FloatsOf(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

bool GainsFromIntegers(const format::DenseParams& params) {
  return params.inputs() >= kLeastExtent && params.outputs() >= kLeastExtent &&
         kernels::MostFor(params.inputs()) >= kernels::kLeastMost;
}

IntegerGrid NearestIntegers(std::span<const float> weights) {
  IntegerGrid grid;
  grid.integers.resize(weights.size());
  float greatest = 0;
  for (const float weight : weights) greatest = std::max(greatest, std::fabs(weight));
  const auto scale = static_cast<float>(greatest / kGreatestInteger);
  if (scale < std::numeric_limits<float>::min()) return grid;  // would count as zero
  grid.scale = scale;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double nearest = std::nearbyint(double{weights[i]} / scale);
    const double integer = std::clamp(nearest, -kGreatestInteger, kGreatestInteger);
    grid.integers[i] = Narrow<int8_t>(static_cast<int64_t>(integer), "an integer weight");
  }
  return grid;
}

IntegerWeights QuantizeDense(std::span<const float> panels, const format::DenseParams& params) {
  return *InRows(panels, params, 0, params.inputs(),
                 [](std::span<const float> row) { return std::optional(NearestIntegers(row)); });
}

std::vector<IntegerWeights> RecoverDense(std::span<const float> panels,
                                         const format::DenseParams& params) {
  const uint32_t inputs = params.inputs();
  for (const uint32_t group : {inputs, 128u, 64u, 32u}) {
    if (group > inputs || inputs % group != 0) continue;
    std::vector<IntegerWeights> groups;
    for (uint32_t first = 0; first < inputs; first += group) {
      std::optional<IntegerWeights> weights = InRows(
          panels, params, first, group, [](std::span<const float> row) { return GridOf(row); });
      if (!weights) break;
      groups.push_back(std::move(*weights));
    }
    if (groups.size() == inputs / group) return groups;
  }
  return {};
}

bool MayKeepIntegers(const Value& constant, std::optional<ElementType> asked_for) {
  return constant.from_integers && asked_for.value_or(ElementType::i8) == ElementType::i8;
}

bool KeepsIntegers(const Value& constant, const format::DenseParams& params,
                   std::optional<ElementType> asked_for) {
  if (!MayKeepIntegers(constant, asked_for) || !GainsFromIntegers(params)) return false;
  return !RecoverDense(FloatsOf(*constant.data), params).empty();
}

format::DenseI8Params InIntegers(const format::DenseParams& params) {
  return format::DenseI8Params(params.rows(), params.inputs(), params.outputs(),
                               params.x_row_stride(), params.y_row_stride(),
                               params.start_row_stride(), params.activation(),
                               kernels::MostFor(params.inputs()));
}

Value ScratchOf(const format::DenseI8Params& params) {
  const auto shorts =
      static_cast<int64_t>(kernels::DenseI8ScratchShorts(params.rows(), params.inputs()));
  Value scratch;
  scratch.type = {ElementType::i16, {shorts}};
  scratch.bytes = shorts * static_cast<int64_t>(sizeof(int16_t));
  return scratch;
}

}  // namespace weft::plan
