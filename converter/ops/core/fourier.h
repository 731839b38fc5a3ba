// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one line as matrices of real numbers. A complex number is two
// adjacent floats: real part, imaginary part. Coefficients are computed in float64 and rounded
// once; those at multiples of 90 degrees are exact.
#ifndef WEFT_CONVERTER_OPS_CORE_FOURIER_H_
#define WEFT_CONVERTER_OPS_CORE_FOURIER_H_

#include <cstdint>

#include "converter/ops/core/line_matrix.h"

namespace weft::ops {

// Complex to complex, of `size`. The line supplies the first `given` numbers, followed by zeros.
// The inverse divides by size.
LineMatrix ComplexTransform(int64_t size, int64_t given, bool inverse);
// Real to the first size / 2 + 1 complex numbers; the others are their conjugates.
LineMatrix RealTransform(int64_t size, int64_t given);
// Complex to `size` real numbers, from the first `given` of size / 2 + 1. The imaginary part of
// the first, and of the last if size is even, is ignored.
LineMatrix InverseRealTransform(int64_t size, int64_t given);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_FOURIER_H_
