// SPDX-License-Identifier: Apache-2.0
// The option --shape of commands that convert an IR.
#ifndef WEFT_CONVERTER_CLI_SHAPE_OPTION_H_
#define WEFT_CONVERTER_CLI_SHAPE_OPTION_H_

#include <map>
#include <string>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/cli/command_line.h"

namespace weft::cli {

void AddShapeOption(Command& command, std::vector<std::string>& shapes);
// Parses texts such as "x=1,25,512". Ends the call if one is invalid or names an input twice.
std::map<std::string, Dims> ParseShapes(const std::vector<std::string>& texts);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_SHAPE_OPTION_H_
