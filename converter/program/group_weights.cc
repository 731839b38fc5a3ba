// SPDX-License-Identifier: Apache-2.0
#include "converter/program/group_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/base/narrow.h"
#include "converter/base/quantisation.h"
#include "converter/program/panel_rows.h"
#include "kernels/elementwise/convert.h"
#include "kernels/matrix/dense_i4.h"

namespace weft::program {
namespace {

constexpr double kMaxNibble = 7;
// Maximum factor by which rounding scales to f16 may increase the sum of squared errors.
constexpr double kMaxOfHalves = 1.1;
constexpr uint8_t kMiddleOf4Bits = 8;

float RoundedToHalf(float number) {
  uint16_t half = 0;
  kernels::Convert({1, kernels::Element::kF32, kernels::Element::kF16}, &number, &half);
  float rounded = 0;
  kernels::Convert({1, kernels::Element::kF16, kernels::Element::kF32}, &half, &rounded);
  return rounded;
}

// As f16 if all are exact in f16.
StoredElements StoredScales(std::span<const float> scales) {
  const auto is_half = [](float scale) { return RoundedToHalf(scale) == scale; };
  if (!std::ranges::all_of(scales, is_half)) return Stored(ElementType::f32, scales);
  std::vector<uint16_t> halves(scales.size());
  const kernels::ConvertShape shape = {Narrow32(halves.size(), "scales"), kernels::Element::kF32,
                                       kernels::Element::kF16};
  kernels::Convert(shape, scales.data(), halves.data());
  return Stored<uint16_t>(ElementType::f16, halves);
}

double SquaredErrors(std::span<const float> is, std::span<const float> must) {
  double sum = 0;
  for (size_t i = 0; i < is.size(); ++i) {
    const double error = double{is[i]} - must[i];
    sum += error * error;
  }
  return sum;
}

// Symmetric around 0, like the nearest 8-bit integers: a range that reaches further on one side has
// less noise, but a mean error other than 0, which degrades recurrent nets. The scale is rounded to
// f16 if `is_half`.
IntegerGrid NearestNibbles(std::span<const float> weights, bool is_half) {
  IntegerGrid grid;
  grid.integers.resize(weights.size());
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  const auto exact = static_cast<float>(largest / kMaxNibble);
  const float scale = is_half ? RoundedToHalf(exact) : exact;
  if (scale < std::numeric_limits<float>::min() || std::isinf(scale)) return grid;  // zeros
  grid.scale = scale;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double nearest = std::nearbyint(double{weights[i]} / scale);
    const double integer = std::clamp(nearest, -kMaxNibble, kMaxNibble);
    grid.integers[i] = Narrow<int8_t>(static_cast<int64_t>(integer), "an integer weight");
  }
  return grid;
}

ProductShape RowsOf(uint32_t inputs, uint32_t outputs) {
  return {SumsOver::kRows, 1, inputs, outputs};
}

// Packs the integers that `integers_of` returns for the weights of each output in each group;
// nullopt if it returns nullopt for any of them.
template <typename IntegersOf>
std::optional<EncodedWeights> InGroupsOf(std::span<const float> panels,
                                         std::span<const float> scales, uint32_t inputs,
                                         uint32_t outputs, uint32_t group,
                                         const IntegersOf& integers_of) {
  constexpr uint32_t kLanesOfPanel = kernels::kPanelOutputs;
  EncodedWeights weights;
  weights.group_blocks = group >= inputs ? 0 : group / kernels::kInputBlock;
  const size_t groups = kernels::GroupCount(inputs, weights.group_blocks);
  const size_t count = kernels::PanelCount(outputs) * kLanesOfPanel * groups;
  std::vector<float> all_scales(count);
  std::vector<uint8_t> zeros(count, kMiddleOf4Bits);
  std::vector<uint8_t> rows(size_t{outputs} * inputs);
  for (uint32_t first = 0, index = 0; first < inputs; first += group, ++index) {
    const auto set = [&](size_t output, std::span<const float> row,
                         std::span<const float> row_scales) {
      const std::optional<IntegerGrid> grid = integers_of(output, first, row, row_scales);
      if (!grid) return false;
      const size_t panel = output / kLanesOfPanel;
      const size_t at = (panel * groups + index) * kLanesOfPanel + output % kLanesOfPanel;
      all_scales[at] = grid->scale;
      zeros[at] = Narrow<uint8_t>(kMiddleOf4Bits + grid->offset, "the zero of a group");
      for (size_t k = 0; k < row.size(); ++k) {
        rows[output * inputs + first + k] =
            Narrow<uint8_t>(grid->integers[k] + kMiddleOf4Bits, "an integer weight");
      }
      return true;
    };
    if (!ForRows(RowsOf(inputs, outputs), panels, scales, first, std::min(group, inputs - first),
                 set)) {
      return std::nullopt;
    }
  }
  const auto is_middle = [](uint8_t zero) { return zero == kMiddleOf4Bits; };
  if (std::ranges::all_of(zeros, is_middle)) zeros.clear();
  std::vector<uint8_t> packed(kernels::PackedDenseU4Bytes(outputs, inputs));
  kernels::PackDenseU4(rows.data(), outputs, inputs, packed.data());
  weights.parts.push_back({0, inputs, Stored<uint8_t>(ElementType::u4, packed),
                           StoredScales(all_scales), Stored<uint8_t>(ElementType::u8, zeros)});
  return weights;
}

}  // namespace

EncodedWeights QuantizeGroups(std::span<const float> panels, uint32_t inputs, uint32_t outputs,
                              uint32_t group) {
  const ProductShape shape = RowsOf(inputs, outputs);
  const auto quantized = [&](bool is_half) {
    std::vector<float> numbers(panels.size());
    const auto nearest = [&](size_t output, uint32_t first, std::span<const float> row, auto&&) {
      IntegerGrid grid = NearestNibbles(row, is_half);
      for (uint32_t k = 0; k < row.size(); ++k) {
        numbers[PositionOf(shape, output, first + k)] =
            static_cast<float>(double{grid.scale} * grid.integers[k]);
      }
      return std::optional(std::move(grid));
    };
    EncodedWeights weights = *InGroupsOf(panels, {}, inputs, outputs, group, nearest);
    weights.floats = std::move(numbers);
    return weights;
  };
  EncodedWeights halves = quantized(true), floats = quantized(false);
  const double max = kMaxOfHalves * SquaredErrors(floats.floats, panels);
  return SquaredErrors(halves.floats, panels) <= max ? halves : floats;
}

std::optional<EncodedWeights> KeptGroups(const CodedFloats& panels, uint32_t inputs,
                                         uint32_t outputs) {
  if (panels.quantisation == nullptr) return std::nullopt;
  const std::vector<float> scales = panels.quantisation->scales();
  for (const uint32_t group : {inputs, 128u, 64u, 32u}) {
    if (group > inputs || inputs % group != 0) continue;
    const auto kept = [](size_t, uint32_t, std::span<const float> row,
                         std::span<const float> row_scales) {
      return GridOf(row, row_scales, kRangeOfI4);
    };
    std::optional<EncodedWeights> weights =
        InGroupsOf(panels.floats, scales, inputs, outputs, group, kept);
    if (weights) return weights;
  }
  return std::nullopt;
}

format::DenseI4Params InGroups(const format::DenseParams& params, uint32_t group_blocks,
                               ElementType scales) {
  return format::DenseI4Params(
      params.rows(), params.inputs(), params.outputs(), params.x_row_stride(),
      params.y_row_stride(), params.start_row_stride(), params.activation(),
      kernels::MaxForI4(params.inputs(), group_blocks), group_blocks, scales, 0, 0);
}

TensorType ScratchOf(const format::DenseI4Params& params) {
  const auto shorts = static_cast<int64_t>(
      kernels::DenseI4ScratchShorts(params.rows(), params.inputs(), params.group_blocks()));
  return {ElementType::i16, {shorts}};
}

}  // namespace weft::program
