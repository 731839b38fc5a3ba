// SPDX-License-Identifier: Apache-2.0
// The means of pool_q8 whose codes are computed by integers.
#include "kernels/reduce/pool_q8.h"
#include "kernels/variants.h"

namespace weft::kernels {
namespace {

int32_t Limited(int32_t code, const CodeRange& codes) {
  return code < codes.low ? codes.low : code > codes.high ? codes.high : code;
}

}  // namespace

void IntegerMeans(const PoolQ8Shape& shape, size_t taps, size_t count, int32_t* values) {
  const auto divisor = static_cast<int32_t>(taps);
  // Copies, because the values could alias the originals.
  const CodeRange codes = shape.codes;
  const Multiplier by = shape.multiplier;
  int32_t* const end = values + count;
  if (by.mantissa != 0) {
    const int32_t zeros = divisor * shape.x_zero;
    for (; values != end; ++values) *values = CodeOfInteger(Rescaled(*values - zeros, by), codes);
    return;
  }
  const int32_t half = divisor / 2;
  for (; values != end; ++values) {
    const int32_t sum = *values;
    const int32_t mean = divisor == 0 ? 0 : (sum < 0 ? sum - half : sum + half) / divisor;
    *values = Limited(mean, codes);
  }
}

}  // namespace weft::kernels

const char weft_variant_pool_q8_integers = 0;
