// SPDX-License-Identifier: Apache-2.0
// Convolution in integers: the patch of each output pixel, its taps in the order (ky, kx, c), those
// outside the input as zeros, is a row of dense_i8.h with a greatest magnitude of its own, so that
// an output depends on nothing but its patch: a stream that gets its input piece by piece has the
// same bits. Fast where channels lie beside each other in x and in y. y must not overlap an
// operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_CONV_I8_H_
#define WEFT_KERNELS_MATRIX_CONV_I8_H_

#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense_i8.h"

namespace weft::kernels {

// `most` as that of DenseI8Shape; at most MostFor(taps times in_channels). Where it is 0, x is of
// i16.
struct ConvI8Shape : ConvShape {
  uint32_t most = 0;
};

// Pixels whose patches lie in memory at one time.
constexpr uint32_t ConvI8Pixels(uint32_t out_height, uint32_t out_width) {
  const uint64_t pixels = uint64_t{out_height} * out_width;
  return pixels < kDenseI8Rows ? static_cast<uint32_t>(pixels) : kDenseI8Rows;
}
// Of `patches`: their inputs, and their outputs where channels of y lie apart.
constexpr uint64_t ConvI8PatchFloats(uint32_t pixels, uint32_t inputs, uint32_t out_channels,
                                     uint32_t y_channel) {
  const uint64_t outputs = y_channel == 1 || out_channels == 1 ? 0 : out_channels;
  return pixels * (inputs + outputs);
}

// `weights` and `scales` are those of DenseI8 for one group after the other, their inputs
// [ky][kx][in_channel]; scratch holds DenseI8ScratchShorts(ConvI8Pixels, inputs). `bias` may be
// null, else it has groups * out_channels floats.
void ConvI8(const ConvI8Shape& shape, const void* x, const int8_t* weights, const float* scales,
            const float* bias, float* y, float* patches, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_I8_H_
