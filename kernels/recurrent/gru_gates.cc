// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/gru_gates.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The operands of `count` <= kGateBlock units, in order z r h of both parts.
struct GruUnits {
  const float* x[3];
  const float* recurrent[3];
  const float* h;
  float* h_next;
};

HWY_INLINE void GruGatesOfBlock(const GruGatesShape& shape, const GruUnits& at, size_t count) {
  float z[kGateBlock];
  float r[kGateBlock];
  float n[kGateBlock];
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreFirst(hn::Add(LoadFirst(at.x[0] + i, lanes), LoadFirst(at.recurrent[0] + i, lanes)), z + i,
               lanes);
    StoreFirst(hn::Add(LoadFirst(at.x[1] + i, lanes), LoadFirst(at.recurrent[1] + i, lanes)), r + i,
               lanes);
  });
  ActivateSpan(shape.f, z, z, count);
  ActivateSpan(shape.f, r, r, count);
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    StoreFirst(Fma(LoadFirst(r + i, lanes), LoadFirst(at.recurrent[2] + i, lanes),
                   LoadFirst(at.x[2] + i, lanes)),
               n + i, lanes);
  });
  ActivateSpan(shape.g, n, n, count);
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const FloatVec candidate = LoadFirst(n + i, lanes);
    const FloatVec distance = hn::Sub(LoadFirst(at.h + i, lanes), candidate);
    StoreFirst(Fma(LoadFirst(z + i, lanes), distance, candidate), at.h_next + i, lanes);
  });
}

void GruGates(const GruGatesShape& shape, const float* x_part, const float* recurrent_part,
              const float* h, float* h_next) {
  const size_t hidden = shape.hidden;
  if (hidden == 0) return;  // the rows are unbounded in this case
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t i = 0; i < hidden; i += kGateBlock) {
      const float* x = x_part + row * shape.x_row_stride + i;
      const float* r = recurrent_part + row * shape.r_row_stride + i;
      const GruUnits at = {
          {x, x + hidden, x + 2 * hidden}, {r, r + hidden, r + 2 * hidden}, h + i, h_next + i};
      GruGatesOfBlock(shape, at, hidden - i < kGateBlock ? hidden - i : kGateBlock);
    }
    h += hidden;
    h_next += hidden;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(GruGates,
            (const GruGatesShape& shape, const float* x_part, const float* recurrent_part,
             const float* h, float* h_next),
            (shape, x_part, recurrent_part, h, h_next))
