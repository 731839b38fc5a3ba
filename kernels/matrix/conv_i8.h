// SPDX-License-Identifier: Apache-2.0
// Convolution in integers. The patch of each output pixel holds its taps in the order (ky, kx, c),
// with zeros for taps outside the input. Each patch is a row of dense_i8.h with its own maximum
// magnitude, so that an output depends only on its patch: results are bit-identical if a stream
// gets its input in chunks. Fast if channels are contiguous in x and in y. y must not overlap an
// operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_CONV_I8_H_
#define WEFT_KERNELS_MATRIX_CONV_I8_H_

#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense_i8.h"

namespace weft::kernels {

// `max` as in DenseI8Shape; at most MaxFor(taps * in_channels). If it is 0, x is int16.
struct ConvI8Shape : ConvShape {
  uint32_t max = 0;
};

// Number of pixels whose patches are in memory at the same time.
constexpr uint32_t ConvI8Pixels(uint32_t out_height, uint32_t out_width) {
  const uint64_t pixels = uint64_t{out_height} * out_width;
  return pixels < kDenseI8Rows ? static_cast<uint32_t>(pixels) : kDenseI8Rows;
}
// Size of `patches`: the inputs of the pixels, and their outputs if channels of y are not
// contiguous.
constexpr uint64_t ConvI8PatchFloats(uint32_t pixels, uint32_t inputs, uint32_t out_channels,
                                     uint32_t y_channel) {
  const uint64_t outputs = y_channel == 1 || out_channels == 1 ? 0 : out_channels;
  return pixels * (inputs + outputs);
}

// `weights` and `scales` are those of DenseI8, group after group, with inputs [ky][kx][in_channel].
// scratch holds DenseI8ScratchShorts(ConvI8Pixels, inputs). `bias` may be null, else it has groups
// * out_channels floats.
void ConvI8(const ConvI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
            const float* bias, float* y, float* patches, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_I8_H_
