// SPDX-License-Identifier: Apache-2.0
// Values that lie in the place of another, and why no place of their own was needed.
#ifndef WEFT_CONVERTER_INSPECT_SHARED_H_
#define WEFT_CONVERTER_INSPECT_SHARED_H_

#include <cstdint>
#include <vector>

#include "converter/inspect/peak.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

enum class Sharing : uint8_t {
  in_place,  // a step writes it over what the step reads
  chunk,     // what one iteration reads or writes of a sequence: it moves with the loop
  part,      // of a larger value, written or read where that lies
  view,      // the same bytes under another shape or type
};

struct SharedPlace {
  uint32_t slot = 0, of = 0;               // `slot` lies over `of`
  int64_t offset_bytes = 0, bytes = 0;     // of `slot`, in iteration 0 of the loops around it
  uint32_t first_step = 0, last_step = 0;  // of the listing, that touch `slot`
  Sharing why = Sharing::part;
};

// Of each of the buffers, in the order of their slots. The model must have passed verify.cc.
std::vector<std::vector<SharedPlace>> SharedIn(const format::Model& model,
                                               const std::vector<PlacedBuffer>& buffers);

// The reason for people.
const char* Why(Sharing why);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_SHARED_H_
