// SPDX-License-Identifier: Apache-2.0
// The rules for the parts of a model file that only desktop tools read: names, the buffers of the
// plan and the streaming note. Engine::Open checks all other parts. Tools check both before they
// read a file.
#ifndef WEFT_CONVERTER_INSPECT_FILE_RULES_H_
#define WEFT_CONVERTER_INSPECT_FILE_RULES_H_

#include <string>
#include <vector>

#include "runtime/weft.h"

namespace weft::inspect {

// Returns one line for each violated rule. The file must have passed VerifyAll. If the result is
// empty, all fields of the file can be read.
std::vector<std::string> FileFaults(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_FILE_RULES_H_
