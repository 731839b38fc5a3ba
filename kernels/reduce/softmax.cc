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

HWY_INLINE Lanes16 GreaterOf(const Lanes16& x, const Lanes16& largest) {
  return Combine(x, largest, [](FloatVec a, FloatVec b) HWY_ATTR { return Greater(a, b); });
}

HWY_INLINE Lanes16 ExpOfDifference(const Lanes16& x, const Lanes16& largest) {
  return Combine(x, largest, [](FloatVec a, FloatVec b) HWY_ATTR { return Exp(hn::Sub(a, b)); });
}

// Returns the maximum of a line in each of its lanes.
WEFT_PART Lanes16 LargestOf(const Lines& lines, const float* x) {
  Lanes16 largest = SetLanes16(kNothing);
  for (size_t i = 0; i < lines.rows; ++i) {
    largest = GreaterOf(LoadLanes16(x + i * lines.step, lines.LanesOf(i), kNothing), largest);
  }
  return lines.is_one ? SetLanes16(MaxLane(largest)) : largest;
}

// Sums exp(x - largest); if y is not null, stores the terms there.
WEFT_PART Lanes16 SumOfPowers(const Lines& lines, const Lanes16& largest, const float* x,
                              float* y) {
  LongSum sum = BeginSum(0.0f);
  for (size_t i = 0; i < lines.rows; ++i) {
    const size_t lanes = lines.LanesOf(i);
    const Lanes16 power =
        ExpOfDifference(LoadLanes16(x + i * lines.step, lanes, kNothing), largest);
    sum.sums = Added(sum.sums, power);
    EndTerm(sum);
    if (y != nullptr) StoreLanes16(power, y + i * lines.step, lanes);
  }
  return SumOfLine(lines, sum);
}

// y = y / sum, computed with the reciprocal, or (x - largest) - log(sum).
WEFT_PART void Finish(const Lines& lines, bool logarithm, const Lanes16& largest,
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
      value.v[v] = logarithm ? hn::Sub(hn::Sub(value.v[v], largest.v[v]), factors.v[v])
                             : hn::Mul(value.v[v], factors.v[v]);
    }
    StoreLanes16(value, y + at, lanes);
  }
}

// Row i of a block has i + 1 elements; the rest of y is 0.
void CausalSoftmax(const SoftmaxShape& shape, const float* x, float* y) {
  const size_t axis = shape.axis;
  size_t position = 0;
  for (size_t row = 0; row < shape.outer; ++row, x += axis, y += axis) {
    const size_t length = position + 1;
    const size_t rest = length % 16;
    const Lines lines{length / 16 + (rest != 0), 16, 16, rest != 0 ? rest : 16, true};
    const Lanes16 largest = LargestOf(lines, x);
    Finish(lines, false, largest, SumOfPowers(lines, largest, x, y), x, y);
    for (size_t i = length; i < axis; ++i) y[i] = 0.0f;
    position = length < axis ? length : 0;
  }
}

#if HWY_TARGET != HWY_SCALAR
// Number of rows that are processed together, to hide the latency of their operations.
inline constexpr size_t kSoftmaxRows = kLanes == 16 ? 4 : kLanes == 8 ? 2 : 1;

// kRows rows, each so short that its sum is one sequential sum.
template <size_t kRows>
HWY_INLINE void SoftmaxTogether(size_t axis, const float* x, float* y) {
  const size_t whole = axis / 16 * 16, rest = axis % 16;
  Lanes16 largest[kRows], sums[kRows];
  for (size_t r = 0; r < kRows; ++r) largest[r] = SetLanes16(kNothing), sums[r] = SetLanes16(0.0f);
  const auto compare = [&](size_t i, size_t lanes) HWY_ATTR WEFT_ALWAYS_INLINE {
    for (size_t r = 0; r < kRows; ++r) {
      largest[r] = GreaterOf(LoadLanes16(x + r * axis + i, lanes, kNothing), largest[r]);
    }
  };
  // The elements after the last full vector stay in registers: loading them would wait for their
  // store.
  Lanes16 powers[kRows];
  const auto add = [&](size_t i, size_t lanes) HWY_ATTR WEFT_ALWAYS_INLINE {
    for (size_t r = 0; r < kRows; ++r) {
      powers[r] = ExpOfDifference(LoadLanes16(x + r * axis + i, lanes, kNothing), largest[r]);
      sums[r] = Added(sums[r], powers[r]);
    }
  };
  for (size_t i = 0; i < whole; i += 16) compare(i, 16);
  if (rest != 0) compare(whole, rest);
  for (size_t r = 0; r < kRows; ++r) largest[r] = SetLanes16(MaxLane(largest[r]));
  for (size_t i = 0; i < whole; i += 16) {
    add(i, 16);
    for (size_t r = 0; r < kRows; ++r) StoreLanes16(powers[r], y + r * axis + i, 16);
  }
  if (rest != 0) add(whole, rest);
  for (size_t r = 0; r < kRows; ++r) {
    const FloatVec factor = Divide(Set(1.0f), Set(SumInPlace(sums[r])));
    const auto scale = [=](FloatVec v) HWY_ATTR { return hn::Mul(v, factor); };
    float* row = y + r * axis;
    Map(row, row, whole, scale);
    if (rest == 0) continue;
    for (FloatVec& v : powers[r].v) v = scale(v);
    StoreLanes16(powers[r], row + whole, rest);
  }
}

void SoftmaxRows(const SoftmaxShape& shape, const float* x, float* y) {
  const size_t axis = shape.axis;
  if (axis == 0) return;  // the rows are unbounded in this case
  size_t rows = shape.outer;
  for (; rows >= kSoftmaxRows; rows -= kSoftmaxRows) {
    SoftmaxTogether<kSoftmaxRows>(axis, x, y);
    x += kSoftmaxRows * axis;
    y += kSoftmaxRows * axis;
  }
  for (; kSoftmaxRows > 1 && rows != 0; --rows, x += axis, y += axis) {
    SoftmaxTogether<1>(axis, x, y);
  }
}
#endif

void Softmax(const SoftmaxShape& shape, const float* x, float* y) {
  // With an inner of 0 there are no elements, whatever outer and axis are.
  const bool has_rows = shape.axis != 0 && shape.inner != 0;
  if (shape.causal != 0 && has_rows) return CausalSoftmax(shape, x, y);
  const bool logarithm = shape.logarithm != 0;
#if HWY_TARGET != HWY_SCALAR
  if (shape.inner == 1 && !logarithm && shape.axis <= 16 * kSumBlock) {
    return SoftmaxRows(shape, x, y);
  }
#endif
  ForLines(shape.outer, shape.axis, shape.inner, [=](const Lines& lines, size_t at) HWY_ATTR {
    const Lanes16 largest = LargestOf(lines, x + at);
    const Lanes16 sums = SumOfPowers(lines, largest, x + at, logarithm ? nullptr : y + at);
    Finish(lines, logarithm, largest, sums, x + at, y + at);
  });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Softmax, (const SoftmaxShape& shape, const float* x, float* y), (shape, x, y))
