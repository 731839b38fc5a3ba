// SPDX-License-Identifier: Apache-2.0
// Bytes of a block's values that are live at each of its items. Used by passes that extend the live
// range of one value and remove other values.
#ifndef WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_
#define WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/program.h"

namespace weft::program {

// Live bytes at each item of one block, in scratch and without nested sections.
class LiveBytes {
 public:
  // Whether a result also counts at the step that writes it if it may overwrite an input there.
  enum class InPlace : uint8_t { kCounts, kShares };
  LiveBytes(const Program& program, BlockId block, const AccessMap& accesses,
            InPlace in_place = InPlace::kCounts);

  // Adds `bytes` to the items first to last, inclusive.
  void Add(size_t first, size_t last, int64_t bytes);
  // Returns true if none of these items has more live bytes than the initial maximum of the block.
  bool KeepsTo(size_t first, size_t last) const;
  // Returns the maximum over these items.
  int64_t Max(size_t first, size_t last) const;

 private:
  std::vector<int64_t> at_;
  int64_t max_ = 0;
};

// Returns true if the step may write the output over an input of equal size in the same block. The
// input must end at the step, as `ends` returns.
bool CanOverwriteInput(const Program& program, BlockId block, const Step& step, size_t output,
                       const std::function<bool(ValueId root)>& ends);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_LIVE_BYTES_H_
