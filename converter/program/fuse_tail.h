// SPDX-License-Identifier: Apache-2.0
// Lets matrix steps (dense, conv, depthwise) begin at what is added to their result and end in the
// function applied to it, so that neither costs a pass over memory of its own:
//   dense; add a constant for each output  ->  dense with start; in a loop also computed rows
//   dense; clamp to [-c, c]; sigmoid  ->  dense with clip c and sigmoid
// Products of levels end in a function, too, where their results are floats.
// A chain that begins at the bias rounds differently from one that ends there, by about the
// rounding of one addition; nothing else changes.
#ifndef WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_
#define WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_

#include <cstdint>
#include <optional>

#include "converter/base/element_type.h"
#include "converter/base/narrow.h"
#include "converter/program/program.h"

namespace weft::plan {

// Fuses inside every block, never across the border of one. In the body of a loop this comes before
// the homes of carried states are chosen, since a fused step cannot write over what it reads.
void FuseTails(Program& program);

// The first numbers of a field of params.
template <typename Array>
Dims Listed(const Array* array, uint32_t count) {
  Dims values;
  for (uint32_t i = 0; i < count; ++i) values.push_back(array->Get(Narrow<uint16_t>(i, "rank")));
  return values;
}

// The strides of a walk over `dims`, expressed over `wanted`: other dims of as many elements in the
// same order. Nullopt where a wanted axis is not walked evenly; axes of one element get stride 0.
// An addend fits a product only where its strides can be expressed over the product's axes.
std::optional<Dims> StridesOver(Dims dims, Dims strides, const Dims& wanted);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_FUSE_TAIL_H_
