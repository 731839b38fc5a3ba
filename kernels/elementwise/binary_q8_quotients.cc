// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8_quotients.h"

#include "kernels/strided_iterator.h"
#include "kernels/variants.h"

namespace weft::kernels {
namespace {

struct Reciprocals {
  int32_t of_top[128];
  constexpr Reciprocals() : of_top() {
    for (int32_t i = 0; i < 128; ++i) of_top[i] = ReciprocalOfTop(128 + i);
  }
  constexpr int32_t operator()(int32_t top) const { return of_top[top - 128]; }
};
constexpr Reciprocals kReciprocals;

}  // namespace

void BinaryQ8Quotients(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  const uint32_t outer = shape.rank == 0 ? 0 : shape.rank - 1;
  const uint32_t count = shape.rank == 0 ? 1 : shape.dims[outer];
  const size_t a_stride = shape.rank == 0 ? 0 : shape.a_strides[outer];
  const size_t b_stride = shape.rank == 0 ? 0 : shape.b_strides[outer];
  StridedIterator<uint32_t, 2> iterator(outer, shape.dims, {shape.a_strides, shape.b_strides});
  // Copies, because the bytes written could alias the originals.
  const Multiplier by = shape.multiplier;
  const int32_t a_zero = shape.a_zero, b_zero = shape.b_zero, zero = shape.codes.zero;
  const int32_t low = shape.codes.low - zero, high = shape.codes.high - zero;
  do {
    const int8_t *of_a = a + iterator.offset(0), *of_b = b + iterator.offset(1);
    for (const int8_t* const end = y + count; y != end; of_a += a_stride, of_b += b_stride) {
      const int32_t v = RoundedQuotient(*of_a - a_zero, *of_b - b_zero, by, kReciprocals);
      *y++ = static_cast<int8_t>((v < low ? low : v > high ? high : v) + zero);
    }
  } while (iterator.Next());
}

}  // namespace weft::kernels

const char weft_variant_binary_q8_quotients = 0;
