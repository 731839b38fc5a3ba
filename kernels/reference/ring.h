// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for ring, exact: element by element, for a start within the ring.
#ifndef WEFT_KERNELS_REFERENCE_RING_H_
#define WEFT_KERNELS_REFERENCE_RING_H_

#include <cstring>

#include "kernels/movement/ring.h"

namespace weft::kernels {

// Writes y and updates the ring in place. Returns the new start of the ring.
inline size_t RingReference(const RingShape& s, const uint8_t* x, uint8_t* ring, size_t start,
                            uint8_t* y) {
  const size_t bytes = s.element_bytes;
  const auto in_ring = [&](size_t slot, size_t o, size_t i) {
    switch (s.order) {
      case RingOrder::kOuterPositionsInner:
        return ring + ((o * s.past + slot) * s.inner + i) * bytes;
      case RingOrder::kOuterInnerPositions:
        return ring + ((o * s.inner + i) * s.past + slot) * bytes;
      default:
        return ring + ((slot * s.outer + o) * s.inner + i) * bytes;
    }
  };
  const auto in_x = [&](size_t position, size_t o, size_t i) {
    return x + ((o * s.positions + position) * s.inner + i) * bytes;
  };
  const size_t width = size_t{s.taps} * s.length;
  for (size_t o = 0; o < s.outer; ++o) {
    for (size_t i = 0; i < s.inner; ++i) {
      for (size_t at = 0; at < width; ++at) {
        const size_t position = s.first + at / s.length * s.dilation + at % s.length;
        const uint8_t* from = position < s.past ? in_ring((start + position) % s.past, o, i)
                                                : in_x(position - s.past, o, i);
        std::memcpy(y + ((o * width + at) * s.inner + i) * bytes, from, bytes);
      }
    }
  }
  for (size_t position = 0; position < s.positions; ++position) {
    for (size_t o = 0; o < s.outer; ++o) {
      for (size_t i = 0; i < s.inner; ++i) {
        std::memcpy(in_ring((start + position) % s.past, o, i), in_x(position, o, i), bytes);
      }
    }
  }
  return (start + s.positions) % s.past;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_RING_H_
