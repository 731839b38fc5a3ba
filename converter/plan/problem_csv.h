// SPDX-License-Identifier: Apache-2.0
// A Problem as text, in the form that the MiniMalloc benchmarks have:
//
//   id,lower,upper,size,alignment,gaps,offset
//   h,0,3,64,16,,
//   gates,3,21,256,16,7-9 12-14,128
//
// Times are half-open, gaps are BEGIN-END with a space between two, an offset fixes its buffer's
// place. Columns stand in any order; alignment, gaps, offset, hint, traffic and near may be absent,
// and so may their cells. traffic (bytes of one run) and near are weft's own: near is
// X:BEFORE:BEHIND with a space between two, X the number of another line of buffers, from 0, and
// the line's own buffer the y of the pair. Memories are no part of the text: a problem that is read
// has one, without a capacity. No field is quoted.
#ifndef WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_
#define WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_

#include <optional>
#include <string>
#include <string_view>

#include "converter/base/faults.h"
#include "converter/plan/problem.h"

namespace weft::plan {

// Optional columns are left out where no buffer needs them. A comma or a control character in a
// name becomes "_". With a placement the offsets are those it gives.
std::string ToCsv(const Problem& problem, const Placement* placement = nullptr);

// Nullopt exactly when a fault was added: one for each line that is wrong. `where` names the text
// in them: "problem.csv".
std::optional<Problem> FromCsv(std::string_view text, std::string_view where, Faults& faults);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PROBLEM_CSV_H_
