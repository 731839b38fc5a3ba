// SPDX-License-Identifier: Apache-2.0
// What steps read and write as one run or as rows, from their parameters.
#ifndef WEFT_CONVERTER_PLAN_ROW_ACCESS_H_
#define WEFT_CONVERTER_PLAN_ROW_ACCESS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "converter/plan/map_access.h"
#include "kernels/matrix/pack.h"

namespace weft::plan {

inline constexpr int64_t kI16Bits = 16, kI8Bits = 8;

// Elements one behind the other. The verifier has bounded the product where no factor is 0.
inline StridedBytes Contiguous(int64_t element_bits, const std::vector<int64_t>& factors) {
  int64_t count = std::count(factors.begin(), factors.end(), 0) == 0 ? 1 : 0;
  for (const int64_t factor : factors) count = count == 0 ? 0 : count * factor;
  return Strided(element_bits, 0, {{count, 1}});
}
inline StridedBytes Elements(int64_t element_bits, uint64_t count) {
  return Contiguous(element_bits, {static_cast<int64_t>(count)});
}

inline StridedBytes Rows(int64_t rows, int64_t row_stride, int64_t length,
                         int64_t bits = kF32Bits) {
  return Strided(bits, 0, {{rows, row_stride}, {length, 1}});
}

inline int64_t PaddedOutputs(uint32_t outputs) {
  return static_cast<int64_t>(kernels::PanelCount(outputs)) * kernels::kPanelOutputs;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_ROW_ACCESS_H_
