// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/normalize.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The sums of one pass in each lane: of d and of d^2, with d = x - centre.
struct Moments {
  Lanes16 centre, sums;
  LongSum squares;
};

// Number of vectors of the sixteen lanes that hold elements. Boards without vector registers skip
// the others; elsewhere a compile-time constant is faster.
HWY_INLINE size_t VectorsOf(size_t lanes) { return kLanes == 1 ? lanes : kPanelVectors; }

HWY_INLINE size_t CountIn(size_t v, size_t lanes) { return kLanes == 1 ? 1 : LanesIn(v, lanes); }

// x - centre, or x without centring; lanes without an element are 0.
template <bool centres>
HWY_INLINE FloatVec DifferenceOf(FloatVec centre, const float* x, size_t count) {
  const FloatVec value = LoadOr(centre, x, count);
  return centres ? hn::Sub(value, centre) : value;
}

// Adds `rows` rows of `lanes` elements as one term.
template <bool centres, size_t rows>
HWY_INLINE void AddTerm(const float* x, size_t step, size_t lanes, Moments& to) {
  WEFT_NO_LOOP_DEPENDENCE
  for (size_t v = 0; v < VectorsOf(lanes); ++v) {
    const size_t count = CountIn(v, lanes);
    const FloatVec centre = to.centre.v[v];
    FloatVec d = DifferenceOf<centres>(centre, x + v * kLanes, count);
    FloatVec sum = d, squares = hn::Mul(d, d);
    for (size_t row = 1; row < rows; ++row) {
      d = DifferenceOf<centres>(centre, x + row * step + v * kLanes, count);
      sum = hn::Add(sum, d);
      squares = Fma(d, d, squares);
    }
    if (centres) to.sums.v[v] = hn::Add(to.sums.v[v], sum);
    to.squares.sums.v[v] = hn::Add(to.squares.sums.v[v], squares);
  }
}

// Changes the centre of the sums of vector v, which cover `rows` rows.
HWY_INLINE void Recentre(FloatVec centre, FloatVec rows, size_t v, Moments& of) {
  const FloatVec shift = hn::Sub(centre, of.centre.v[v]);
  const FloatVec sum = Fnma(rows, shift, of.sums.v[v]);
  of.squares.sums.v[v] = Fnma(shift, hn::Add(of.sums.v[v], sum), of.squares.sums.v[v]);
  of.sums.v[v] = sum;
  of.centre.v[v] = centre;
}

// The mean of each lane of vector v.
HWY_INLINE FloatVec MeanOf(const Moments& moments, FloatVec reciprocal_of_rows, size_t v) {
  return Fma(moments.sums.v[v], reciprocal_of_rows, moments.centre.v[v]);
}

// Rows per term, and rows between two updates of the centre; the first updates are more frequent.
inline constexpr size_t kTermRows = 4;
inline constexpr size_t kMeanRows = kTermRows * kSumBlock;

template <bool centres>
HWY_INLINE void GatherRows(const float* x, size_t step, size_t rows, size_t lanes, Moments& to) {
  for (size_t i = 0; i < rows;) {
    const size_t max = i == 0 ? kTermRows : i < kMeanRows ? (kTermRows - 1) * i : kMeanRows;
    const size_t end = rows - i < max ? rows : i + max;
    for (; end - i >= kTermRows; i += kTermRows) {
      AddTerm<centres, kTermRows>(x + i * step, step, lanes, to);
      EndTerm(to.squares);
    }
    for (; i < end; ++i) AddTerm<centres, 1>(x + i * step, step, lanes, to);
    if (!centres || end == rows) continue;
    const FloatVec count = Set(static_cast<float>(end)), part = Divide(Set(1.0f), count);
    for (size_t v = 0; v < VectorsOf(lanes); ++v) Recentre(MeanOf(to, part, v), count, v, to);
  }
}

template <bool centres>
HWY_INLINE void GatherLanes(const float* x, size_t step, size_t rows, size_t lanes, Moments& to) {
  if (centres && rows != 0) to.centre = LoadLanes16(x, lanes, 0.0f);
  if (kLanes > 1 && lanes == 16) {
    GatherRows<centres>(x, step, rows, 16, to);
  } else {
    GatherRows<centres>(x, step, rows, lanes, to);
  }
}

// On boards a function, because copies would cost flash; elsewhere inlined, with lanes in
// registers.
#undef WEFT_GATHER_INLINE
#if HWY_TARGET == HWY_SCALAR
#define WEFT_GATHER_INLINE HWY_NOINLINE
#else
#define WEFT_GATHER_INLINE HWY_INLINE
#endif

// Accumulates the rows of all lanes. The centre is the first row, then the means so far; without
// centring it is 0.
WEFT_GATHER_INLINE Moments Gather(bool centres, const float* x, size_t step, size_t rows,
                                  size_t lanes) {
  const Lanes16 none = SetLanes16(0.0f);
  Moments moments = {none, none, BeginSum(0.0f)};
  if (centres) {
    GatherLanes<true>(x, step, rows, lanes, moments);
  } else {
    GatherLanes<false>(x, step, rows, lanes, moments);
  }
  return moments;
}

// Mean of the lanes of a line with `rows` full rows of sixteen; without full rows, of its elements.
HWY_INLINE float MeanOfLine(const Moments& moments, size_t rows, const float* x, size_t rest) {
  if (rows == 0) return SumOf(LoadLanes16(x, rest, 0.0f)) / static_cast<float>(rest);
  Lanes16 means;
  const FloatVec part = Divide(Set(1.0f), Set(static_cast<float>(rows)));
  for (size_t v = 0; v < kPanelVectors; ++v) means.v[v] = MeanOf(moments, part, v);
  return SumInPlace(means) / 16.0f;
}

// Accumulates one line: its full rows of sixteen, then the remaining elements around a common
// centre of the lanes.
HWY_INLINE Moments GatherLine(bool centres, const float* x, size_t size) {
  const size_t rows = size / 16, rest = size % 16;
  Moments moments = Gather(centres, x, 16, rows, 16);
  if (centres) {
    const FloatVec mean = Set(MeanOfLine(moments, rows, x, rest));
    const FloatVec count = Set(static_cast<float>(rows));
    for (size_t v = 0; v < kPanelVectors; ++v) Recentre(mean, count, v, moments);
  }
  // Without centring the centre is 0 and the sum of d is not used.
  if (rest != 0) AddTerm<true, 1>(x + rows * 16, 16, rest, moments);
  return moments;
}

// The mean square of d includes c^2; rounding must not make the variance negative.
HWY_INLINE FloatVec VarianceOf(FloatVec mean_square, FloatVec c) {
  return Greater(Fnma(c, c, mean_square), Set(0.0f));
}

// The factor that a line is multiplied by; `squares` is v or s of normalize.h, divided by n if the
// formula has s / n.
HWY_INLINE FloatVec FactorOf(NormalizeOp op, float epsilon, FloatVec squares) {
  const FloatVec one = Set(1.0f);
  switch (op) {
    case NormalizeOp::kCentre:
      return one;
    case NormalizeOp::kStandardOutside:
      return Divide(one, hn::Add(SquareRoot(squares), Set(epsilon)));
    case NormalizeOp::kL2Max:
      return Divide(one, SquareRoot(Greater(squares, Set(epsilon))));
    default:
      return Divide(one, SquareRoot(hn::Add(squares, Set(epsilon))));
  }
}

// y = (x - centre - correction) * factor.
struct Affine {
  FloatVec centre, correction, factor;
};

HWY_INLINE bool Centres(const NormalizeShape& shape) {
  return shape.op <= NormalizeOp::kStandardOutside;
}

HWY_INLINE Affine AffineOf(const NormalizeShape& shape, FloatVec centre, FloatVec sum,
                           FloatVec squares) {
  const FloatVec count = Set(static_cast<float>(shape.axis));
  const FloatVec c = Centres(shape) ? Divide(sum, count) : Set(0.0f);
  if (shape.op < NormalizeOp::kL2Add) squares = Divide(squares, count);
  if (Centres(shape)) squares = VarianceOf(squares, c);
  return {centre, c, FactorOf(shape.op, shape.epsilon, squares)};
}

template <bool centres>
HWY_INLINE FloatVec Apply(const Affine& by, FloatVec x) {
  if (centres) x = hn::Sub(hn::Sub(x, by.centre), by.correction);
  return hn::Mul(x, by.factor);
}

template <bool centres>
HWY_INLINE void ApplyToLine(const NormalizeShape& shape, const Affine& by, const float* x,
                            float* y) {
  Map(x, y, shape.axis, [=](FloatVec v) HWY_ATTR { return Apply<centres>(by, v); });
}

// Adds up the sums of the squares in place.
HWY_INLINE Lanes16& TotalsOf(LongSum& squares) {
  MoveSum(squares.sums, squares.groups);
  MoveSum(squares.groups, squares.totals);
  return squares.totals;
}

HWY_INLINE void NormalizeLine(const NormalizeShape& shape, const float* x, float* y) {
  Moments moments = GatherLine(Centres(shape), x, shape.axis);
  const FloatVec sum = Set(Centres(shape) ? SumInPlace(moments.sums) : 0.0f);
  const FloatVec squares = Set(SumInPlace(TotalsOf(moments.squares)));
  const Affine by = AffineOf(shape, moments.centre.v[0], sum, squares);
  if (Centres(shape)) {
    ApplyToLine<true>(shape, by, x, y);
  } else {
    ApplyToLine<false>(shape, by, x, y);
  }
}

// Applies the parameters of each lane.
template <bool centres>
HWY_INLINE void ApplyToLanes(const NormalizeShape& shape, const Lanes16& centre,
                             const Lanes16& correction, const Lanes16& factor, size_t lanes,
                             const float* x, float* y) {
  for (size_t i = 0; i < shape.axis; ++i) {
    WEFT_NO_LOOP_DEPENDENCE
    for (size_t v = 0; v < VectorsOf(lanes); ++v) {
      const size_t at = i * shape.inner + v * kLanes, count = CountIn(v, lanes);
      const Affine by = {centre.v[v], correction.v[v], factor.v[v]};
      StoreUpTo(Apply<centres>(by, LoadOr(by.centre, x + at, count)), y + at, count);
    }
  }
}

// Adjacent lines, one per lane. The parameters overwrite the sums that they are computed from.
HWY_INLINE void NormalizeLanes(const NormalizeShape& shape, size_t lanes, const float* x,
                               float* y) {
  Moments moments = Gather(Centres(shape), x, shape.inner, shape.axis, lanes);
  Lanes16& factors = TotalsOf(moments.squares);
  for (size_t v = 0; v < VectorsOf(lanes); ++v) {
    const Affine by = AffineOf(shape, moments.centre.v[v], moments.sums.v[v], factors.v[v]);
    moments.sums.v[v] = by.correction;
    factors.v[v] = by.factor;
  }
  if (Centres(shape)) {
    ApplyToLanes<true>(shape, moments.centre, moments.sums, factors, lanes, x, y);
  } else {
    ApplyToLanes<false>(shape, moments.centre, moments.sums, factors, lanes, x, y);
  }
}

void Normalize(const NormalizeShape& shape, const float* x, float* y) {
  ForLines(shape.outer, shape.axis, shape.inner, [&](const Lines& lines, size_t at) HWY_ATTR {
    if (lines.is_one) {
      NormalizeLine(shape, x + at, y + at);
    } else {
      NormalizeLanes(shape, lines.lanes, x + at, y + at);
    }
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Normalize, (const NormalizeShape& shape, const float* x, float* y), (shape, x, y))
