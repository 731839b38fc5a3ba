// SPDX-License-Identifier: Apache-2.0
// Fuses matrix steps (dense, conv, depthwise) with the addition and the function after them, so
// that neither needs a separate pass over memory:
//   dense; add a constant for each output  ->  dense with start; in a loop also computed rows
//   dense; clamp to [-c, c]; sigmoid  ->  dense with clip c and sigmoid
// Quantised products with float results are fused with a function as well. A sum that starts from
// the bias rounds differently from a sum with the bias added last, by about one rounding; nothing
// else changes.
#ifndef WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_
#define WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_

#include <cstdint>
#include <optional>

#include "converter/base/element_type.h"
#include "converter/base/narrow.h"
#include "converter/program/program.h"

namespace weft::program {

// Fuses within each block, never across its border. In a loop body this must run before the buffers
// of carried states are chosen, because a fused step cannot write over what it reads.
void FuseTails(Program& program);

// Returns the first `count` numbers of an array field of params.
template <typename Array>
Dims Listed(const Array* array, uint32_t count) {
  Dims values;
  for (uint32_t i = 0; i < count; ++i) values.push_back(array->Get(Narrow<uint16_t>(i, "rank")));
  return values;
}

// Converts the strides of a traversal over `dims` to strides over `wanted`: other dims with as many
// elements in the same order. Returns nullopt if a wanted axis has no constant stride; axes of one
// element get stride 0. An addend can be fused only if its strides can be converted to the
// product's axes.
std::optional<Dims> StridesOver(Dims dims, Dims strides, const Dims& wanted);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_
