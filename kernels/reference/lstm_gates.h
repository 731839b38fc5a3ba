// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for lstm_gates in double, with the activations of reference/unary.h. The
// tolerance is valid for saturating activations and |c| of a few units.
#ifndef WEFT_KERNELS_REFERENCE_LSTM_GATES_H_
#define WEFT_KERNELS_REFERENCE_LSTM_GATES_H_

#include "kernels/recurrent/lstm_gates.h"
#include "kernels/reference/unary.h"

namespace weft::kernels {

inline constexpr Tolerance kLstmGatesTolerance = {1e-6, 1e-6};

inline double ActivationReference(const Activation& a, double x) {
  if (a.clip > 0) x = ClampReference(x, -a.clip, a.clip);
  return UnaryReference(a.op, a.alpha, a.beta, x);
}

struct LstmGatesResult {
  double h;
  double c;
};

// Unit `unit` of row `row`.
inline LstmGatesResult LstmGatesReference(const LstmGatesShape& s, const float* pre, const float* c,
                                          size_t row, size_t unit) {
  const float* gates = pre + row * s.pre_row_stride + unit;
  const double f = ActivationReference(s.f, gates[0]);
  const double i = ActivationReference(s.f, gates[s.hidden]);
  const double g = ActivationReference(s.g, gates[2 * s.hidden]);
  const double o = ActivationReference(s.f, gates[3 * s.hidden]);
  const double next = f * c[row * s.hidden + unit] + i * g;
  return {o * ActivationReference(s.h, next), next};
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_LSTM_GATES_H_
