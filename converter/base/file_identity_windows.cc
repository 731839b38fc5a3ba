// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <windows.h>

#include "converter/base/file_identity.h"
#include "converter/base/unfinished_windows.h"

namespace weft {

std::optional<std::string> FileNumber(const std::filesystem::path& file) {
  constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  // The flag opens folders as well.
  const Handle handle(CreateFileW(file.c_str(), 0, kShareAll, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  BY_HANDLE_FILE_INFORMATION about = {};
  if (!handle.valid() || GetFileInformationByHandle(handle.get(), &about) == 0) {
    return std::nullopt;
  }
  return fmt::format("{}:{}:{}", about.dwVolumeSerialNumber, about.nFileIndexHigh,
                     about.nFileIndexLow);
}

std::string NameKey(const std::filesystem::path& name) {
  std::wstring text = name.wstring();
  CharLowerBuffW(text.data(), static_cast<DWORD>(text.size()));
  return std::filesystem::path(text).string();
}

}  // namespace weft
