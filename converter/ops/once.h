// SPDX-License-Identifier: Apache-2.0
// A loop of one iteration, laid down without a section. Its results have the bits of an iteration
// of a longer loop: what a section's border would keep apart stays apart.
#ifndef WEFT_CONVERTER_OPS_ONCE_H_
#define WEFT_CONVERTER_OPS_ONCE_H_

#include "converter/ops/loop.h"

namespace weft::ops {

// `spec.trips` is 1 and nothing ends the loop before.
LoopResults LowerOnce(plan::Builder& builder, const LoopSpec& spec, const LowerBody& body);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_ONCE_H_
