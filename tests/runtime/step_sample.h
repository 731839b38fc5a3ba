// SPDX-License-Identifier: Apache-2.0
// A valid model of one step, which tests modify (samples.h).
#ifndef WEFT_TESTS_RUNTIME_STEP_SAMPLE_H_
#define WEFT_TESTS_RUNTIME_STEP_SAMPLE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/listing_builder.h"

namespace weft::test {

// The only step is step 0; its operands are slots 0, 1, ... in order, all in scratch. Inputs are
// input ports and outputs output ports.
struct StepSample {
  StepSample(format::Kind step_kind, std::vector<std::pair<ElementType, uint32_t>> slots)
      : kind(step_kind) {
    const format::Arity arity = format::kArity[static_cast<uint32_t>(kind)];
    for (uint32_t i = 0; i < slots.size(); ++i) {
      operands.push_back(builder.Scratch(slots[i].first, {slots[i].second}));
      if (i < arity.inputs) {
        builder.Input(operands[i], {"x" + std::to_string(i)});
      } else {
        builder.Output(operands[i], {"y" + std::to_string(i)});
      }
    }
  }
  template <typename Params>
  StepSample&& With(const Params& params) && {
    builder.Step(kind, params, operands);
    return std::move(*this);
  }
  format::Kind kind;
  ListingBuilder builder;
  std::vector<SlotIndex> operands;
};

namespace samples {

// A valid step of the kind, one function per row of ops.inc; a row without a function does not
// compile.
template <format::Kind kind>
StepSample SampleOf() = delete;

}  // namespace samples
}  // namespace weft::test

#endif  // WEFT_TESTS_RUNTIME_STEP_SAMPLE_H_
