// SPDX-License-Identifier: Apache-2.0
// Weights of products of values on levels (dense_q8, conv_q8, depthwise_q8): integers of i8 from
// the start, which nothing rounds any more.
#ifndef WEFT_CONVERTER_PROGRAM_LEVEL_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_LEVEL_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "converter/program/narrow_weights.h"

namespace weft::plan {

// How many weights such a product has, its filling left out; 0 of any other step.
int64_t LevelWeightsOf(const Step& step);

// Those of all layers; their bytes are all that the product reads besides its data, each constant
// counted once. Before: the same weights in f32.
std::vector<LayerWeights> LevelWeights(const Program& program);

// A warning for each layer that is named for other weights than these or those of f32.
void CheckLevelWeights(const Program& program, const Precisions& precisions, Faults& faults);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_LEVEL_WEIGHTS_H_
