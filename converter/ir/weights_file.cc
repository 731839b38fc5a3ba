// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/weights_file.h"

#include <fmt/format.h>

#include "converter/base/files.h"
#include "converter/base/visible.h"

namespace weft::ir {

void WeightsFile::Take(int64_t offset, int64_t bytes, const Node& node, Constant& constant,
                       Faults& faults) {
  if (bytes == 0) return;
  if (!bytes_ && reason_.empty()) {
    std::optional<std::vector<std::byte>> read = ReadFile(path_, &reason_);
    if (read) {
      read_ = std::make_shared<const std::vector<std::byte>>(std::move(*read));
      bytes_ = *read_;
    }
  }
  const std::string who = fmt::format("layer {} \"{}\"", node.id, OneLine(node.name));
  if (!bytes_) {
    if (missing_count_++ == 0) first_in_need_ = fmt::format("{} at line {}", who, node.line);
    return;
  }
  const int64_t size = static_cast<int64_t>(bytes_->size());
  if (offset > size || bytes > size - offset) {
    // Offsets are untrusted and may be up to 2^63 - 1.
    const uint64_t end = static_cast<uint64_t>(offset) + static_cast<uint64_t>(bytes);
    faults.Add(fmt::format("{}: {}: needs bytes [{}, {}) but the file has {}", path_.string(), who,
                           offset, end, size));
    return;
  }
  constant.owner = read_;
  constant.bytes = bytes_->subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
}

void WeightsFile::ReportMissing(Faults& faults) const {
  if (missing_count_ == 0) return;
  faults.Add(fmt::format("{}: cannot be read: {}; {} constant{} need{} it, the first is {}",
                         path_.string(), reason_, missing_count_, missing_count_ == 1 ? "" : "s",
                         missing_count_ == 1 ? "s" : "", first_in_need_));
}

}  // namespace weft::ir
