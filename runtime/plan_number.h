// SPDX-License-Identifier: Apache-2.0
// What the steps of a listing make of what, as one number. The listing is walked as the engine
// walks it, over the same memory, but no step computes: each numbers the bytes that it writes by
// its kind, its parameters and the numbers of all bytes that it reads. Copies move numbers. The
// outputs' and variables' numbers, after runs that take several ways through conditions and loops,
// are the result, with the names, element types, dims, sizes and length axes of the ports.
//
// The number covers everything that decides what a caller computes who finds ports by index or by
// name. It does not change where the computation is the same:
//   - other addresses, slots, regions or orders through which every step reads the same values;
//   - an operand, initial value or output that names another slot of equal contents and
//   description;
//   - bytes that no step reads: unused constants, slots and parameters, dims of slots that are no
//   port;
//   - notes that no engine reads: layer names, buffers, the self test and the notes on streaming.
// Bytes of the state that no variable holds, and scratch that no step has written, are unknown.
//
// Two listings of one program have the same number however their values are placed, as long as
// every step reads what the program hands it: a value that was overwritten, or never written, a
// changed order of steps, another stride, another variable or another weight change it, but for one
// chance in about four billion. So it sees within a buffer what the plan validator
// (converter/plan/validator.h) does not; that one proves what it does see for all ways, this one
// tries some. Only behind the true length of outputs of run-time length, which nothing uses, may
// two plans of a program differ in bytes, and therefore in their numbers.
#ifndef WEFT_RUNTIME_PLAN_NUMBER_H_
#define WEFT_RUNTIME_PLAN_NUMBER_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// The text in `generator` behind which a file has its number, in so many hexadecimal digits. It
// changes with what the number covers, so that a number of another definition counts as none.
inline constexpr char kPlanNumberText[] = "; plan-2 ";
inline constexpr uint32_t kPlanNumberDigits = 8;

// 0 where the file has none.
uint32_t StoredPlanNumber(const format::Model& model);

// Of a model that verify.cc has accepted, over memory of its regions (as in Engine), all of which
// it overwrites. `table`, of any size and alignment, keeps numbers of constants, so that loops need
// not make them again (PlanTableBytes). 0 where it is more work than about a second of a desktop;
// never 0 else, and the same on every target. The work counts every byte that is numbered or
// copied: operands, ports, variables, conditions, and state and scratch before each run.
uint32_t PlanNumber(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
                    Block table);

}  // namespace weft

#endif  // WEFT_RUNTIME_PLAN_NUMBER_H_
