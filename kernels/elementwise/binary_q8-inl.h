// SPDX-License-Identifier: Apache-2.0
// Pairs of quantised values, for the forms of binary_q8.

#if defined(WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_INL_H_
#endif

#include "kernels/elementwise/binary_q8.h"
#include "kernels/simd/codes-inl.h"
#include "kernels/strided_iterator.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Elements of an operand, int8 or int16, `stride` apart.
template <typename Code>
struct CodeLine {
  const Code* x;
  size_t stride;
  int32_t zero;

  // Returns the address of `lanes` contiguous elements from i on: in place or copied to block.
  HWY_INLINE const Code* From(size_t i, size_t lanes, Code* block) const {
    if (stride == 1) return x + i;
    for (size_t lane = 0; lane < lanes; ++lane) block[lane] = x[(i + lane) * stride];
    return block;
  }
};

// Calls line(a, b, count, y) for the lines of the last axis. There is at least one element.
template <typename Code, typename Line>
HWY_INLINE void ForLines(const BinaryQ8Shape& shape, const Code* a, const Code* b, Code* y,
                         const Line& line) {
  // The stride along an axis of one element is never used.
  const uint32_t outer = shape.rank == 0 ? 0 : shape.rank - 1;
  const size_t count = shape.rank == 0 ? 1 : shape.dims[outer];
  const auto stride = [&](const uint32_t* strides) {
    return count == 1 ? size_t{1} : size_t{strides[outer]};
  };
  const size_t a_stride = stride(shape.a_strides), b_stride = stride(shape.b_strides);
  StridedIterator<uint32_t, 2> iterator(outer, shape.dims, {shape.a_strides, shape.b_strides});
  do {
    line(CodeLine<Code>{a + iterator.offset(0), a_stride, shape.a_zero},
         CodeLine<Code>{b + iterator.offset(1), b_stride, shape.b_zero}, count, y);
    y += count;
  } while (iterator.Next());
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_Q8_INL_H_
