// SPDX-License-Identifier: Apache-2.0
// Copies of a few bytes, for targets with vectors.

#if defined(WEFT_KERNELS_SIMD_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_BYTES_INL_H_
#undef WEFT_KERNELS_SIMD_BYTES_INL_H_
#else
#define WEFT_KERNELS_SIMD_BYTES_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Runs are short and their lengths are not constants: a memcpy call would cost more than the copy.
template <size_t kBytes>
HWY_INLINE void CopyEnds(int8_t* to, const int8_t* from, size_t count) {
  int8_t first[kBytes], last[kBytes];
  __builtin_memcpy(first, from, kBytes);
  __builtin_memcpy(last, from + count - kBytes, kBytes);
  __builtin_memcpy(to, first, kBytes);
  __builtin_memcpy(to + count - kBytes, last, kBytes);
}
// Copies at most 16 bytes.
HWY_INLINE void CopyFewBytes(int8_t* to, const int8_t* from, size_t count) {
  if (count == 16) return CopyEnds<16>(to, from, count);
  if (count >= 8) return CopyEnds<8>(to, from, count);
  if (count >= 4) return CopyEnds<4>(to, from, count);
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}
HWY_INLINE void CopyBytes(int8_t* to, const int8_t* from, size_t count) {
  if (count > 16) {
    const hn::Full128<int8_t> bytes;
    const auto last = hn::LoadU(bytes, from + count - 16);
    for (size_t i = 0; i + 16 < count; i += 16) {
      hn::StoreU(hn::LoadU(bytes, from + i), bytes, to + i);
    }
    return hn::StoreU(last, bytes, to + count - 16);
  }
  CopyFewBytes(to, from, count);
}

HWY_INLINE void FillBytes(int8_t* to, size_t count, int8_t value) {
  const hn::Full128<int8_t> bytes;
  if (count >= 16) {
    const auto many = hn::Set(bytes, value);
    for (size_t i = 0; i + 16 < count; i += 16) hn::StoreU(many, bytes, to + i);
    return hn::StoreU(many, bytes, to + count - 16);
  }
  for (size_t i = 0; i < count; ++i) {
    to[i] = value;
    __asm__("" : "+r"(to));  // else the compiler calls memset
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_SIMD_BYTES_INL_H_
