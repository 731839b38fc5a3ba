// SPDX-License-Identifier: Apache-2.0
// One way to turn "do this N times" into a section: TensorIterator, Loop and the sequence
// operations all describe themselves as a LoopSpec and hand over a function that lowers one
// iteration's body.
//
// Slices and scan outputs move with the iteration and cost no copy when every axis before the
// sliced one has size 1; otherwise one transpose outside the loop makes it so. For each carried
// state the cheapest form that is correct is taken:
//   through the scan output  the state is also concatenated: it is read from the slice before
//   in place                 every reader of the old state is done when the new one is written
//   shuttle                  two homes that swap roles; the body is then laid down twice
//   copy                     what is left: results that are no step's fresh work
#ifndef WEFT_CONVERTER_OPS_LOOP_H_
#define WEFT_CONVERTER_OPS_LOOP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "converter/plan/builder.h"

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
  // when backward); kNone leaves the choice to the loop.
  plan::ValueId whole = plan::kNone;
  int64_t base_bytes = 0;
};

struct LoopSpec {
  int64_t trips = 0;  // known before the run, at least 1
  std::vector<SlicedInput> sliced;
  std::vector<CarriedState> carried;
  std::vector<ScanOutput> scans;
  std::vector<size_t> lasts;  // results whose last value is wanted
  std::optional<TensorType>
      iteration;  // of the value that counts iterations, when the body reads one
};

struct Iteration {
  std::vector<plan::ValueId> slices;  // one per sliced input, of the chunk's shape
  std::vector<plan::ValueId> states;  // one per carried state
  plan::ValueId index = plan::kNone;  // holds i, when the spec asks for it
};
// Emits one iteration at the builder's block and returns the body's results.
using LowerBody = std::function<std::vector<plan::ValueId>(const Iteration&)>;

struct LoopResults {
  std::vector<plan::ValueId> scans, lasts;
};

LoopResults LowerLoop(plan::Builder& builder, const LoopSpec& spec, const LowerBody& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LOOP_H_
