// SPDX-License-Identifier: Apache-2.0
// Element types and maximum rank of the kernels. Kernels include no other folder, so these mirror
// the format's enums: same order, same numbers. The binders assert that they match.
#ifndef WEFT_KERNELS_ELEMENT_H_
#define WEFT_KERNELS_ELEMENT_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kMaxRank = 8;

// True on a core with a small stack and, in general, no data cache.
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || \
    (defined(__riscv) && __riscv_xlen == 32 && !defined(__unix__))
#define WEFT_MICROCONTROLLER 1
#else
#define WEFT_MICROCONTROLLER 0
#endif
inline constexpr bool kIsMicrocontroller = WEFT_MICROCONTROLLER != 0;

// kI4 and kU4 are packed two to a byte, low nibble first. kBoolean is one byte, 0 or 1 when written
// and zero or not zero when read.
enum class Element : uint8_t {
#define WEFT_TYPE(name, Name, ...) k##Name,
#include "kernels/types.inc"
#undef WEFT_TYPE
};

// An element that is copied as bits, never computed with. may_alias lets Raw<T> access any type of
// its size. Otherwise the compiler could reorder float moves through uint32_t with real float
// accesses.
template <typename T>
struct __attribute__((may_alias)) Raw {
  T bits;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENT_H_
