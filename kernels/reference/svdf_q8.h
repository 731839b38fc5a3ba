// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for svdf_q8: the formula in 64 bits, row by row.
#ifndef WEFT_KERNELS_REFERENCE_SVDF_Q8_H_
#define WEFT_KERNELS_REFERENCE_SVDF_Q8_H_

#include <algorithm>
#include <vector>

#include "kernels/recurrent/svdf_q8.h"
#include "kernels/reference/lstm_q8.h"

namespace weft::kernels {

// Replaces the state of one row, and returns y. Feature weights are [filters][inputs].
template <typename State>
std::vector<int8_t> SvdfQ8Reference(const SvdfQ8Shape& s, const int8_t* x, const int8_t* feature,
                                    const State* time, const int32_t* numbers, State* state) {
  constexpr int64_t kLimit = sizeof(State) == 1 ? 128 : 32768;
  const size_t filters = size_t{s.units} * s.rank, memory = s.memory;
  std::vector<int64_t> sums(numbers + filters, numbers + filters + s.units);
  for (size_t f = 0; f < filters; ++f) {
    int64_t added = numbers[f];
    for (size_t k = 0; k < s.inputs; ++k) added += feature[f * s.inputs + k] * x[k];
    State* const of_filter = state + f * memory;
    std::copy(of_filter + 1, of_filter + memory, of_filter);
    added = RescaledInLstm(static_cast<int32_t>(added), s.of_x);
    of_filter[memory - 1] = static_cast<State>(SaturatedReference(added, kLimit));
    for (size_t m = 0; m < memory; ++m) {
      sums[f / s.rank] += int64_t{time[f * memory + m]} * of_filter[m];
    }
  }
  std::vector<int8_t> y;
  for (const int64_t sum : sums) {
    const int64_t code = RescaledInLstm(static_cast<int32_t>(sum), s.of_state) + s.codes.zero;
    y.push_back(static_cast<int8_t>(std::clamp<int64_t>(code, s.codes.low, s.codes.high)));
  }
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SVDF_Q8_H_
