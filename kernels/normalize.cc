// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE void DivideLanes(Lanes16& a, float b) {
  for (size_t v = 0; v < kPanelVectors; ++v) a.v[v] = Divide(a.v[v], Set(b));
}

// The sum of (x - centre)^power along the line in each of its lanes. A function of its own, so that
// on a board without vector registers the sums of one do not lie on the stack beside another's.
template <int power>
HWY_NOINLINE void SumOfPowers(const Lines& lines, const Lanes16& centre, const float* x,
                              Lanes16& y) {
  float fill = 0.0f;  // lanes without an element add no difference
  if (lines.is_one) StoreLanes16(centre, &fill, 1);
  LongSum sum = BeginSum(0.0f);
  for (size_t i = 0; i < lines.rows; ++i) {
    const Lanes16 row = LoadLanes16(x + i * lines.step, lines.LanesOf(i), fill);
    for (size_t v = 0; v < kPanelVectors; ++v) {
      const FloatVec d = hn::Sub(row.v[v], centre.v[v]);
      FloatVec& terms = sum.sums.v[v];
      terms = power == 1 ? hn::Add(terms, d) : Fma(d, d, terms);
    }
    EndTerm(sum);
  }
  for (size_t v = 0; v < kPanelVectors; ++v) {  // as TotalOf, in place
    y.v[v] = hn::Add(sum.totals.v[v], hn::Add(sum.groups.v[v], sum.sums.v[v]));
  }
  if (lines.is_one) y = SetLanes16(SumOf(y));
}

// What a line is multiplied by; `squares` is v or s of normalize.h, before its division by n.
HWY_INLINE FloatVec FactorOf(NormalizeOp op, float epsilon, FloatVec squares) {
  const FloatVec one = Set(1.0f);
  switch (op) {
    case NormalizeOp::kStandardOutside:
      return Divide(one, hn::Add(SquareRoot(squares), Set(epsilon)));
    case NormalizeOp::kL2Max:
      return Divide(one, SquareRoot(Greater(squares, Set(epsilon))));
    default:
      return Divide(one, SquareRoot(hn::Add(squares, Set(epsilon))));
  }
}

// c^2 was part of the mean square of d; rounding must not leave less than nothing.
HWY_INLINE FloatVec VarianceOf(FloatVec mean_square, FloatVec c) {
  return Greater(Fnma(c, c, mean_square), Set(0.0f));
}

// What makes y of x: (x - centre - correction) * factor.
struct Affine {
  Lanes16 centre, correction, factor;
};

HWY_INLINE void FindAffine(const NormalizeShape& shape, const Lines& lines, const float* x,
                           Affine& by) {
  const bool centres = shape.op <= NormalizeOp::kStandardOutside;
  const bool is_sum = shape.op >= NormalizeOp::kL2Add;
  const float count = static_cast<float>(shape.axis);
  by.correction = SetLanes16(0.0f);
  by.centre = by.correction;
  if (centres) {
    SumOfPowers<1>(lines, by.correction, x, by.centre);
    DivideLanes(by.centre, count);
    SumOfPowers<1>(lines, by.centre, x, by.correction);
    DivideLanes(by.correction, count);
  }
  if (shape.op == NormalizeOp::kCentre) return;
  SumOfPowers<2>(lines, by.centre, x, by.factor);
  if (!is_sum) DivideLanes(by.factor, count);
  for (size_t v = 0; v < kPanelVectors; ++v) {
    FloatVec& factor = by.factor.v[v];
    if (centres) factor = VarianceOf(factor, by.correction.v[v]);
    factor = FactorOf(shape.op, shape.epsilon, factor);
  }
}

HWY_INLINE void NormalizeLine(const NormalizeShape& shape, const Lines& lines, const float* x,
                              float* y) {
  const bool centres = shape.op <= NormalizeOp::kStandardOutside;
  const bool scales = shape.op != NormalizeOp::kCentre;
  Affine by;
  FindAffine(shape, lines, x, by);
  for (size_t i = 0; i < lines.rows; ++i) {
    const size_t lanes = lines.LanesOf(i);
    Lanes16 value = LoadLanes16(x + i * lines.step, lanes, 0.0f);
    for (size_t v = 0; v < kPanelVectors; ++v) {
      if (centres) value.v[v] = hn::Sub(hn::Sub(value.v[v], by.centre.v[v]), by.correction.v[v]);
      if (scales) value.v[v] = hn::Mul(value.v[v], by.factor.v[v]);
    }
    StoreLanes16(value, y + i * lines.step, lanes);
  }
}

void Normalize(const NormalizeShape& shape, const float* x, float* y) {
  ForLines(shape.outer, shape.axis, shape.inner, [&](const Lines& lines, size_t at) HWY_ATTR {
    NormalizeLine(shape, lines, x + at, y + at);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Normalize);

void Normalize(const NormalizeShape& shape, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(Normalize)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
