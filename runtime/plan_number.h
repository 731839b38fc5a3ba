// SPDX-License-Identifier: Apache-2.0
// The plan hash: one number for the data flow of a step list. The steps are executed in the order
// of the engine, over the same memory, but no step computes: each writes hash bytes to its outputs,
// which depend on its kind, its parameters and all bytes that it reads. Copies move hash bytes.
// Several runs take different paths through conditions and loops. The result combines the hashes of
// the outputs and variables after these runs with the names, element types, dims, sizes and length
// axes of the ports.
//
// The hash covers everything that determines the results of a caller who finds ports by index or by
// name. It does not change if the computation is the same:
//   - other addresses, slots, regions or orders through which every step reads the same values;
//   - an operand, initial value or output that names another slot of equal contents and
//   description;
//   - bytes that no step reads: unused constants, slots and parameters, dims of slots that are no
//     port;
//   - notes that no engine reads: layer names, buffers, the self test and the notes on streaming.
// A copy of weights in scratch counts as the weights. The hash changes if a run overwrites it.
// Bytes of the state that belong to no variable, and scratch that no step has written, are unknown.
//
// Two step lists of one program have the same hash wherever their values are stored, if every step
// reads the value that the program defines. The hash changes if a value was overwritten or never
// written, or with another order of steps, stride, variable or weight; one such change in about
// four billion goes undetected. So the hash also detects overlaps within a buffer, which the plan
// validator (converter/plan/validator.h) does not see. The validator proves what it sees for all
// paths; the hash tries some paths.
//
// Two plans of a program may differ only in the bytes after the true length of outputs of run-time
// length, which nothing uses, and therefore in their hashes.
#ifndef WEFT_RUNTIME_PLAN_NUMBER_H_
#define WEFT_RUNTIME_PLAN_NUMBER_H_

#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {

// The text in `generator` before the plan hash, which has kPlanNumberDigits hexadecimal digits. The
// text changes with the definition of the hash, so that a hash of another definition counts as
// none.
inline constexpr char kPlanNumberText[] = "; plan-2 ";
inline constexpr uint32_t kPlanNumberDigits = 8;

// Returns the stored hash, or 0 if the file has none.
uint32_t StoredPlanNumber(const format::Model& model);

// Computes the hash of a model that verify.cc has accepted, in memory for its regions (as in
// Engine), which it overwrites completely. `table` may have any size and alignment; it stores the
// hashes of constants, so that loops need not compute them again (PlanTableBytes). Returns 0 if it
// is more work than about a second on a desktop, else a number above 0 that is the same on every
// target. The work counts every byte that is hashed or copied: operands, ports, variables,
// conditions, and state and scratch before each run.
uint32_t PlanNumber(const format::Model& model, const StepEntry* entries, std::byte* const* regions,
                    Block table);

}  // namespace weft

#endif  // WEFT_RUNTIME_PLAN_NUMBER_H_
