// SPDX-License-Identifier: Apache-2.0
// Ring buffer for the past of a time axis: `past` time steps, of which a run overwrites the oldest
// with its own. y has `taps` runs of `length` time steps, `dilation` apart, taken from the past
// (oldest first) followed by x, from step `first` on. After that the last steps of x are written to
// the ring. If several steps read one ring, only the last one writes it: without ring_after and
// start_after nothing is written.
//
// x is [outer, places, inner], y [outer, taps * length, inner]; `positions` is the number of new
// time steps. The order of the ring depends on its reader. For windows, each time step is one
// piece, [past, outer, inner]: a run of few steps writes it without permuting, and channels are not
// a multiple of the cache's size apart. For products (ring_matmul.h) the time steps are in the rows
// of outer, [outer, past, inner], or innermost, [outer, inner, past]. `start` is the position of
// the oldest step; a start that is out of range, or absent, counts as 0. After t steps it is t %
// past, for any number of steps per run. Elements are 1, 2, 4 or 8 bytes and are copied bit by bit.
//
// y and start_after may be absent. ring_after may be ring, start_after start; nothing else may
// overlap. The runs end within past + places, which is below 2^31. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_RING_H_
#define WEFT_KERNELS_MOVEMENT_RING_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class RingOrder : uint8_t { kPositionsOuterInner, kOuterPositionsInner, kOuterInnerPositions };

struct RingShape {
  uint32_t outer = 0;
  uint32_t past = 0;
  uint32_t positions = 0;
  uint32_t inner = 0;
  uint32_t first = 0;
  uint32_t taps = 0;
  uint32_t dilation = 0;
  uint32_t length = 0;
  uint32_t element_bytes = 0;
  RingOrder order = RingOrder::kPositionsOuterInner;
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
