// SPDX-License-Identifier: Apache-2.0
// Convolutions of one tap as dense products: each pixel is a row. If the pixels of x or y are not
// evenly spaced contiguous rows, as in channel planes, they are copied to such rows and back.
#ifndef WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_

#include <optional>

#include "converter/program/builder.h"

namespace weft::program {

// The equivalent dense product, with the packed weights as they are and the bias as start.
struct ConvRows {
  format::DenseParams product;
  // True if x or y of the convolution is used directly; otherwise it is copied to a value [batch,
  // out_height, out_width, channels].
  bool has_own_x = true, has_own_y = true;
};
// Returns nullopt if the convolution has several taps, groups, padding or no output. Layout and the
// number of time steps per run must not decide how a convolution is computed, so nothing else is
// checked.
std::optional<ConvRows> ConvRowsOf(const format::ConvParams& params);

// Dims and strides of the pixels and channels of a map, as stored for the convolution and as rows.
struct Pixels {
  Dims dims, strides;
  Dims row_strides() const { return DenseStrides(dims); }
};
// Pixels and channels of x, as far as the convolution reads them, and of y.
Pixels InputPixels(const format::ConvParams& conv);
Pixels OutputPixels(const format::ConvParams& conv);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CONV_ROWS_H_
