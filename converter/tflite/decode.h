// SPDX-License-Identifier: Apache-2.0
// TFLM_DECODE, a custom operator of TensorFlow Lite for Microcontrollers: constants that are
// compressed by a table of values, by pruning or by Huffman codes.
#ifndef WEFT_CONVERTER_TFLITE_DECODE_H_
#define WEFT_CONVERTER_TFLITE_DECODE_H_

#include "converter/tflite/model.h"

namespace weft::tflite {

inline constexpr const char* kDecode = "TFLM_DECODE";

// Sets the constants of all tensors that are outputs of the operator. `where` is its place; adds
// faults that start with it.
void DecodeConstants(const Operator& op, const std::string& where, Subgraph& subgraph,
                     Faults& faults);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_DECODE_H_
