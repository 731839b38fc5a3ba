// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one line as matrices of real numbers. A complex number is two
// neighbours: real part, imaginary part. Coefficients are computed in float64 and rounded once;
// those of whole quarter turns are exact.
#ifndef WEFT_CONVERTER_OPS_FOURIER_H_
#define WEFT_CONVERTER_OPS_FOURIER_H_

#include <cstdint>

#include "converter/ops/line_matrix.h"

namespace weft::ops {

// Complex to complex, of `size`; the line gives the first `given` of its numbers, zeros follow. The
// inverse divides by size.
LineMatrix ComplexTransform(int64_t size, int64_t given, bool inverse);
// Real to the first size / 2 + 1 complex numbers, which hold all there is of a real line.
LineMatrix RealTransform(int64_t size, int64_t given);
// Back to `size` real numbers from the first `given` of size / 2 + 1 complex ones. The imaginary
// part of the first, and of the last where size is even, changes nothing.
LineMatrix InverseRealTransform(int64_t size, int64_t given);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_FOURIER_H_
