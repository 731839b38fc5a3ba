// SPDX-License-Identifier: Apache-2.0
#include "converter/program/integer_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/base/narrow.h"
#include "kernels/matrix/dense_i8.h"

namespace weft::plan {
namespace {

constexpr uint32_t kLeastExtent = 16;  // of inputs and of outputs
constexpr double kGreatestInteger = 127;

}  // namespace

bool GainsFromIntegers(const format::DenseParams& params) {
  return params.inputs() >= kLeastExtent && params.outputs() >= kLeastExtent &&
         kernels::MostFor(params.inputs()) >= kernels::kLeastMost;
}

IntegerWeights QuantizeDense(std::span<const float> panels, const format::DenseParams& params) {
  const uint32_t inputs = params.inputs(), outputs = params.outputs();
  IntegerWeights weights;
  weights.scales.resize(kernels::PanelCount(outputs) * kernels::kPanelOutputs);
  weights.numbers.resize(panels.size());
  std::vector<int8_t> rows(size_t{outputs} * inputs);
  for (uint32_t output = 0; output < outputs; ++output) {
    const auto at = [&](uint32_t input) {
      const size_t panel = output / kernels::kPanelOutputs;
      return (panel * inputs + input) * kernels::kPanelOutputs + output % kernels::kPanelOutputs;
    };
    float greatest = 0;
    for (uint32_t input = 0; input < inputs; ++input) {
      greatest = std::max(greatest, std::fabs(panels[at(input)]));
    }
    const auto scale = static_cast<float>(greatest / kGreatestInteger);
    if (scale < std::numeric_limits<float>::min()) continue;  // would count as zero
    weights.scales[output] = scale;
    for (uint32_t input = 0; input < inputs; ++input) {
      const double nearest = std::nearbyint(double{panels[at(input)]} / scale);
      const double integer = std::clamp(nearest, -kGreatestInteger, kGreatestInteger);
      rows[size_t{output} * inputs + input] =
          Narrow<int8_t>(static_cast<int64_t>(integer), "an integer weight");
      weights.numbers[at(input)] = static_cast<float>(integer * scale);
    }
  }
  weights.packed.resize(kernels::PackedDenseI8Bytes(outputs, inputs));
  kernels::PackDenseI8(rows.data(), outputs, inputs, weights.packed.data());
  return weights;
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
