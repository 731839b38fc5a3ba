// SPDX-License-Identifier: Apache-2.0
#include "converter/base/links.h"

#include <system_error>

namespace weft {

std::filesystem::path FollowLinks(const std::filesystem::path& file) {
  constexpr int kMaxLinks = 40;  // as in Linux
  std::error_code error;
  std::filesystem::path end = file;
  for (int i = 0; std::filesystem::is_symlink(end, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(end, error);
    if (error || i == kMaxLinks) return file;
    end = end.parent_path() / target;  // an absolute target replaces the path
  }
  return end;
}

}  // namespace weft
