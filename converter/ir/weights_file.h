// SPDX-License-Identifier: Apache-2.0
// The .bin of a model. It is read when the first constant needs it; all constants, also in bodies,
// refer to the same bytes. Offsets are unaligned, and constants may overlap (equal constants share
// bytes).
#ifndef WEFT_CONVERTER_IR_WEIGHTS_FILE_H_
#define WEFT_CONVERTER_IR_WEIGHTS_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::ir {

class WeightsFile {
 public:
  explicit WeightsFile(std::filesystem::path path) : path_(std::move(path)) {}
  // Bytes in memory, which must outlive every constant; `path` is their name in messages.
  WeightsFile(std::filesystem::path path, std::span<const std::byte> bytes)
      : path_(std::move(path)), bytes_(bytes) {}

  // Points `constant` at `bytes` bytes from `offset` on behalf of `node`, or adds a fault.
  void Take(int64_t offset, int64_t bytes, const Node& node, Constant& constant, Faults& faults);
  // Adds one fault for an unreadable file, independent of the number of constants that need it.
  void ReportMissing(Faults& faults) const;

 private:
  std::filesystem::path path_;
  std::optional<std::span<const std::byte>> bytes_;
  std::shared_ptr<const std::vector<std::byte>>
      read_;                   // owner of bytes_ if they were read from a file
  std::string reason_;         // why the file cannot be read
  std::string first_in_need_;  // the first constant that needs the file
  int64_t missing_count_ = 0;
};

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_WEIGHTS_FILE_H_
