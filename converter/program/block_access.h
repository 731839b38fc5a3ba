// SPDX-License-Identifier: Apache-2.0
// The bytes of values that one block accesses, item by item. A nested section counts as one item
// with all accesses of its steps. Coalescing, scheduling and loop lowering share these functions,
// so that they agree on which item accesses which bytes.
#ifndef WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_
#define WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

inline constexpr int64_t kBeforeRun = -1;        // when the caller writes the inputs
inline constexpr int64_t kAfterRun = INT64_MAX;  // when the caller reads the outputs

// One read or write of bytes of a root.
struct Access {
  int64_t item = 0;  // index in the block, or one of the two above
  bool write = false;
  // Operand of the step, inputs first; -1 if a port, a variable or a section reads or writes it.
  int32_t operand = -1;
  const Step* step = nullptr;
  int64_t begin_bytes = 0, end_bytes = 0;  // within the root, before moves
  std::vector<Move> moves;
  bool nested = false;  // the step is in a section inside the block
};

// Accesses by root, in order of items.
using AccessMap = std::unordered_map<ValueId, std::vector<Access>>;

// Collects the accesses of a block. The main block includes ports and variables; the results of a
// loop body are read at kAfterRun.
AccessMap CollectAccesses(const Program& program, BlockId block);

// Returns true if an item from `first` to `last` writes to the root.
bool IsWritten(const AccessMap& accesses, ValueId root, int64_t first = kBeforeRun,
               int64_t last = kAfterRun);

// Returns true if two accesses can touch common bytes in the same iteration. Equal moves cancel;
// accesses with different moves always count as overlapping.
bool Overlap(const Access& a, const Access& b);

// Returns the item that writes `value`. The value must be a complete root in scratch, written
// completely by that item only, and read by the later item `reader` only; otherwise returns
// nullopt.
std::optional<size_t> SoleWriter(const Program& program, const AccessMap& accesses, ValueId value,
                                 int64_t reader);

// Returns true if the step may write operand `output` over operand `input` while it runs.
bool MayShare(const Step& step, size_t input, size_t output);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_
