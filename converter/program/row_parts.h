// SPDX-License-Identifier: Apache-2.0
// Steps that make each part of their results of the same part of their operands, such as products
// and normalisations of rows, and what such a step is for one part alone.
#ifndef WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_
#define WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

struct RowPart {
  Params params;  // of what is taken
  // Of each operand, inputs first: its bytes from one part to the next, which are those of a part;
  // 0 of one that all parts read, or that is absent.
  std::vector<int64_t> part_bytes;
};

// Of `taken` of `parts` equal parts, each of which lies behind the one before it in every operand
// that has parts. Nullopt where the step mixes them, or where its bits might depend on their
// number.
std::optional<RowPart> RowPartOf(const Program& program, const Step& step, int64_t parts,
                                 int64_t taken = 1);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_
