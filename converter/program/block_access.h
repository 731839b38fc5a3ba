// SPDX-License-Identifier: Apache-2.0
// Which bytes of which values one block touches, item by item. A nested section counts as one item
// that touches all that its steps touch. Coalescing, scheduling and the loop lowering ask their
// questions here, so that "who reads this after that" has one answer.
#ifndef WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_
#define WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

inline constexpr int64_t kBeforeRun = -1;        // when the caller writes the inputs
inline constexpr int64_t kAfterRun = INT64_MAX;  // when the caller reads the outputs

struct Access {
  int64_t item = 0;  // index in the block, or one of the two above
  bool write = false;
  int32_t operand =
      -1;  // of the step, inputs first; -1 when a section reads or writes it by itself
  const Step* step = nullptr;
  int64_t begin_bytes = 0, end_bytes = 0;  // within the root, before moves
  std::vector<Move> moves;
  bool nested = false;  // the step stands in a section inside the block
};

// Accesses by root, in order of items.
using AccessMap = std::unordered_map<ValueId, std::vector<Access>>;

// Of the main block, ports and variables are part; a body's results are read after the run.
AccessMap CollectAccesses(const Program& program, BlockId block);

// Do two accesses touch common bytes in one and the same iteration? Equal moves cancel; unequal
// ones count as touching, since nothing better is known.
bool Overlap(const Access& a, const Access& b);

// The item that makes `value`, all of a root in scratch, where it alone writes it, as a whole, and
// the item `reader` behind it alone reads it.
std::optional<size_t> SoleWriter(const Program& program, const AccessMap& accesses, ValueId value,
                                 int64_t reader);

// May the step write operand `output` over operand `input` while it runs?
bool MayShare(const Step& step, size_t input, size_t output);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_BLOCK_ACCESS_H_
