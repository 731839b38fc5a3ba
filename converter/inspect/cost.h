// SPDX-License-Identifier: Apache-2.0
// Multiply-adds of one execution of a step, from its row of ops.inc; 0 for a step that enters a
// section. Taps in the padding and the padding of panels do not count.
#ifndef WEFT_CONVERTER_INSPECT_COST_H_
#define WEFT_CONVERTER_INSPECT_COST_H_

#include "runtime/format/listing.h"

namespace weft::inspect {

double MultiplyAdds(const format::Model& model, const format::Step& step);
// Likewise from the parameters of a step, for programs before they are written to a file.
#define WEFT_STEP(name, Name, ...) double MultiplyAdds(const format::Name##Params& p);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
// Bytes written by a step that only moves data.
double MovedBytes(const format::Model& model, const format::Step& step);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_COST_H_
