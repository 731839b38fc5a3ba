// SPDX-License-Identifier: Apache-2.0
#include "converter/base/file_identity.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace weft {

std::optional<std::string> FileNumber(const std::filesystem::path& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return std::nullopt;
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

std::string NameKey(const std::filesystem::path& name) { return name.string(); }

}  // namespace weft
