// SPDX-License-Identifier: Apache-2.0
// Coordinates of the nonzero elements of x [batch, dims ...]: their indices along dims, batch by
// batch in row-major order. places is [batch, rank, most], one row for each axis; counts [batch] is
// their number. Only the first `max` of each batch are stored; unused entries of a row are 0. A
// NaN and a subnormal number are nonzero, -0 is zero. Elements have any type of at least one byte;
// places are i32 or i64. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_POSITIONS_H_
#define WEFT_KERNELS_MOVEMENT_POSITIONS_H_

#include "kernels/element.h"

namespace weft::kernels {

struct PositionsShape {
  uint32_t batch = 0;
  uint32_t rank = 0;  // at most kMaxRank
  uint32_t dims[kMaxRank] = {};
  uint32_t max = 0;
  Element type = Element::kF32;
  Element index_type = Element::kI32;
};

// Returns true if Places supports elements of `type`; it writes nothing for other types.
bool PositionsSupports(Element type);
void Positions(const PositionsShape& shape, const void* x, void* positions, int32_t* counts);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_POSITIONS_H_
