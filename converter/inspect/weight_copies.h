// SPDX-License-Identifier: Apache-2.0
// Copies of weights in scratch, which Open and Reset write and steps read.
#ifndef WEFT_CONVERTER_INSPECT_WEIGHT_COPIES_H_
#define WEFT_CONVERTER_INSPECT_WEIGHT_COPIES_H_

#include <cstdint>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

// The indices of the variables that are copies, in the order of the file.
std::vector<uint32_t> WeightCopiesOf(const format::Model& model);

// Maps slots in copies to the weights that the copies contain.
class CopiedWeights {
 public:
  explicit CopiedWeights(const format::Model& model);

  // Returns the slot with the region and offset of its weights if it is inside a copy, else the
  // slot. The first iteration of a moving slot decides.
  format::Slot InFile(const format::Slot& slot) const;

 private:
  struct Copy {
    uint32_t region, begin, end, weights;
  };
  std::vector<Copy> copies_;
};

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WEIGHT_COPIES_H_
