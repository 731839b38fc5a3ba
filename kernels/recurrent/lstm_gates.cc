// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/lstm_gates.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/recurrent/lstm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One row: the four gates' sums, the old cell and the new values.
struct LstmRow {
  const float* f;
  const float* i;
  const float* g;
  const float* o;
  const float* c;
  float* h_next;
  float* c_next;
};

// Sigmoid gates and tanh, the cell of nearly every model. If vectors have one lane, h' holds the
// product of i and g until it is complete. Otherwise this is one pass over memory, inlined into
// both of its callers so that constants stay in registers (16 % faster on AVX-512).
HWY_INLINE void LstmSigmoidTanh(const LstmRow& row, size_t hidden) {
#if HWY_TARGET == HWY_SCALAR
  GateLstmUnits(row.i, row.g, row.h_next, hidden);
  KeepLstmUnits(row.f, row.c, row.h_next, row.c_next, hidden);
  GateLstmUnits(row.o, row.c_next, row.h_next, hidden);
#else
  ForVectors(hidden, [&](size_t at, size_t lanes) HWY_ATTR WEFT_ALWAYS_INLINE {
    LstmUnits(LoadFirst(row.f + at, lanes), LoadFirst(row.i + at, lanes),
              LoadFirst(row.g + at, lanes), LoadFirst(row.o + at, lanes), row.c + at,
              row.h_next + at, row.c_next + at, lanes);
  });
#endif
}

// Any other activations, one block at a time on the stack. Not inlined, so that models without them
// do not need that stack.
HWY_NOINLINE void LstmBlocks(const LstmGatesShape& shape, const LstmRow& row) {
  constexpr size_t kBlock = kGateBlock;
  float f[kBlock];
  float i[kBlock];
  float g[kBlock];
  float o[kBlock];
  for (size_t first = 0; first < shape.hidden; first += kBlock) {
    const size_t left = shape.hidden - first;
    const size_t count = left < kBlock ? left : kBlock;
    ActivateSpan(shape.f, row.f + first, f, count);
    ActivateSpan(shape.f, row.i + first, i, count);
    ActivateSpan(shape.g, row.g + first, g, count);
    ActivateSpan(shape.f, row.o + first, o, count);
    ForVectors(count, [&](size_t at, size_t lanes) HWY_ATTR {
      const FloatVec product = hn::Mul(LoadFirst(i + at, lanes), LoadFirst(g + at, lanes));
      const FloatVec c =
          Fma(LoadFirst(f + at, lanes), LoadFirst(row.c + first + at, lanes), product);
      StoreFirst(c, row.c_next + first + at, lanes);
    });
    ActivateSpan(shape.h, row.c_next + first, g, count);
    ForVectors(count, [&](size_t at, size_t lanes) HWY_ATTR {
      StoreFirst(hn::Mul(LoadFirst(o + at, lanes), LoadFirst(g + at, lanes)),
                 row.h_next + first + at, lanes);
    });
  }
}

void LstmGates(const LstmGatesShape& shape, const float* pres, const float* c, float* h_next,
               float* c_next) {
  const bool is_common = IsSigmoidTanh(shape.f, shape.g, shape.h);
  const size_t hidden = shape.hidden;
  if (hidden == 0) return;
  for (size_t r = 0; r < shape.rows; ++r) {
    const float* pre = pres + r * shape.pre_row_stride;
    const LstmRow row = {pre, pre + hidden, pre + 2 * hidden, pre + 3 * hidden, c, h_next, c_next};
    if (is_common) {
      LstmSigmoidTanh(row, hidden);
    } else {
      LstmBlocks(shape, row);
    }
    c += hidden;
    h_next += hidden;
    c_next += hidden;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(LstmGates,
            (const LstmGatesShape& shape, const float* pre, const float* c, float* h_next,
             float* c_next),
            (shape, pre, c, h_next, c_next))
