// SPDX-License-Identifier: Apache-2.0
// Steps that compute each part of their results from the same part of their operands, such as
// products and normalisations of rows, and products of the matrices of a batch. Returns such a step
// for some parts only.
#ifndef WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_
#define WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

// An operand as [outer, parts, part]; the parts of results are consecutive, so outer is 1.
struct OperandParts {
  int64_t bytes = 0;  // of [part]; 0 for an operand that all parts read, or that is absent
  int64_t outer = 1;
};

// A step for some of its parts.
struct RowPart {
  Params params;                       // for the selected parts: operands are [outer, taken, part]
  std::vector<OperandParts> operands;  // inputs first
};

// Returns the step for `taken` of `parts` equal parts. Returns nullopt if the step mixes the parts,
// or if results might not be bit-identical for another number of parts.
std::optional<RowPart> RowPartOf(const Program& program, const Step& step, int64_t parts,
                                 int64_t taken = 1);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_ROW_PARTS_H_
