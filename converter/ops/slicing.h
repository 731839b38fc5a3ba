// SPDX-License-Identifier: Apache-2.0
// What a Slice or StridedSlice takes of each axis, and a SliceScatter writes, with bounds clamped and
// masks applied. Read once by the shape rule, again by the lowering and by those that must know
// which places are left.
#ifndef WEFT_CONVERTER_OPS_SLICING_H_
#define WEFT_CONVERTER_OPS_SLICING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/ops/movement.h"

namespace weft::ops {

struct Cut {
  std::vector<Runs> runs;       // one run per axis of the input
  Dims kept;                    // places per input axis
  std::vector<int64_t> places;  // the output's axis per input axis; -1 where it shrinks away
  Dims output;                  // kept without the axes that shrink, with the new ones
};

// Of the scope's node, which is one of the three; nullopt after a fault.
std::optional<Cut> CutOf(NodeScope& scope);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SLICING_H_
