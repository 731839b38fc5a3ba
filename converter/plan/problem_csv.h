// SPDX-License-Identifier: Apache-2.0
// A Problem as text, in the format of the MiniMalloc benchmarks:
//
//   id,lower,upper,size,alignment,gaps,offset
//   h,0,3,64,16,,
//   gates,3,21,256,16,7-9 12-14,128
//
// Times are half-open. Gaps are BEGIN-END, separated by spaces. A value in the column offset fixes
// the offset of the buffer. Columns may come in any order. The columns alignment, gaps, offset,
// hint, traffic and near are optional, and so are their cells. traffic (bytes of one run) and near
// are extensions of weft. near is a list of X:BEFORE:BEHIND, separated by spaces: X is the index of
// another buffer, from 0, and the line's own buffer is the y of the pair. The text holds no
// memories: a problem read from text has one memory, without a capacity. No field is quoted.
#ifndef WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_
#define WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_

#include <optional>
#include <string>
#include <string_view>

#include "converter/base/faults.h"
#include "converter/plan/problem.h"

namespace weft::plan {

// Optional columns are left out if no buffer needs them. A comma or a control character in a name
// becomes "_". If a placement is given, the offsets are those of the placement.
std::string ToCsv(const Problem& problem, const Placement* placement = nullptr);

// Returns nullopt if and only if an error was added: one for each invalid line. `where` names the
// text in error messages: "problem.csv".
std::optional<Problem> FromCsv(std::string_view text, std::string_view where, Faults& faults);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_
