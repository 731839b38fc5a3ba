// SPDX-License-Identifier: Apache-2.0
// The loop of an elementwise function of integers, booleans or raw bits over contiguous arrays. It
// computes 16 results into a local array and then stores them: compilers vectorise a loop of
// constant length whose results overlap no operand, even at -O2. On a microcontroller it processes
// one element at a time, which needs less code. Internal to the kernels.
#ifndef WEFT_KERNELS_ELEMENTWISE_MAP_ELEMENTS_H_
#define WEFT_KERNELS_ELEMENTWISE_MAP_ELEMENTS_H_

#include <cstring>

#include "kernels/element.h"

namespace weft::kernels {

// y[i] = function(x[i]...) for i < count. y may be an x with elements of the same size.
template <typename Y, class Function, typename... X>
inline void MapElements(const Function& function, size_t count, Y* y, const X*... x) {
  size_t i = 0;
  if (!kIsMicrocontroller) {
    constexpr size_t kPiece = 16;
    for (; count - i >= kPiece; i += kPiece) {
      Y piece[kPiece];
      for (size_t j = 0; j < kPiece; ++j) piece[j] = function(x[i + j]...);
      std::memcpy(y + i, piece, sizeof piece);
    }
  }
  for (; i < count; ++i) y[i] = function(x[i]...);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_MAP_ELEMENTS_H_
