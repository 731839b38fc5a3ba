// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/lstm_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/lstm_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

void LstmQ8(const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
            int16_t* c_next, int16_t* scratch) {
  RunLstmQ8<int8_t, Rounding::kMicro>(shape, x, weights, numbers, h, c, h_next, c_next, scratch);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(LstmQ8,
            (const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
             int16_t* c_next, int16_t* scratch),
            (shape, x, weights, numbers, h, c, h_next, c_next, scratch))
