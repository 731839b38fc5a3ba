// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a model file go.
#ifndef WEFT_CONVERTER_INSPECT_FLASH_H_
#define WEFT_CONVERTER_INSPECT_FLASH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct FlashPart {
  std::string name, what;
  uint64_t bytes = 0;
};

// Their sum is file_bytes: the last part, "head", is what the others leave over (the root table,
// regions, alignment). The model must have passed verify.cc.
std::vector<FlashPart> FlashOf(const format::Model& model, uint64_t file_bytes);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_FLASH_H_
