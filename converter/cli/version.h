// SPDX-License-Identifier: Apache-2.0
// `weft version`.
#ifndef WEFT_CONVERTER_CLI_VERSION_H_
#define WEFT_CONVERTER_CLI_VERSION_H_

#include <string>

#include "converter/cli/commands.h"

namespace weft::cli {

// "weft 0.1.0, file format 3"
std::string VersionText();

void AddVersion(CommandLine& line, Exit* exit);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_VERSION_H_
