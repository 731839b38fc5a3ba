// SPDX-License-Identifier: Apache-2.0
// Convolutions of one tap are dense products: each place is a row. Where the places of x or of y
// are no evenly spaced rows of neighbours, as with planes, they are moved to such rows and back.
#ifndef WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_

#include <optional>

#include "converter/program/builder.h"

namespace weft::plan {

// The product of dense with weights as they are packed and bias as start.
struct ConvRows {
  format::DenseParams product;
  // Are x and y the convolution's own? Else values [batch, out_height, out_width, channels].
  bool has_own_x = true, has_own_y = true;
};
// Nullopt where the convolution has several taps, groups, padding or no output. What else it is
// depends on layout and on how many steps a run takes, and must not decide how it is computed.
std::optional<ConvRows> ConvRowsOf(const format::ConvParams& params);

// The places of a map as steps of x and y have them, and as rows.
struct Places {
  Dims dims, strides;
  Dims row_strides() const { return DenseStrides(dims); }
};
Places InputPlaces(const format::ConvParams& conv);
Places OutputPlaces(const format::ConvParams& conv);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_
