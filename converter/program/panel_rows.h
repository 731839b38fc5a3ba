// SPDX-License-Identifier: Apache-2.0
// Reads packed weights (kernels/matrix/pack.h) output by output.
#ifndef WEFT_CONVERTER_PROGRAM_PANEL_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_PANEL_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/integer_weights.h"
#include "kernels/matrix/pack.h"

namespace weft::program {

// The outputs of a group, padded to complete panels.
inline uint32_t PaddedOutputs(const ProductShape& shape) {
  return Narrow32(kernels::PanelCount(shape.outputs) * kernels::kPanelOutputs, "padded outputs");
}

// Index of a weight among the packed floats. `column` is a padded output, counted over all groups.
inline size_t PositionOf(const ProductShape& shape, size_t column, uint32_t input) {
  if (shape.over == SumsOver::kTaps) return size_t{input} * PaddedOutputs(shape) + column;
  const size_t panel = column / kernels::kPanelOutputs;
  return (panel * shape.inputs + input) * kernels::kPanelOutputs + column % kernels::kPanelOutputs;
}

// Calls visit(column, numbers, scales) with the weights of each output for the inputs [first,
// first + count), in the order of the packed bytes. `scales` may be empty. Returns false, without
// further calls, if a call does.
template <typename Visit>
bool ForRows(const ProductShape& shape, std::span<const float> numbers,
             std::span<const float> scales, uint32_t first, uint32_t count, const Visit& visit) {
  constexpr size_t kLanes = kernels::kPanelOutputs;
  const size_t padded = PaddedOutputs(shape);
  std::vector<float> rows(kLanes * count), row_scales(scales.empty() ? 0 : rows.size());
  const auto gather = [&](std::span<const float> all, size_t column, std::vector<float>& to) {
    for (uint32_t input = 0; input < count && !all.empty(); ++input) {
      const float* const from = all.data() + PositionOf(shape, column, first + input);
      for (size_t lane = 0; lane < kLanes; ++lane) to[lane * count + input] = from[lane];
    }
  };
  for (size_t column = 0; column < shape.groups * padded; column += kLanes) {
    gather(numbers, column, rows);
    gather(scales, column, row_scales);
    const size_t lanes = std::min(kLanes, shape.outputs - column % padded);
    for (size_t lane = 0; lane < lanes; ++lane) {
      const size_t at = lane * count;
      const std::span<const float> all_scales = row_scales;
      if (!visit(column + lane, std::span<const float>(rows).subspan(at, count),
                 scales.empty() ? all_scales : all_scales.subspan(at, count))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_PANEL_ROWS_H_
