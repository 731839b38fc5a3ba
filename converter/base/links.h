// SPDX-License-Identifier: Apache-2.0
// Symbolic links, followed to their end even where nothing is there yet.
#ifndef WEFT_CONVERTER_BASE_LINKS_H_
#define WEFT_CONVERTER_BASE_LINKS_H_

#include <filesystem>

namespace weft {

// Where a plain write to the path would end up; the path itself where its last name is no link, or
// one of a chain without an end.
std::filesystem::path FollowLinks(const std::filesystem::path& file);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_LINKS_H_
