// SPDX-License-Identifier: Apache-2.0
// The past of a time axis, kept where it is: a ring of `past` places of which a run overwrites the
// oldest by its own. Of the past, oldest first, with the places of x behind it, y takes `taps` runs
// of `length` places, `dilation` apart, from place `first` on; then the last of x go into the ring.
// Where several read one ring, all but the last leave it as it is: without a ring_after, and a
// start_after, nothing is written.
//
// x is [outer, places, inner], y [outer, taps * length, inner]. Where windows take places out of
// the ring, each is one piece, [past, outer, inner]: a run of few places writes it as it is, and
// channels do not lie a multiple of the cache's size apart. What products read in the ring
// (ring_matmul.h) has its places in the rows of outer, [outer, past, inner], or side by side,
// [outer, inner, past]. `start` says where the oldest is; one that is beyond the ring, or absent,
// is 0. After t places it is t % past, in runs of whatever number of places. Elements are 1, 2, 4
// or 8 bytes and are moved as they are.
//
// y and start_after may be absent. ring_after may be ring, start_after start; nothing else may
// overlap. The runs end within past + places, which is below 2^31. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_RING_H_
#define WEFT_KERNELS_MOVEMENT_RING_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class RingOrder : uint8_t { kPlacesOuterInner, kOuterPlacesInner, kOuterInnerPlaces };

struct RingShape {
  uint32_t outer = 0;
  uint32_t past = 0;
  uint32_t places = 0;
  uint32_t inner = 0;
  uint32_t first = 0;
  uint32_t taps = 0;
  uint32_t dilation = 0;
  uint32_t length = 0;
  uint32_t element_bytes = 0;
  RingOrder order = RingOrder::kPlacesOuterInner;
};

struct RingState {
  const void* ring = nullptr;
  const int32_t* start = nullptr;
  void* ring_after = nullptr;
  int32_t* start_after = nullptr;
};

void Ring(const RingShape& shape, const void* x, const RingState& state, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_RING_H_
