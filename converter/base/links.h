// SPDX-License-Identifier: Apache-2.0
// Resolves symbolic links, also if their target does not exist.
#ifndef WEFT_CONVERTER_BASE_LINKS_H_
#define WEFT_CONVERTER_BASE_LINKS_H_

#include <filesystem>

namespace weft {

// Returns the file that a write to the path would create or change. Returns the path itself if its
// last component is not a link, or if the links form a cycle.
std::filesystem::path FollowLinks(const std::filesystem::path& file);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_LINKS_H_
