// SPDX-License-Identifier: Apache-2.0
// Results of dense_q8, conv_q8 and depthwise_q8 that are computed with floats, for the scalar
// target.
#define WEFT_DEFINES_FLOAT_RESULTS
#if defined(_WIN32)
#pragma GCC diagnostic ignored "-Waddress"  // of a function that this file defines
#endif
#include "kernels/matrix/dense_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/float_codes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/results_q8-inl.h"

#if defined(WEFT_SPLITS_FLOATS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void WriteFloatResults(const ResultsQ8& results, const Activation& activation, const int32_t* sums,
                       const FactorsQ8& factors, size_t outputs, void* y, size_t position,
                       size_t stride) {
  AnyResultWriter(results, activation).Write(sums, factors, outputs, y, position, stride);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
const char weft_variant_float_codes = 0;
#endif  // HWY_ONCE
