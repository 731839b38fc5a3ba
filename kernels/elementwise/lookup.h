// SPDX-License-Identifier: Apache-2.0
// Any function of one i8 value: y = table[x + 128]. y may be x.
#ifndef WEFT_KERNELS_ELEMENTWISE_LOOKUP_H_
#define WEFT_KERNELS_ELEMENTWISE_LOOKUP_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

inline constexpr uint32_t kLookupBytes = 256;

void Lookup(uint32_t count, const int8_t* x, const int8_t* table, int8_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_LOOKUP_H_
