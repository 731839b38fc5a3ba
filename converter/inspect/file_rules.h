// SPDX-License-Identifier: Apache-2.0
// The rules of a model file that only desktop tools need. Engine::Open checks what an engine reads;
// names, buffers of the plan and the streaming note are read by tools alone. Every tool checks both
// before it reads a file.
#ifndef WEFT_CONVERTER_INSPECT_FILE_RULES_H_
#define WEFT_CONVERTER_INSPECT_FILE_RULES_H_

#include <string>
#include <vector>

#include "runtime/weft.h"

namespace weft::inspect {

// Returns one line for each rule that the file breaks. The file must have passed VerifyAll. After
// an empty result every field of the file can be read.
std::vector<std::string> FileFaults(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_FILE_RULES_H_
