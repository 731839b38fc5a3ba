// SPDX-License-Identifier: Apache-2.0
// --value NAME=FILE.npy, NAME=NUMBER and NAME=NUMBER,NUMBER...
#ifndef WEFT_CONVERTER_CLI_VALUE_OPTION_H_
#define WEFT_CONVERTER_CLI_VALUE_OPTION_H_

#include <map>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/input_values.h"

namespace weft::cli {

// Returns the files that the options name. Ends the call if an option is invalid.
std::vector<std::string> FilesOfValues(const std::vector<std::string>& texts);

// Reads the files and numbers into `values`, by the names of the inputs.
void ReadValues(const std::vector<std::string>& texts,
                std::map<std::string, graph::InputValue>* values, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_VALUE_OPTION_H_
