// SPDX-License-Identifier: Apache-2.0
// Reads and writes complete files. A write creates a temporary file in the target's folder and
// renames it when all bytes are on the disk. A failure, or a signal that ends the process, leaves
// the old file unchanged and no temporary file.
#ifndef WEFT_CONVERTER_BASE_FILES_H_
#define WEFT_CONVERTER_BASE_FILES_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft {

// Maximum bytes of a file without a size, such as a pipe: a device may never end.
inline constexpr size_t kMaxBytesOfStream = size_t{1} << 30;
inline constexpr const char* kEndlessReason = "has no size and more than 1073741824 bytes";

// Returns all bytes of a file, or nullopt and a reason such as "No such file or directory".
std::optional<std::vector<std::byte>> ReadFile(const std::filesystem::path& path,
                                               std::string* reason);

struct FileToWrite {
  std::filesystem::path path;
  std::span<const std::byte> bytes;
};

// Writes all files or none. Returns false and a reason with the path if one could not be written.
bool WriteFiles(std::span<const FileToWrite> files, std::string* reason);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILES_H_
