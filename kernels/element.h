// SPDX-License-Identifier: Apache-2.0
// The element types and the ranks that kernels speak of. Kernels include no other room, so these
// mirror the format's enums: same order, same numbers, which the binders assert.
#ifndef WEFT_KERNELS_ELEMENT_H_
#define WEFT_KERNELS_ELEMENT_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kMaxRank = 8;

// A core with little stack and, in general, no data cache.
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
inline constexpr bool kIsMicrocontroller = true;
#else
inline constexpr bool kIsMicrocontroller = false;
#endif

// kI4 and kU4 are packed two to a byte, low nibble first. kBoolean is one byte, 0 or 1 when written
// and zero or not zero when read.
enum class Element : uint8_t {
#define WEFT_TYPE(name, Name, ...) k##Name,
#include "kernels/types.inc"
#undef WEFT_TYPE
};

// An element that is moved and not looked at. Its type may stand for any other of its size: without
// that, moving floats as uint32_t would let the compiler reorder them with real float accesses.
template <typename T>
struct __attribute__((may_alias)) Raw {
  T bits;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENT_H_
