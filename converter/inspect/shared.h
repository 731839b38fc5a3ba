// SPDX-License-Identifier: Apache-2.0
// Values that share the memory of another value, with the reason.
#ifndef WEFT_CONVERTER_INSPECT_SHARED_H_
#define WEFT_CONVERTER_INSPECT_SHARED_H_

#include <cstdint>
#include <vector>

#include "converter/inspect/peak.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

enum class Sharing : uint8_t {
  in_place,  // a step overwrites one of its inputs
  chunk,     // the part of a sequence that one iteration accesses; it moves with the loop
  part,      // a part of a larger value, accessed without a copy
  view,      // the same bytes with another shape or type
};

struct SharedAddress {
  uint32_t slot = 0, of = 0;               // `slot` shares memory with `of`
  int64_t offset_bytes = 0, bytes = 0;     // of `slot`, in iteration 0 of the enclosing loops
  uint32_t first_step = 0, last_step = 0;  // first and last step that access `slot`
  Sharing why = Sharing::part;
};

// Returns the shared values of each buffer, in the order of its slots. The model must have passed
// verify.cc.
std::vector<std::vector<SharedAddress>> SharedIn(const format::Model& model,
                                                 const std::vector<PlacedBuffer>& buffers);

// The reason as text.
const char* Why(Sharing why);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_SHARED_H_
