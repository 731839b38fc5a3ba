// SPDX-License-Identifier: Apache-2.0
#include "kernels/normalize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/normalize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE Lanes16 Quotients(const Lanes16& a, float b) {
  Lanes16 result;
  for (size_t v = 0; v < kPanelVectors; ++v) result.v[v] = Divide(a.v[v], Set(b));
  return result;
}

HWY_INLINE Lanes16 Differences(const Lanes16& a, const Lanes16& b) {
  return Combine(a, b, [](FloatVec p, FloatVec q) HWY_ATTR { return hn::Sub(p, q); });
}

HWY_INLINE Lanes16 MeanOf(const Lines& lines, float count, const float* x) {
  LongSum sum = BeginSum(0.0f);
  for (size_t i = 0; i < lines.rows; ++i) {
    sum.sums = Added(sum.sums, LoadLanes16(x + i * lines.step, lines.LanesOf(i), 0.0f));
    EndTerm(sum);
  }
  return Quotients(SumOfLine(lines, sum), count);
}

// Of the differences from `centre`.
struct Moments {
  Lanes16 sum, squares;
};

HWY_INLINE Moments MomentsOf(const Lines& lines, const Lanes16& centre, const float* x) {
  float fill = 0.0f;  // lanes without an element add no difference
  if (lines.is_one) StoreLanes16(centre, &fill, 1);
  LongSum sum = BeginSum(0.0f);
  LongSum squares = BeginSum(0.0f);
  for (size_t i = 0; i < lines.rows; ++i) {
    const Lanes16 d = Differences(LoadLanes16(x + i * lines.step, lines.LanesOf(i), fill), centre);
    sum.sums = Added(sum.sums, d);
    squares.sums =
        Combine(d, squares.sums, [](FloatVec p, FloatVec s) HWY_ATTR { return Fma(p, p, s); });
    EndTerm(sum);
    EndTerm(squares);
  }
  return {SumOfLine(lines, sum), SumOfLine(lines, squares)};
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

HWY_INLINE void NormalizeLine(const NormalizeShape& shape, const Lines& lines, const float* x,
                              float* y) {
  const bool centres = shape.op <= NormalizeOp::kStandardOutside;
  const bool scales = shape.op != NormalizeOp::kCentre;
  const bool is_sum = shape.op >= NormalizeOp::kL2Add;
  const float count = static_cast<float>(shape.axis);
  const Lanes16 centre = centres ? MeanOf(lines, count, x) : SetLanes16(0.0f);
  const Moments moments = MomentsOf(lines, centre, x);
  const Lanes16 correction = centres ? Quotients(moments.sum, count) : SetLanes16(0.0f);
  const Lanes16 squares = is_sum ? moments.squares : Quotients(moments.squares, count);
  Lanes16 factor = SetLanes16(1.0f);
  for (size_t v = 0; scales && v < kPanelVectors; ++v) {
    const FloatVec spread = centres ? VarianceOf(squares.v[v], correction.v[v]) : squares.v[v];
    factor.v[v] = FactorOf(shape.op, shape.epsilon, spread);
  }
  for (size_t i = 0; i < lines.rows; ++i) {
    const size_t lanes = lines.LanesOf(i);
    Lanes16 value = LoadLanes16(x + i * lines.step, lanes, 0.0f);
    if (centres) value = Differences(Differences(value, centre), correction);
    for (size_t v = 0; scales && v < kPanelVectors; ++v) {
      value.v[v] = hn::Mul(value.v[v], factor.v[v]);
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
