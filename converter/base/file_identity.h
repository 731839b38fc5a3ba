// SPDX-License-Identifier: Apache-2.0
// Detects different paths of one file.
#ifndef WEFT_CONVERTER_BASE_FILE_IDENTITY_H_
#define WEFT_CONVERTER_BASE_FILE_IDENTITY_H_

#include <filesystem>
#include <optional>
#include <string>

namespace weft {

// Device and number of the file, after following links; nullopt if it does not exist.
std::optional<std::string> FileNumber(const std::filesystem::path& file);

// Returns a text that is equal for two names of one file in a folder: Windows ignores case.
std::string NameKey(const std::filesystem::path& name);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILE_IDENTITY_H_
