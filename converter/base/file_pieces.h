// SPDX-License-Identifier: Apache-2.0
// The parts of ReadFile and WriteFiles that all systems share.
#ifndef WEFT_CONVERTER_BASE_FILE_PIECES_H_
#define WEFT_CONVERTER_BASE_FILE_PIECES_H_

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "converter/base/files.h"

namespace weft {

// Reads all bytes of a file. `size` is 0 for a pipe, which is read in growing pieces.
// `read_piece(span)` returns the number of bytes read, 0 at the end, or nullopt and sets *reason.
template <typename ReadPiece>
std::optional<std::vector<std::byte>> ReadPieces(size_t size, const ReadPiece& read_piece,
                                                 std::string* reason) {
  std::vector<std::byte> bytes(size + 1);  // the extra byte detects the end of the file
  size_t filled = 0;
  while (true) {
    const std::optional<size_t> got = read_piece(std::span(bytes).subspan(filled));
    if (!got) return std::nullopt;
    if (*got == 0) break;
    filled += *got;
    if (size == 0 && filled > kMaxBytesOfStream) {
      *reason = kEndlessReason;
      return std::nullopt;
    }
    if (filled == bytes.size()) bytes.resize(2 * bytes.size() + 4096);
  }
  bytes.resize(filled);
  return bytes;
}

// Reason of a failed write if HasFolder returns false.
constexpr const char kNoFolderReason[] = "its folder does not exist; must be created";

// Returns false if the folder of a file does not exist, true otherwise or if the check fails.
inline bool HasFolder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code error;
  return folder.empty() || std::filesystem::exists(folder, error) || error;
}

// Gives all written files their names, or none. Signals must be held.
template <typename Incoming>
bool PositionAll(std::deque<Incoming>& files, std::string* reason) {
  for (size_t i = 0; i < files.size(); ++i) {
    const bool is_last = i + 1 == files.size();
    if (files[i].Position(!is_last, reason)) continue;
    for (size_t k = i + 1; k > 0; --k) files[k - 1].Withdraw();
    return false;
  }
  return true;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_FILE_PIECES_H_
