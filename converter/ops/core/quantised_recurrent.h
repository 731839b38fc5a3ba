// SPDX-License-Identifier: Apache-2.0
// Integer recurrent layers of TensorFlow Lite (kernels/recurrent/lstm_q8.h, svdf_q8.h). Readers
// create them, because only their files state how numbers are rounded.
#ifndef WEFT_CONVERTER_OPS_CORE_QUANTISED_RECURRENT_H_
#define WEFT_CONVERTER_OPS_CORE_QUANTISED_RECURRENT_H_

#include <cstddef>

namespace weft::ops {

// x [batch, inputs] and h [batch, outputs] of i8 (or both of i16), c i16 [batch, cells], W i8
// [gates * cells, inputs], R i8 [gates * cells, outputs], numbers i32 as the kernel has them. Gates
// are in order f i c o, without i if they are coupled. Outputs: h' [batch, cells] and c' i16
// [batch, cells].
inline constexpr const char* kQuantizedLstmCell = "QuantizedLSTMCell";
inline constexpr size_t kLstmX = 0, kLstmH = 1, kLstmC = 2, kLstmW = 3, kLstmR = 4,
                        kLstmNumbers = 5;

// Attributes. Multipliers are lists of four mantissas, then four exponents, in the order of gates;
// `result` has one of each.
inline constexpr const char* kLstmOfX = "of_x";
inline constexpr const char* kLstmOfH = "of_h";
inline constexpr const char* kLstmOfC = "of_c";        // with peepholes
inline constexpr const char* kLstmOfNorm = "of_norm";  // with normalisation
inline constexpr const char* kLstmMinVariance = "min_variance";
inline constexpr const char* kLstmResult = "result";
inline constexpr const char* kLstmZero = "zero";
inline constexpr const char* kLstmCellClip = "cell_clip";
inline constexpr const char* kLstmCellPower = "cell_power";
inline constexpr const char* kLstmRounding = "rounding";  // micro or litert
inline constexpr const char* kLstmCoupled = "coupled";

// x i8 [batch, inputs], feature weights i8 [filters, inputs], time weights [filters, memory],
// numbers i32 as the kernel has them, state [batch, filters, memory]. Time weights and state are
// i16 or i8. Outputs: y i8 [batch, units] and the next state. Attributes: the multipliers "of_x"
// and "of_state", rank, and zero, low and high of y (quantised.h).
inline constexpr const char* kQuantizedSvdf = "QuantizedSVDF";
inline constexpr size_t kSvdfX = 0, kSvdfFeature = 1, kSvdfTime = 2, kSvdfNumbers = 3,
                        kSvdfState = 4;
inline constexpr const char* kSvdfOfX = "of_x";
inline constexpr const char* kSvdfOfState = "of_state";
inline constexpr const char* kSvdfRank = "rank";

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_QUANTISED_RECURRENT_H_
