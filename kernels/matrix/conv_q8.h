// SPDX-License-Identifier: Apache-2.0
// Convolution of quantised values. The window of each output pixel, tap after tap with its
// channels, is a row of dense_q8.h, with x_zero for taps outside the input. Fast if channels are
// contiguous in x and in y. y must not overlap an operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_CONV_Q8_H_
#define WEFT_KERNELS_MATRIX_CONV_Q8_H_

#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// taps * in_channels is at most kMaxProducts.
struct ConvQ8Shape : ConvShape {
  ResultsQ8 results;
  int8_t x_zero = 0;
};

// Number of patches in scratch at the same time.
inline constexpr uint32_t kPatches = 4;

// Returns true if each output pixel depends on exactly one pixel of x, which then is used as a row
// in place. Params are the parameters of a step.
template <typename Params>
constexpr bool ConvQ8IsDirect(const Params& p) {
  const auto inside = [](uint32_t out, uint32_t stride, uint32_t in) {
    return out == 0 || uint64_t{out - 1} * stride < in;
  };
  return p.kernel_height() == 1 && p.kernel_width() == 1 && p.pad_top() == 0 && p.pad_left() == 0 &&
         inside(p.out_height(), p.stride_y(), p.in_height()) &&
         inside(p.out_width(), p.stride_x(), p.in_width()) &&
         (p.in_channels() == 1 || p.x().channel() == 1);
}

// Size of scratch, 0 if the convolution is direct. `inputs` is taps * in_channels; patches are
// padded to complete blocks.
constexpr uint64_t ConvQ8ScratchBytes(bool is_direct, uint32_t inputs) {
  return is_direct ? 0 : kPatches * PaddedInputs(inputs);
}

// `weights` are those of each group as PackDenseI8 lays them out, with rows [ky][kx][in_channel].
// `factors` have one element per output channel of all groups. If scratch is null the convolution
// is direct.
void ConvQ8(const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const FactorsQ8& factors, void* y, int8_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_Q8_H_
