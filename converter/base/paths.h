// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_BASE_PATHS_H_
#define WEFT_CONVERTER_BASE_PATHS_H_

#include <filesystem>
#include <string>
#include <string_view>

namespace weft {

// Returns the path with a name in UTF-8, as the command line and models have it. The constructors
// of std::filesystem::path read other texts in the code page of the system, which on Windows is not
// UTF-8.
inline std::filesystem::path PathOf(std::string_view name) {
  return std::u8string(name.begin(), name.end());
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_PATHS_H_
