// SPDX-License-Identifier: Apache-2.0
// Checks a model file by the rules of the format, and its plan.
#ifndef WEFT_CONVERTER_FILE_CHECKS_H_
#define WEFT_CONVERTER_FILE_CHECKS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "converter/base/faults.h"

namespace weft::pipeline {

// Adds an internal error for each violated rule.
void CheckFile(const std::vector<std::byte>& file, Faults& faults);

// Returns the file's listing, or a message if the file breaks a rule.
std::string ListingOf(const std::vector<std::byte>& file);

}  // namespace weft::pipeline

#endif  // WEFT_CONVERTER_FILE_CHECKS_H_
