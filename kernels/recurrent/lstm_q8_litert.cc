// SPDX-License-Identifier: Apache-2.0
// The rounding of LiteRT.
#include "kernels/recurrent/lstm_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/lstm_q8_litert.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/lstm_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void LstmQ8LiteRt(const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
                  const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
                  int16_t* c_next, int16_t* scratch) {
  RunLstmQ8<int8_t, Rounding::kLiteRt>(shape, x, weights, numbers, h, c, h_next, c_next, scratch);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(LstmQ8LiteRt,
            (const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
             int16_t* c_next, int16_t* scratch),
            (shape, x, weights, numbers, h, c, h_next, c_next, scratch))

#if HWY_ONCE
const char weft_variant_lstm_q8_litert = 0;
#endif  // HWY_ONCE
