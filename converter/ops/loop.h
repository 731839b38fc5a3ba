// SPDX-License-Identifier: Apache-2.0
// One way to turn "do this N times" into a section: TensorIterator, Loop and the sequence
// operations all describe themselves as a LoopSpec and hand over a function that lowers one
// iteration's body. The body is lowered once; plan/loops/loops.h decides what the loop costs.
#ifndef WEFT_CONVERTER_OPS_LOOP_H_
#define WEFT_CONVERTER_OPS_LOOP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "converter/program/builder.h"

namespace weft::ops {

// `trips` chunks of `part` elements of an axis, from element `begin` on; backward takes the last
// first.
struct SlicedInput {
  plan::ValueId value = plan::kNone;
  int64_t axis = 0;
  int64_t part = 1;
  bool backward = false;
  int64_t begin = 0;
};

struct CarriedState {
  plan::ValueId initial = plan::kNone;
  size_t result = 0;  // of the body, becomes the state of the next iteration
};

// Result `result` of every iteration, concatenated on `axis`.
struct ScanOutput {
  size_t result = 0;
  int64_t axis = 0;
  bool backward = false;
  TensorType type;  // of the whole output
  // Where the caller wants the chunks, time first, with one free chunk before them (behind them,
  // when backward); kNone leaves that to the planner.
  plan::ValueId whole = plan::kNone;
  int64_t base_bytes = 0;
};

// Result `result` of the last iteration.
struct LastValue {
  size_t result = 0;
  TensorType type;
};

// Ends a loop before `trips` iterations, by run-time values.
struct EarlyEnd {
  plan::ValueId trip = plan::kNone;             // i32 or i64; a negative count means no limit
  plan::ValueId first_condition = plan::kNone;  // boolean; false: no iteration at all
  std::optional<size_t> body_condition;         // result; false: the iteration was the last
  bool possible() const {
    return trip != plan::kNone || first_condition != plan::kNone || body_condition.has_value();
  }
};

struct LoopSpec {
  int64_t trips = 0;  // how many; at most so many when the loop may end early
  // With an early end only: going on after `trips` iterations is a fault of the run, not the end.
  bool limited = false;
  EarlyEnd end;
  std::vector<SlicedInput> sliced;
  std::vector<CarriedState> carried;
  std::vector<ScanOutput> scans;
  std::vector<LastValue> lasts;
  std::optional<TensorType> iteration;  // of the iteration's number, when the body reads it
};

struct Iteration {
  std::vector<plan::ValueId> slices;  // one per sliced input, of the chunk's shape
  std::vector<plan::ValueId> states;  // one per carried state
  plan::ValueId index = plan::kNone;  // holds i, when the spec asks for it
};
// Emits one iteration at the builder's block and returns the body's results.
using LowerBody = std::function<std::vector<plan::ValueId>(const Iteration&)>;

// After no iteration at all the last value of a carried result is the state's initial value, of any
// other result zeros; scan outputs then have extent 0.
struct LoopResults {
  std::vector<plan::ValueId> scans, lasts;
  plan::ValueId length = plan::kNone;  // i32, the iterations done; kNone when `trips` says it
};

// Calls `body` once, or not at all for a loop without iterations.
LoopResults LowerLoop(plan::Builder& builder, const LoopSpec& spec, const LowerBody& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LOOP_H_
