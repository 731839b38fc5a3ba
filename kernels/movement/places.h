// SPDX-License-Identifier: Apache-2.0
// Where the elements of x [batch, dims ...] are not zero: their coordinates along dims, batch by
// batch in row-major order. places is [batch, rank, most], one row for each axis; counts [batch]
// says how many there are. At most `most` of each batch are taken, the first ones; what lies behind
// them in a row is 0. A NaN and a subnormal number are not zero, -0 is. Elements of any type of
// whole bytes; places are i32 or i64. No operand overlaps another. The caller owns all memory.
#ifndef WEFT_KERNELS_MOVEMENT_PLACES_H_
#define WEFT_KERNELS_MOVEMENT_PLACES_H_

#include "kernels/element.h"

namespace weft::kernels {

struct PlacesShape {
  uint32_t batch = 0;
  uint32_t rank = 0;  // at most kMaxRank
  uint32_t dims[kMaxRank] = {};
  uint32_t most = 0;
  Element type = Element::kF32;
  Element index_type = Element::kI32;
};

// True where Places knows elements of `type`; it writes nothing for those it does not know.
bool PlacesKnows(Element type);
void Places(const PlacesShape& shape, const void* x, void* places, int32_t* counts);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MOVEMENT_PLACES_H_
