// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a model file go.
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

// Their sum is the file's bytes: the last part, "head", is what the others leave over (the root
// table, regions, alignment; a note of a cut that breaks a rule, see streamed.h). The file must
// have passed verify.cc.
std::vector<FlashPart> FlashOf(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_FLASH_H_
