// SPDX-License-Identifier: Apache-2.0
// The footprints of all steps, for visitors of any step.
#ifndef WEFT_RUNTIME_FOOTPRINT_STEPS_H_
#define WEFT_RUNTIME_FOOTPRINT_STEPS_H_

#include "runtime/footprint/detection.h"
#include "runtime/footprint/elementwise.h"
#include "runtime/footprint/fourier.h"
#include "runtime/footprint/matrix.h"
#include "runtime/footprint/movement.h"
#include "runtime/footprint/recurrent.h"
#include "runtime/footprint/reduce.h"
#include "runtime/footprint/signal.h"

namespace weft::footprint {

// Returns true if a step writes output `output` over input `input` without an effect on the result.
// Both are numbered as operands.
template <typename Params>
bool MayShare(const Params& params, uint32_t input, uint32_t output) {
  struct Sharing : Visitor {
    uint32_t input, output;
    bool found = false;
    void MayShare(uint32_t i, uint32_t o, bool holds) {
      if (i == input && o == output) found = holds;
    }
  } sharing;
  sharing.input = input;
  sharing.output = output;
  Visit(params, sharing);
  return sharing.found;
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_STEPS_H_
