// SPDX-License-Identifier: Apache-2.0
// A finished model file, checked by the rules of the format and its plan validated.
#ifndef WEFT_CONVERTER_FILE_CHECKS_H_
#define WEFT_CONVERTER_FILE_CHECKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::pipeline {

// Every rule that the file breaks becomes a fault of the converter itself.
void CheckFile(const std::vector<std::byte>& file, Faults& faults);

// The file as text, or a line that says that it breaks a rule: only a valid file can be listed.
std::string ListingOf(const std::vector<std::byte>& file);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_FILE_CHECKS_H_
