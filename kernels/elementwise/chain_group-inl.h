// SPDX-License-Identifier: Apache-2.0
// Runs the cheap instructions of a chain, one after another, on a group of vectors that stay in
// registers. A group pays for the dispatch of an instruction once. The formulas are those of
// binary.cc and activation.cc, so that results are bit-identical to separate steps.

#if defined(WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUP_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUP_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUP_INL_H_
#endif

#include "kernels/elementwise/chain_part.h"
#include "kernels/simd/math-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// kVectors vectors; a single vector may be partial, with `lanes` elements.
template <size_t kVectors>
struct ChainGroup {
  FloatVec v[kVectors];
  size_t lanes;

  HWY_INLINE FloatVec At(const float* p, size_t j) const {
    return kVectors == 1 ? LoadFirst(p, lanes) : hn::LoadU(FloatTag(), p + j * kLanes);
  }
  HWY_INLINE void StoreTo(float* p) const {
    if (kVectors == 1) return StoreFirst(v[0], p, lanes);
    HWY_UNROLL(8)
    for (size_t j = 0; j < kVectors; ++j) Store(v[j], p + j * kLanes);
  }
  // v[j] = function(j)
  template <class Function>
  HWY_INLINE void Compute(const Function& function) {
    HWY_UNROLL(8)
    for (size_t j = 0; j < kVectors; ++j) v[j] = function(j);
  }
};

#define WEFT_PAIRS(op, formula)                                       \
  case BinaryOp::op:                                                  \
    return group->Compute([&](size_t j) HWY_ATTR WEFT_ALWAYS_INLINE { \
      const FloatVec a = left(j), b = right(j);                       \
      return formula;                                                 \
    });

template <size_t kVectors, class Left, class Right>
HWY_INLINE void ComputePairs(BinaryOp op, const Left& left, const Right& right,
                             ChainGroup<kVectors>* group) {
  switch (op) {
    WEFT_PAIRS(kAdd, hn::Add(a, b))
    WEFT_PAIRS(kSubtract, hn::Sub(a, b))
    WEFT_PAIRS(kMultiply, hn::Mul(a, b))
    WEFT_PAIRS(kDivide, Divide(a, b))
    WEFT_PAIRS(kMaximum, Greater(a, b))
    WEFT_PAIRS(kMinimum, Lesser(a, b))
    WEFT_PAIRS(kSquaredDifference, hn::Mul(hn::Sub(a, b), hn::Sub(a, b)))
    WEFT_PAIRS(kPrelu, hn::IfThenElse(hn::Lt(a, Set(0.0f)), hn::Mul(a, b), a))
    default:
      return;
  }
}

#undef WEFT_PAIRS

#define WEFT_EACH(op, formula)                                        \
  case UnaryOp::op:                                                   \
    return group->Compute([&](size_t j) HWY_ATTR WEFT_ALWAYS_INLINE { \
      const FloatVec a = group->v[j];                                 \
      return formula;                                                 \
    });

template <size_t kVectors>
HWY_INLINE void ComputeEach(UnaryOp op, float alpha, float beta, ChainGroup<kVectors>* group) {
  switch (op) {
    WEFT_EACH(kAbs, hn::Abs(a))
    WEFT_EACH(kNegative, hn::Neg(a))
    WEFT_EACH(kRelu, Relu(a))
    WEFT_EACH(kClamp, Clamp(a, alpha, beta))
    WEFT_EACH(kRoundEven, RoundEven(a))
    WEFT_EACH(kFloor, RoundDown(a))
    WEFT_EACH(kSqrt, SquareRoot(a))
    default:
      return;
  }
}

#undef WEFT_EACH

template <size_t kVectors>
HWY_INLINE void LoadOperand(const float* p, bool is_number, ChainGroup<kVectors>* group) {
  if (is_number) {
    const FloatVec number = Set(*p);
    group->Compute([=](size_t) HWY_ATTR WEFT_ALWAYS_INLINE { return number; });
  } else {
    group->Compute([=](size_t j) HWY_ATTR WEFT_ALWAYS_INLINE { return group->At(p, j); });
  }
}

template <size_t kVectors>
HWY_INLINE void RunPart(const ChainPart& part, const float* other, ChainGroup<kVectors>* group) {
  const auto op = static_cast<BinaryOp>(part.op - kChainBinary);
  const auto last = [=](size_t j) HWY_ATTR WEFT_ALWAYS_INLINE { return group->v[j]; };
  const auto memory = [=](size_t j) HWY_ATTR WEFT_ALWAYS_INLINE { return group->At(other, j); };
  switch (part.form) {
    case ChainForm::kUnary:
      return ComputeEach(static_cast<UnaryOp>(part.op), part.numbers[0], part.numbers[1], group);
    case ChainForm::kBoth:
      return ComputePairs(op, last, last, group);
    case ChainForm::kMemory:
      return ComputePairs(op, last, memory, group);
    case ChainForm::kFromMemory:
      return ComputePairs(op, memory, last, group);
    case ChainForm::kNumber:
    case ChainForm::kFromNumber:
      break;
  }
  const FloatVec value = Set(*other);
  const auto number = [=](size_t) HWY_ATTR WEFT_ALWAYS_INLINE { return value; };
  if (part.form == ChainForm::kNumber) return ComputePairs(op, last, number, group);
  ComputePairs(op, number, last, group);
}

// Runs the parts [part, end), the first of which begins with a load, on the elements from `at` on.
// The last one writes y.
template <size_t kVectors>
HWY_INLINE void RunGroup(const ChainPart* part, const ChainPart* end, const float* const* operands,
                         const size_t* steps, size_t at, size_t lanes, float* y) {
  const auto address = [=](uint8_t operand)
                           HWY_ATTR { return operands[operand] + at * steps[operand]; };
  ChainGroup<kVectors> group;
  group.lanes = lanes;
  LoadOperand(address(part->first), part->loads_number, &group);
  for (;;) {
    RunPart(*part, address(part->other), &group);
    float* const to = part + 1 == end ? y : part->to;
    if (to != nullptr) group.StoreTo(to + at);
    if (++part == end) return;
    if (part->loads) LoadOperand(address(part->first), part->loads_number, &group);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_CHAIN_GROUP_INL_H_
