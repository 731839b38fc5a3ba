// SPDX-License-Identifier: Apache-2.0
// The size of a model file by part.
#ifndef WEFT_CONVERTER_INSPECT_FLASH_H_
#define WEFT_CONVERTER_INSPECT_FLASH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::inspect {

struct FlashPart {
  std::string name, what;
  uint64_t bytes = 0;
};

// Returns parts that add up to the size of the file. The last part, "head", contains all bytes that
// no other part has: the root table, regions, alignment, and an invalid streaming note
// (streamed.h). The file must have passed verify.cc.
std::vector<FlashPart> FlashOf(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_FLASH_H_
