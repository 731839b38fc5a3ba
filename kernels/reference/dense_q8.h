// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for quantised dense without its activation: sums in 64 bits, then the
// formula of dense_q8.h.
#ifndef WEFT_KERNELS_REFERENCE_DENSE_Q8_H_
#define WEFT_KERNELS_REFERENCE_DENSE_Q8_H_

#include "kernels/matrix/dense_q8_shorts.h"
#include "kernels/reference/quantize.h"

namespace weft::kernels {

// The value v of an output whose products add up to `sum`. `start` is that of its row.
inline float NumberQ8Reference(const FactorsQ8& factors, int64_t sum, size_t output) {
  if (factors.first != nullptr) sum += factors.first[output];
  const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * factors.scales[output];
  return scaled + (factors.start == nullptr ? 0.0f : factors.start[output]);
}

// The result of an output whose products add up to `sum`, without its activation.
struct ResultQ8 {
  float number = 0;
  int8_t code = 0;
};
inline ResultQ8 ResultQ8Reference(const ResultsQ8& results, const FactorsQ8& factors, int64_t sum,
                                  size_t output) {
  if (!results.codes.by_integers) {
    const float number = NumberQ8Reference(factors, sum, output);
    return {number, results.is_float ? int8_t{0} : CodeReference(results.codes, number)};
  }
  if (factors.first != nullptr) sum += factors.first[output];
  const Multiplier by = {factors.mantissas()[output], factors.exponents()[output]};
  return {0,
          CodeOfIntegerReference(results.codes, RescaledReference(static_cast<int32_t>(sum), by))};
}

// `weights` are [outputs][inputs], as before packing.
inline ResultQ8 DenseQ8Reference(const DenseQ8Shape& s, const int8_t* x, const int8_t* weights,
                                 FactorsQ8 factors, size_t row, size_t output) {
  int64_t sum = 0;
  for (size_t k = 0; k < s.inputs; ++k) {
    sum += int64_t{x[row * s.x_row_stride + k]} * weights[output * s.inputs + k];
  }
  if (factors.start != nullptr) factors.start += row * s.start_row_stride;
  return ResultQ8Reference(s.results, factors, sum, output);
}

// For int16 values.
inline int16_t ShortReference(int64_t v, int32_t low, int32_t high) {
  return static_cast<int16_t>(v < low ? low : v > high ? high : v);
}

// The result of output n, whose products add up to `sum`: a quotient instead of a shift of 64 bits.
inline int16_t ShortResultReference(const ShortResults& results, int64_t sum, size_t n) {
  if (results.first != nullptr) sum += results.first[n];
  if (results.has_sums32) {
    const int64_t v =
        RescaledReference(static_cast<int32_t>(sum), {results.mantissas[n], results.exponents[n]});
    return ShortReference(v, results.low, results.high);
  }
  const int64_t mantissa = results.mantissas[n];
  const int64_t factor = mantissa >= 0x7FFF0000 ? 0x7FFF : (mantissa + 0x8000) / 0x10000;
  const int64_t divisor = int64_t{1} << (15 - results.exponents[n]);
  const int64_t v = FloorQuotientReference(sum * factor + divisor / 2, divisor);
  return ShortReference(v, results.low, results.high);
}

// `weights` are [outputs][inputs].
inline int16_t DenseShortsReference(const DenseQ8Shape& s, const int16_t* x, const int8_t* weights,
                                    const ShortResults& results, size_t row, size_t output) {
  int64_t sum = 0;
  for (size_t k = 0; k < s.inputs; ++k) {
    sum += int64_t{x[row * s.x_row_stride + k]} * weights[output * s.inputs + k];
  }
  return ShortResultReference(results, sum, output);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DENSE_Q8_H_
