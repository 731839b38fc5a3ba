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

// The files that the options name. Ends the call if one has another form.
std::vector<std::string> FilesOfValues(const std::vector<std::string>& texts);

// Reads the files and takes the numbers, by the names of their inputs.
void ReadValues(const std::vector<std::string>& texts,
                std::map<std::string, graph::InputValue>* values, Faults& faults);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_VALUE_OPTION_H_
