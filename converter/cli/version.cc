// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "converter/cli/streams.h"
#include "runtime/weft.h"

namespace weft::cli {

std::string VersionText() {
  return fmt::format("weft {}, file format {}", WEFT_VERSION, kFormatVersion);
}

void AddVersion(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("version", "Print the versions of weft and of its file format");
  auto json = std::make_shared<bool>(false);
  command.AddFlag("--json", *json, "Print JSON");
  command.OnCall([json, exit] {
    *exit = Exit::kDone;
    if (*json) {
      Print({{"version", WEFT_VERSION}, {"file_format", kFormatVersion}});
    } else {
      Answer("{}", VersionText());
    }
  });
}

}  // namespace weft::cli
