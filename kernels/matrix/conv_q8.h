// SPDX-License-Identifier: Apache-2.0
// Convolution of levels: the window of each output pixel, tap after tap with its channels, is a row
// of dense_q8.h, in which x_zero stands for what lies outside the input. Fast where channels lie
// beside each other in x and in y. y must not overlap an operand. The caller owns all memory.
#ifndef WEFT_KERNELS_MATRIX_CONV_Q8_H_
#define WEFT_KERNELS_MATRIX_CONV_Q8_H_

#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// At most kMostProducts taps times input channels of a group.
struct ConvQ8Shape : ConvShape {
  ResultsQ8 results;
  int8_t x_zero = 0;
};

// Patches that lie in scratch at one time.
inline constexpr uint32_t kPatches = 4;

// True where each output pixel is made of one pixel of x, which then is a row as it lies there. Of
// the parameters of a step, which have these numbers.
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

// Of scratch, which nothing needs where the convolution is direct. `inputs` are taps times input
// channels, of which patches have whole blocks.
constexpr uint64_t ConvQ8ScratchBytes(bool is_direct, uint32_t inputs) {
  return is_direct ? 0 : kPatches * PaddedInputs(inputs);
}

// `weights` are those of each group as PackDenseI8 lays them out, of rows [ky][kx][in_channel];
// `factors` have a number for each output channel of all groups. With scratch null the convolution
// is direct.
void ConvQ8(const ConvQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const FactorsQ8& factors, void* y, int8_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_CONV_Q8_H_
