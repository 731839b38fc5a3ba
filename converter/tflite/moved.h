// SPDX-License-Identifier: Apache-2.0
// Shared by operators that move elements.
#ifndef WEFT_CONVERTER_TFLITE_MOVED_H_
#define WEFT_CONVERTER_TFLITE_MOVED_H_

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Sets output 0 to a value whose elements are elements of the inputs from `first` on. Quantises the
// value unless these inputs have the quantisation parameters of the output.
void SetJoined(Builder& b, size_t first, ir::Source value);
// Returns true if the file states the extent of the axis, of all axes.
bool IsKnown(const Tensor& tensor, size_t axis);
bool HasKnownShape(const Tensor& tensor);
// A scalar 0 of the type that the tensor's values have in the graph.
ir::Source ZeroLike(Builder& b, const Tensor& tensor);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_MOVED_H_
