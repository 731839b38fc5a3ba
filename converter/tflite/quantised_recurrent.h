// SPDX-License-Identifier: Apache-2.0
// Integer LSTM and SVDF, with the rounding of TensorFlow Lite. Their states are codes.
#ifndef WEFT_CONVERTER_TFLITE_QUANTISED_RECURRENT_H_
#define WEFT_CONVERTER_TFLITE_QUANTISED_RECURRENT_H_

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Both return false, and add nothing, if the operator is not of integers. Otherwise they add its
// layers or a fault.
bool QuantisedLstm(Builder& b);
bool QuantisedSvdf(Builder& b);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_QUANTISED_RECURRENT_H_
