// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax_q8.h"

#include <cstddef>

#include "kernels/simd/fixed_point.h"

namespace weft::kernels {
namespace {

// Number of bits before the point: of differences and of the sum.
constexpr int32_t kDifferenceBits = 5, kSumBits = 12;

// exp of a difference that is not below the limit, in Q0.
int32_t Exponential(int32_t difference, const Multiplier& by) {
  const auto shifted = static_cast<uint32_t>(difference) << (by.exponent & 31);
  return ExpOfNegative(HighProduct(static_cast<int32_t>(shifted), by.mantissa), kDifferenceBits);
}

int32_t LeadingZeros(uint32_t x) {
  int32_t zeros = 32;
  for (; x != 0; x >>= 1) --zeros;
  return zeros;
}

void Row(const SoftmaxQ8Shape& shape, const int8_t* x, std::byte* y) {
  const bool is_short = shape.gives_shorts;
  const int32_t bits = is_short ? 16 : 8, limit_of_y = (1 << bits) - 1, zero = 1 << (bits - 1);
  const size_t length = shape.length;
  int32_t max = -128;
  for (size_t i = 0; i < length; ++i) max = x[i] > max ? x[i] : max;
  // The lowest difference that counts: -31 in Q5.
  const auto limit =
      static_cast<int32_t>(-((int64_t{31} << 26) >> (shape.multiplier.exponent & 31)));
  uint32_t sum = 0;
  for (size_t i = 0; i < length; ++i) {
    const int32_t difference = x[i] - max;
    if (difference < limit) continue;
    sum +=
        static_cast<uint32_t>(DivideByPower(Exponential(difference, shape.multiplier), kSumBits));
  }
  // The sum is 2^over * (1 + fraction).
  const int32_t zeros = LeadingZeros(sum), over = kSumBits - zeros;
  const auto fraction = static_cast<int32_t>((sum << (zeros & 31)) - 0x80000000u);
  const int32_t reciprocal = ShiftSaturated(TwiceReciprocalOfOnePlus(fraction), 1);
  const int32_t shift = over + 31 - bits;
  for (size_t i = 0; i < length; ++i) {
    const int32_t difference = x[i] - max;
    int32_t result = 0;
    if (difference >= limit && shift <= 31) {
      const int32_t exponential = Exponential(difference, shape.multiplier);
      result = DivideByPower(HighProduct(reciprocal, exponential), shift);
    }
    const int32_t code = (result < limit_of_y ? result : limit_of_y) - zero;
    if (is_short) {
      reinterpret_cast<int16_t*>(y)[i] = static_cast<int16_t>(code);
    } else {
      reinterpret_cast<int8_t*>(y)[i] = static_cast<int8_t>(code);
    }
  }
}

}  // namespace

void SoftmaxQ8(const SoftmaxQ8Shape& shape, const int8_t* x, void* y) {
  if (shape.length == 0) return;
  const size_t row_bytes = size_t{shape.length} * (shape.gives_shorts ? 2 : 1);
  auto* to = static_cast<std::byte*>(y);
  for (uint32_t row = 0; row < shape.rows; ++row, x += shape.length, to += row_bytes) {
    Row(shape, x, to);
  }
}

}  // namespace weft::kernels
