// SPDX-License-Identifier: Apache-2.0
// Bytes of a block's values that are live at each of its items: for passes that let a value live
// longer where others go away.
#ifndef WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_
#define WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/program.h"

namespace weft::plan {

class LiveBytes {
 public:
  // Is a result counted at the step that makes it, where that may write it over an input?
  enum class InPlace : uint8_t { kCounts, kShares };
  LiveBytes(const Program& program, BlockId block, const AccessMap& accesses,
            InPlace in_place = InPlace::kCounts);

  // At items first to last, both included.
  void Add(size_t first, size_t last, int64_t bytes);
  // Is there no more at any of these items than there was anywhere?
  bool KeepsTo(size_t first, size_t last) const;
  // At any of these items.
  int64_t Most(size_t first, size_t last) const;

 private:
  std::vector<int64_t> at_;
  int64_t most_ = 0;
};

// May the step of the block write that output over an input that is as large and that `ends` there,
// as nothing behind the step reads it?
bool MayTakeOver(const Program& program, BlockId block, const Step& step, size_t output,
                 const std::function<bool(ValueId root)>& ends);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_
