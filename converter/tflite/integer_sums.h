// SPDX-License-Identifier: Apache-2.0
// Operators whose codes tflite-micro computes from integer sums, and for which no step of codes
// exists: their layers are integers. Sums of int8 codes have 32 bits, those of int16 codes 64 bits.
#ifndef WEFT_CONVERTER_TFLITE_INTEGER_SUMS_H_
#define WEFT_CONVERTER_TFLITE_INTEGER_SUMS_H_

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Returns true if inputs 0 to `inputs` - 1 and output 0 are codes of the type, i8 or i16, with one
// scale each, to be computed as tflite-micro does. Zero points of i16 are 0.
bool HasSums(const Builder& b, size_t inputs, schema::ElementType type = schema::ElementType::i8);
// The codes of an input minus its zero point, in the type of sums.
ir::Source CentredCodes(Builder& b, size_t input);
// Sets output 0 to sums times `factor`, limited by the activation.
void SetFromSums(Builder& b, ir::Source sums, double factor,
                 schema::Activation activation = schema::Activation::none);
// The terms of ADD_N and CUMSUM, whose sums are rounded with 19 more bits: the centred int8 codes
// of an input times 2^19.
ir::Source Term(Builder& b, size_t input);
// Sets output 0 to sums of terms of the scale of input 0. As in tflite-micro, each begins with the
// negative zero point of that input.
void SetFromTerms(Builder& b, ir::Source sums);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_INTEGER_SUMS_H_
