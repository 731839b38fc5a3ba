// SPDX-License-Identifier: Apache-2.0
// Whole files in and out. A write goes to a new file beside its target, which takes the target's
// name when every byte is on the disk: a failure, or a signal that ends the process, leaves the old
// file as it was and nothing new.
#ifndef WEFT_CONVERTER_BASE_FILES_H_
#define WEFT_CONVERTER_BASE_FILES_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft {

// All bytes of a file; nullopt and a reason ("No such file or directory") when it cannot be read.
std::optional<std::vector<std::byte>> ReadFile(const std::filesystem::path& path,
                                               std::string* reason);

struct FileToWrite {
  std::filesystem::path path;
  std::span<const std::byte> bytes;
};

// All of them or none. False and a reason with the path when one could not be written.
bool WriteFiles(std::span<const FileToWrite> files, std::string* reason);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILES_H_
