// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/lanes16-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr float kNothing = -std::numeric_limits<float>::infinity();  // exp of it is 0

HWY_INLINE Lanes16 GreaterOf(const Lanes16& x, const Lanes16& greatest) {
  return Combine(x, greatest, [](FloatVec a, FloatVec b) HWY_ATTR { return Greater(a, b); });
}

HWY_INLINE Lanes16 ExpOfDifference(const Lanes16& x, const Lanes16& greatest) {
  return Combine(x, greatest, [](FloatVec a, FloatVec b) HWY_ATTR { return Exp(hn::Sub(a, b)); });
}

// Rows of `count` lanes that all lanes of a row share (step 16) or that stand below each other
// (step inner): `lanes` at a time, from x + i * step, i = 0 .. rows - 1, the last row has
// last_lanes.
struct Lines {
  size_t rows;
  size_t step;
  size_t lanes;
  size_t last_lanes;

  HWY_INLINE size_t LanesOf(size_t row) const { return row + 1 < rows ? lanes : last_lanes; }
};

HWY_INLINE Lanes16 GreatestLane(const Lines& lines, const float* x) {
  Lanes16 greatest = SetLanes16(kNothing);
  for (size_t i = 0; i < lines.rows; ++i) {
    greatest = GreaterOf(LoadLanes16(x + i * lines.step, lines.LanesOf(i), kNothing), greatest);
  }
  return greatest;
}

// Sums exp(x - greatest) and, with a y, keeps the terms there.
HWY_INLINE Lanes16 SumOfPowers(const Lines& lines, const Lanes16& greatest, const float* x,
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
  return TotalOf(sum);
}

// y = y / sum, by way of the reciprocal, or (x - greatest) - log(sum).
HWY_INLINE void Finish(const Lines& lines, bool logarithm, const Lanes16& greatest,
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

void Softmax(const SoftmaxShape& shape, const float* x, float* y) {
  if (shape.axis == 0) return;
  const bool logarithm = shape.logarithm != 0;
  const size_t plane = size_t{shape.axis} * shape.inner;
  if (plane == 0) return;  // nothing bounds `outer` then
  for (size_t outer = 0; outer < shape.outer; ++outer, x += plane, y += plane) {
    if (shape.inner == 1) {
      const size_t rest = shape.axis % 16;
      const Lines lines = {shape.axis / 16 + (rest != 0), 16, 16, rest != 0 ? rest : 16};
      const Lanes16 greatest = SetLanes16(MaxLane(GreatestLane(lines, x)));
      const Lanes16 sums = SumOfPowers(lines, greatest, x, logarithm ? nullptr : y);
      Finish(lines, logarithm, greatest, SetLanes16(SumOf(sums)), x, y);
      continue;
    }
    for (size_t i = 0; i < shape.inner; i += 16) {
      const size_t lanes = shape.inner - i < 16 ? shape.inner - i : 16;
      const Lines lines = {shape.axis, shape.inner, lanes, lanes};
      const Lanes16 greatest = GreatestLane(lines, x + i);
      const Lanes16 sums = SumOfPowers(lines, greatest, x + i, logarithm ? nullptr : y + i);
      Finish(lines, logarithm, greatest, sums, x + i, y + i);
    }
  }
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
