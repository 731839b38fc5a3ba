// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include <limits>

#include "kernels/strided_iterator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Initial value of an accumulator, and the value of lanes without an element.
HWY_INLINE float NeutralOf(ReduceOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (op) {
    case ReduceOp::kMax:
      return -kInfinity;
    case ReduceOp::kMin:
      return kInfinity;
    case ReduceOp::kProduct:
      return 1.0f;
    default:
      return 0.0f;
  }
}

HWY_INLINE FloatVec StepOne(ReduceOp op, FloatVec sum, FloatVec x) {
  switch (op) {
    case ReduceOp::kMax:
      return Greater(x, sum);
    case ReduceOp::kMin:
      return Lesser(x, sum);
    case ReduceOp::kProduct:
      return hn::Mul(sum, x);
    case ReduceOp::kL1:
      return hn::Add(sum, hn::Abs(x));
    case ReduceOp::kL2:
      return Fma(x, x, sum);
    default:
      return hn::Add(sum, x);
  }
}

// Sixteen partial results; those of additions are summed in blocks.
struct Partials {
  ReduceOp op;
  bool adds;
  LongSum sum;
};

WEFT_PART Partials Begin(ReduceOp op) {
  const bool adds = op != ReduceOp::kMax && op != ReduceOp::kMin && op != ReduceOp::kProduct;
  return {op, adds, BeginSum(NeutralOf(op))};
}

WEFT_PART void Step(Partials& partials, const Lanes16& x) {
  const ReduceOp op = partials.op;
  partials.sum.sums = Combine(partials.sum.sums, x, [op](FloatVec sum, FloatVec v) HWY_ATTR {
    return StepOne(op, sum, v);
  });
  if (partials.adds) EndTerm(partials.sum);
}

WEFT_PART Lanes16 End(const Partials& partials) {
  return partials.adds ? TotalOf(partials.sum) : partials.sum.sums;
}

// Joins two floats, or two vectors lane by lane.
HWY_INLINE float JoinTwo(ReduceOp op, float a, float b) {
  switch (op) {
    case ReduceOp::kMax:
      return Greater(a, b);
    case ReduceOp::kMin:
      return Lesser(a, b);
    case ReduceOp::kProduct:
      return a * b;
    default:
      return a + b;
  }
}
HWY_INLINE FloatVec JoinTwo(ReduceOp op, FloatVec a, FloatVec b) {
  switch (op) {
    case ReduceOp::kMax:
      return Greater(a, b);
    case ReduceOp::kMin:
      return Lesser(a, b);
    case ReduceOp::kProduct:
      return hn::Mul(a, b);
    default:
      return hn::Add(a, b);
  }
}

HWY_INLINE float Join(ReduceOp op, const Lanes16& partials) {
  return ReduceLanes(partials, [op](auto a, auto b) HWY_ATTR { return JoinTwo(op, a, b); });
}

// Finishes `count` outputs. A single output is processed as a float: a vector load would wait for
// the store of the float, and its square root is slower.
HWY_INLINE void Close(ReduceOp op, float element_count, float* y, size_t count) {
  if (kLanes > 1 && count == 1) {
    if (op == ReduceOp::kMean && element_count != 0.0f) *y /= element_count;
    if (op == ReduceOp::kL2) *y = __builtin_sqrtf(*y);
    return;
  }
  if (op == ReduceOp::kMean && element_count != 0.0f) {
    Map(y, y, count, [=](FloatVec v) HWY_ATTR { return Divide(v, Set(element_count)); });
  } else if (op == ReduceOp::kL2) {
    Map(y, y, count, [](FloatVec v) HWY_ATTR { return SquareRoot(v); });
  }
}

// With one lane, strided elements are read as fast as contiguous ones. Vectors process sixteen
// outputs at once instead.
inline constexpr bool kGathersRuns = kLanes == 1;

// Computes one output: element i of a run, `step` apart, is added to partial i % 16.
WEFT_PART float ReduceRuns(const ReduceShape& shape, const float* x) {
  const uint32_t outer_rank = shape.reduced_rank - 1;
  const uint32_t* dims = shape.dims + shape.kept_rank;
  const float neutral = NeutralOf(shape.op);
  const uint32_t* strides = shape.strides + shape.kept_rank;
  const size_t count = dims[outer_rank], step = kGathersRuns ? strides[outer_rank] : 1;
  Partials partials = Begin(shape.op);
  StridedIterator<uint32_t, 1> iterator(outer_rank, dims, {strides});
  do {
    const float* run = x + iterator.offset(0);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
      Step(partials, LoadLanes16(run + i * step, step, 16, neutral));
    }
    if (i < count) Step(partials, LoadLanes16(run + i * step, step, count - i, neutral));
  } while (iterator.Next());
  return Join(shape.op, End(partials));
}

// Maximum length of a run for which each partial is one sequential sum.
inline constexpr size_t kShortRun = size_t{16} * kSumBlock;

// The same for one contiguous run of at most kShortRun elements, where no block ends. Not worth the
// code if vectors have one lane.
template <ReduceOp kOp>
HWY_INLINE float ReduceShortRun(const float* x, size_t count) {
  const float neutral = NeutralOf(kOp);
  Lanes16 partials = SetLanes16(neutral);
  const auto add = [](FloatVec sum, FloatVec v) HWY_ATTR { return StepOne(kOp, sum, v); };
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    partials = Combine(partials, LoadLanes16(x + i, 16, neutral), add);
  }
  if (i < count) partials = Combine(partials, LoadLanes16(x + i, count - i, neutral), add);
  return Join(kOp, partials);
}

HWY_INLINE float ReduceShortRun(ReduceOp op, const float* x, size_t count) {
  switch (op) {
    case ReduceOp::kMax:
      return ReduceShortRun<ReduceOp::kMax>(x, count);
    case ReduceOp::kMin:
      return ReduceShortRun<ReduceOp::kMin>(x, count);
    case ReduceOp::kProduct:
      return ReduceShortRun<ReduceOp::kProduct>(x, count);
    case ReduceOp::kL1:
      return ReduceShortRun<ReduceOp::kL1>(x, count);
    case ReduceOp::kL2:
      return ReduceShortRun<ReduceOp::kL2>(x, count);
    default:
      return ReduceShortRun<ReduceOp::kSum>(x, count);
  }
}

// Computes partial `first` of `count` <= 16 outputs, `stride` apart in x: elements first, first +
// 16, ... of each run. All partials have the same number of terms; missing elements are neutral.
HWY_INLINE Lanes16 ReducePartial(const ReduceShape& shape, const float* x, size_t stride,
                                 size_t count, size_t first) {
  const uint32_t outer_rank = shape.reduced_rank - 1;
  const uint32_t* dims = shape.dims + shape.kept_rank;
  const uint32_t* strides = shape.strides + shape.kept_rank;
  const float neutral = NeutralOf(shape.op);
  if (first >= dims[outer_rank]) return SetLanes16(neutral);
  Partials partials = Begin(shape.op);
  StridedIterator<uint32_t, 1> iterator(outer_rank, dims, {strides});
  do {
    const float* run = x + iterator.offset(0);
    for (size_t i = first; i < dims[outer_rank] + first; i += 16) {
      const bool is_inside = i < dims[outer_rank];
      const float* from = is_inside ? run + i * strides[outer_rank] : run;
      Step(partials, LoadLanes16(from, stride, is_inside ? count : 0, neutral));
    }
  } while (iterator.Next());
  return End(partials);
}

// ReducePartial for sixteen adjacent outputs over one run, if no partial has more terms than one
// sequential sum. ReducePartial adds neutral elements at the end, which change no bit.
template <ReduceOp kOp>
HWY_INLINE Lanes16 ShortPartial(const float* x, size_t step, size_t count, size_t first) {
  Lanes16 sum = SetLanes16(NeutralOf(kOp));
  for (size_t i = first; i < count; i += 16) {
    for (size_t v = 0; v < kPanelVectors; ++v) {
      sum.v[v] = StepOne(kOp, sum.v[v], Load(x + i * step + v * kLanes));
    }
  }
  return sum;
}

HWY_INLINE Lanes16 ShortPartial(ReduceOp op, const float* x, size_t step, size_t count,
                                size_t first) {
  if (op == ReduceOp::kMax) return ShortPartial<ReduceOp::kMax>(x, step, count, first);
  if (op == ReduceOp::kMin) return ShortPartial<ReduceOp::kMin>(x, step, count, first);
  return ShortPartial<ReduceOp::kSum>(x, step, count, first);
}

HWY_INLINE bool HasShortPartials(const ReduceShape& shape) {
  if (shape.reduced_rank != 1) return false;
  if (shape.op == ReduceOp::kMax || shape.op == ReduceOp::kMin) return true;
  const bool is_sum = shape.op == ReduceOp::kSum || shape.op == ReduceOp::kMean;
  return is_sum && shape.dims[shape.kept_rank] <= kShortRun;
}

// Computes `count` <= 16 outputs, `stride` apart in x, each joined from partials in the order of
// ReduceRuns. The pairs of one tree level are joined as soon as both are available, so that one
// result per level is kept.
HWY_INLINE void ReduceRunsApart(const ReduceShape& shape, const float* x, size_t stride,
                                size_t count, float* y) {
  constexpr size_t kLevels = 4;
  constexpr size_t kOrder[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  const auto join = [&shape](FloatVec a, FloatVec b) HWY_ATTR { return JoinTwo(shape.op, a, b); };
  const bool is_short = stride == 1 && count == 16 && HasShortPartials(shape);
  const size_t step = shape.strides[shape.kept_rank], length = shape.dims[shape.kept_rank];
  Lanes16 waiting[kLevels];
  for (size_t i = 0;; ++i) {
    Lanes16 joined = is_short ? ShortPartial(shape.op, x, step, length, kOrder[i])
                              : ReducePartial(shape, x, stride, count, kOrder[i]);
    size_t level = 0;
    for (; (i >> level & 1) != 0; ++level) joined = Combine(waiting[level], joined, join);
    if (level == kLevels) return StoreLanes16(joined, y, count);
    waiting[level] = joined;
  }
}

// Computes `count` <= 16 adjacent outputs, `stride` apart in x, each one sequential accumulation.
WEFT_PART void ReduceChains(const ReduceShape& shape, const float* x, size_t stride, size_t count,
                            float* y) {
  const float neutral = NeutralOf(shape.op);
  Partials partials = Begin(shape.op);
  StridedIterator<uint32_t, 1> iterator(shape.reduced_rank, shape.dims + shape.kept_rank,
                                        {shape.strides + shape.kept_rank});
  do {
    Step(partials, LoadLanes16(x + iterator.offset(0), stride, count, neutral));
  } while (iterator.Next());
  StoreLanes16(End(partials), y, count);
}

// Computes all outputs, each over at least one element.
void ReduceFloats(const ReduceShape& shape, float element_count, const float* x, float* y) {
  const uint32_t rank = shape.kept_rank + shape.reduced_rank;
  const bool has_runs = HasRuns(shape);
  const bool is_apart = has_runs && shape.strides[rank - 1] != 1 && !kGathersRuns;
  const bool is_short = kLanes > 1 && has_runs && !is_apart && shape.reduced_rank == 1 &&
                        shape.dims[rank - 1] <= kShortRun;
  const uint32_t outer_rank = shape.kept_rank == 0 ? 0 : shape.kept_rank - 1;
  const size_t count = shape.kept_rank == 0 ? 1 : shape.dims[outer_rank];
  const size_t stride = shape.kept_rank == 0 ? 1 : shape.strides[outer_rank];
  StridedIterator<uint32_t, 1> iterator(outer_rank, shape.dims, {shape.strides});
  do {
    const float* from = x + iterator.offset(0);
    if (has_runs && !is_apart) {
      for (size_t i = 0; i < count; ++i) {
        const float* run = from + i * stride;
        y[i] =
            is_short ? ReduceShortRun(shape.op, run, shape.dims[rank - 1]) : ReduceRuns(shape, run);
      }
    } else {
      for (size_t i = 0; i < count; i += 16) {
        const size_t left = count - i < 16 ? count - i : 16;
        if (is_apart) {
          ReduceRunsApart(shape, from + i * stride, stride, left, y + i);
        } else {
          ReduceChains(shape, from + i * stride, stride, left, y + i);
        }
      }
    }
    Close(shape.op, element_count, y, count);
    y += count;
  } while (iterator.Next());
}

void FillNeutral(ReduceOp op, float* y, size_t count) {
  for (size_t i = 0; i < count; ++i) y[i] = NeutralOf(op);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(ReduceFloats);
HWY_EXPORT(FillNeutral);

__attribute__((weak)) void ReduceIntegers(const ReduceShape& shape, size_t element_count,
                                          const void* x, void* y);

namespace {

size_t ProductOf(const uint32_t* dims, uint32_t rank) {
  size_t product = 1;
  for (uint32_t d = 0; d < rank; ++d) product *= dims[d];
  return product;
}

}  // namespace

bool ReduceKnows(ReduceOp op, Element type) {
  const bool is_logical = op == ReduceOp::kLogicalAnd || op == ReduceOp::kLogicalOr;
  switch (type) {
    case Element::kF32:
      return !is_logical;
    case Element::kI32:
    case Element::kI64:
      return !is_logical && op != ReduceOp::kL2;
    case Element::kBoolean:
      return is_logical;
    default:
      return false;
  }
}

void Reduce(const ReduceShape& shape, const void* x, void* y) {
  if (!ReduceKnows(shape.op, shape.type) || IsEmpty(shape.dims, shape.kept_rank)) return;
  const size_t element_count = ProductOf(shape.dims + shape.kept_rank, shape.reduced_rank);
  if (shape.type != Element::kF32) {
    if (&ReduceIntegers != nullptr) ReduceIntegers(shape, element_count, x, y);
    return;
  }
  if (element_count == 0) {
    HWY_DYNAMIC_DISPATCH(FillNeutral)
    (shape.op, static_cast<float*>(y), ProductOf(shape.dims, shape.kept_rank));
    return;
  }
  HWY_DYNAMIC_DISPATCH(ReduceFloats)
  (shape, static_cast<float>(element_count), static_cast<const float*>(x), static_cast<float*>(y));
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
