// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/softmax.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/lines-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr float kNothing = -std::numeric_limits<float>::infinity();  // exp of it is 0

HWY_INLINE Lanes16 GreaterOf(const Lanes16& x, const Lanes16& greatest) {
  return Combine(x, greatest, [](FloatVec a, FloatVec b) HWY_ATTR { return Greater(a, b); });
}

HWY_INLINE Lanes16 ExpOfDifference(const Lanes16& x, const Lanes16& greatest) {
  return Combine(x, greatest, [](FloatVec a, FloatVec b) HWY_ATTR { return Exp(hn::Sub(a, b)); });
}

// The greatest of a line in each of its lanes.
WEFT_PART Lanes16 GreatestOf(const Lines& lines, const float* x) {
  Lanes16 greatest = SetLanes16(kNothing);
  for (size_t i = 0; i < lines.rows; ++i) {
    greatest = GreaterOf(LoadLanes16(x + i * lines.step, lines.LanesOf(i), kNothing), greatest);
  }
  return lines.is_one ? SetLanes16(MaxLane(greatest)) : greatest;
}

// Sums exp(x - greatest) and, with a y, keeps the terms there.
WEFT_PART Lanes16 SumOfPowers(const Lines& lines, const Lanes16& greatest, const float* x,
                              float* y) {
  LongSum sum = BeginSum(0.0f);
  for (size_t i = 0; i < lines.rows; ++i) {
    const size_t lanes = lines.LanesOf(i);
    const Lanes16 power =
        ExpOfDifference(LoadLanes16(x + i * lines.step, lanes, kNothing), greatest);
    sum.sums = Added(sum.sums, power);
    EndTerm(sum);
    if (y != nullptr) StoreLanes16(power, y + i * lines.step, lanes);
  }
  return SumOfLine(lines, sum);
}

// y = y / sum, by way of the reciprocal, or (x - greatest) - log(sum).
WEFT_PART void Finish(const Lines& lines, bool logarithm, const Lanes16& greatest,
                      const Lanes16& sums, const float* x, float* y) {
  Lanes16 factors;
  for (size_t v = 0; v < kPanelVectors; ++v) {
    factors.v[v] = logarithm ? Log(sums.v[v]) : Divide(Set(1.0f), sums.v[v]);
  }
  for (size_t i = 0; i < lines.rows; ++i) {
    const size_t lanes = lines.LanesOf(i);
    const size_t at = i * lines.step;
    Lanes16 value = LoadLanes16((logarithm ? x : y) + at, lanes, 0.0f);
    for (size_t v = 0; v < kPanelVectors; ++v) {
      value.v[v] = logarithm ? hn::Sub(hn::Sub(value.v[v], greatest.v[v]), factors.v[v])
                             : hn::Mul(value.v[v], factors.v[v]);
    }
    StoreLanes16(value, y + at, lanes);
  }
}

// Each row as long as its place in its block, with zeros behind.
void CausalSoftmax(const SoftmaxShape& shape, const float* x, float* y) {
  const size_t axis = shape.axis;
  size_t place = 0;
  for (size_t row = 0; row < shape.outer; ++row, x += axis, y += axis) {
    const size_t length = place + 1;
    const size_t rest = length % 16;
    const Lines lines{length / 16 + (rest != 0), 16, 16, rest != 0 ? rest : 16, true};
    const Lanes16 greatest = GreatestOf(lines, x);
    Finish(lines, false, greatest, SumOfPowers(lines, greatest, x, y), x, y);
    for (size_t i = length; i < axis; ++i) y[i] = 0.0f;
    place = length < axis ? length : 0;
  }
}

void Softmax(const SoftmaxShape& shape, const float* x, float* y) {
  if (shape.causal != 0 && shape.axis != 0) return CausalSoftmax(shape, x, y);
  const bool logarithm = shape.logarithm != 0;
  ForLines(shape.outer, shape.axis, shape.inner, [=](const Lines& lines, size_t at) HWY_ATTR {
    const Lanes16 greatest = GreatestOf(lines, x + at);
    const Lanes16 sums = SumOfPowers(lines, greatest, x + at, logarithm ? nullptr : y + at);
    Finish(lines, logarithm, greatest, sums, x + at, y + at);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Softmax);

void Softmax(const SoftmaxShape& shape, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(Softmax)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
