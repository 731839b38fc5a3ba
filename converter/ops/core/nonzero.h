// SPDX-License-Identifier: Apache-2.0
// The step that finds nonzero elements, for lowerings of any family.
#ifndef WEFT_CONVERTER_OPS_CORE_NONZERO_H_
#define WEFT_CONVERTER_OPS_CORE_NONZERO_H_

#include "converter/ops/operation.h"

namespace weft::ops {

// Writes the coordinates and the number of the nonzero elements of x [batch, dims ...] to places
// [batch, dims.size(), most] and counts [batch] (i32).
void EmitNonZeroIndices(program::Builder& builder, int64_t batch, const Dims& dims, int64_t max,
                        program::ValueId x, program::ValueId positions, program::ValueId counts);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_NONZERO_H_
