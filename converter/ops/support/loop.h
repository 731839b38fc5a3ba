// SPDX-License-Identifier: Apache-2.0
// Lowers N iterations to a section. TensorIterator, Loop and the sequence operations describe
// themselves as a LoopSpec and pass a function that lowers the body of one iteration. The body is
// lowered once; plan/loops/loops.h decides how the loop is executed.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_LOOP_H_
#define WEFT_CONVERTER_OPS_SUPPORT_LOOP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "converter/program/builder.h"

namespace weft::ops {

// `trips` chunks of `part` elements along an axis, from element `begin` on; `backward` reads the
// last chunk first.
struct SlicedInput {
  program::ValueId value = program::kNone;
  int64_t axis = 0;
  int64_t part = 1;
  bool backward = false;
  int64_t begin = 0;
};

// A state that an iteration passes to the next.
struct CarriedState {
  program::ValueId initial = program::kNone;
  size_t result = 0;  // of the body: the state of the next iteration
};

// Result `result` of all iterations, concatenated along `axis`.
struct ScanOutput {
  size_t result = 0;
  int64_t axis = 0;
  bool backward = false;
  TensorType type;  // of the complete output
  // The buffer that the caller requires for the chunks: time first, with one free chunk before them
  // (after them if backward). kNone leaves it to the planner.
  program::ValueId whole = program::kNone;
  int64_t base_bytes = 0;
};

// Result `result` of the last iteration.
struct LastValue {
  size_t result = 0;
  TensorType type;
};

// Run-time values that end a loop before `trips` iterations.
struct EarlyEnd {
  program::ValueId trip = program::kNone;             // i32 or i64; a negative count means no limit
  program::ValueId first_condition = program::kNone;  // boolean; false: no iteration
  std::optional<size_t> body_condition;               // result; false: the iteration was the last
  bool possible() const {
    return trip != program::kNone || first_condition != program::kNone ||
           body_condition.has_value();
  }
};

// A loop for LowerLoop.
struct LoopSpec {
  int64_t trips = 0;  // the number of iterations, or their maximum if the loop may end early
  // With an early end only: reaching `trips` iterations without an end is an error of the run.
  bool limited = false;
  EarlyEnd end;
  std::vector<SlicedInput> sliced;
  std::vector<CarriedState> carried;
  std::vector<ScanOutput> scans;
  std::vector<LastValue> lasts;
  std::optional<TensorType> iteration;  // type of the iteration counter, if the body reads it
};

// The values that the body of one iteration reads.
struct Iteration {
  std::vector<program::ValueId> slices;  // one per sliced input, with the chunk's shape
  std::vector<program::ValueId> states;  // one per carried state
  program::ValueId index =
      program::kNone;  // holds the iteration counter i, if the spec requests it
};
// Emits one iteration at the builder's block and returns the body's results.
using LowerBody = std::function<std::vector<program::ValueId>(const Iteration&)>;

// After zero iterations the last value of a carried result is the state's initial value, and that
// of any other result is zeros. Scan outputs then have extent 0.
struct LoopResults {
  std::vector<program::ValueId> scans, lasts;
  // i32, the number of iterations done; kNone if it is always `trips`
  program::ValueId length = program::kNone;
};

// Calls `body` once, or not at all if the loop has no iterations.
LoopResults LowerLoop(program::Builder& builder, const LoopSpec& spec, const LowerBody& body);

// Emits the steps of `body` in a section that runs if the boolean `condition` equals `runs_when`.
void EmitIf(program::Builder& builder, program::ValueId condition, bool runs_when,
            const std::function<void()>& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_LOOP_H_
