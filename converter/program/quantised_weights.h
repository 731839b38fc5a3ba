// SPDX-License-Identifier: Apache-2.0
// Weights of quantised products (dense_q8, conv_q8, depthwise_q8), which are i8 in the model and
// are never rounded again.
#ifndef WEFT_CONVERTER_PROGRAM_QUANTISED_WEIGHTS_H_
#define WEFT_CONVERTER_PROGRAM_QUANTISED_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "converter/program/narrow_weights.h"

namespace weft::program {

// Returns the number of weights of such a product, without padding; 0 for other steps.
int64_t QuantisedWeightsOf(const Step& step);

// Returns a row for each such product. Its bytes are those of all constants that the product reads
// in addition to its data, each counted once; bytes_before is the size of the weights in f32.
std::vector<LayerWeights> QuantisedWeights(const Program& program);

// Warns about each layer for which --precision names a type other than i8 or f32.
void CheckQuantisedWeights(const Program& program, const Precisions& precisions, Faults& faults);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_QUANTISED_WEIGHTS_H_
