// SPDX-License-Identifier: Apache-2.0
// Variables that are copies of weights (FORMAT.md).
#ifndef WEFT_RUNTIME_FORMAT_WEIGHT_COPY_H_
#define WEFT_RUNTIME_FORMAT_WEIGHT_COPY_H_

#include "runtime/format/listing.h"

namespace weft::format {

// Returns true for a variable in scratch, a copy of weights that no step writes. `slot` is its
// slot. Each variable of a verified file is such a copy or in the state.
inline bool IsWeightCopy(const Variable& variable, const Slot& slot) {
  return slot.region() >= kFirstScratchRegion && variable.initial_slot() != kNoSlot;
}

}  // namespace weft::format

#endif  // WEFT_RUNTIME_FORMAT_WEIGHT_COPY_H_
