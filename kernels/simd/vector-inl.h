// SPDX-License-Identifier: Apache-2.0
// The vector types of all kernels: at most 16 floats, so that one panel of 16 is a multiple of a
// vector on every target (1 vector on AVX-512, 2 on AVX2, 4 on NEON, 16 on the scalar target).
// Operations that differ between targets in the last bit, or for NaN, are defined here: use these
// functions instead of Highway's MulAdd, Div, Sqrt, Min and Max. Include it after
// hwy/foreach_target.h, outside any namespace. Vectors have a known size: targets with sizeless
// ones (SVE, RVV) are not built.

#if defined(WEFT_KERNELS_SIMD_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_VECTOR_INL_H_
#undef WEFT_KERNELS_SIMD_VECTOR_INL_H_
#else
#define WEFT_KERNELS_SIMD_VECTOR_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/simd/fused.h"

// If 1, the instructions of a kernel do not depend on its numbers, as far as docs/safety.md says.
#ifndef WEFT_CONSTANT_TIME
#define WEFT_CONSTANT_TIME 0
#endif

// For a lambda that is called in two loops and is worth inlining in both.
#undef WEFT_ALWAYS_INLINE
#define WEFT_ALWAYS_INLINE __attribute__((always_inline))

// The same, except if vectors have one lane, because code is expensive there.
#undef WEFT_INLINE_BODY
#if HWY_TARGET == HWY_SCALAR
#define WEFT_INLINE_BODY
#else
#define WEFT_INLINE_BODY WEFT_ALWAYS_INLINE
#endif

// A part of a kernel: a separate function if vectors have one lane, because code and stack are
// expensive there; otherwise inlined.
#undef WEFT_PART
#if HWY_TARGET == HWY_SCALAR
#define WEFT_PART HWY_NOINLINE inline
#else
#define WEFT_PART HWY_INLINE
#endif

// The last lines of a kernel: WEFT_EXPORT(Map, (const float* x, float* y), (x, y)) defines
// weft::kernels::Map, which calls the code for this processor, by Highway's HWY_EXPORT and
// HWY_DYNAMIC_DISPATCH. Empty except in the last pass over the source, where HWY_ONCE is 1.
#undef WEFT_EXPORT
#if HWY_ONCE
#define WEFT_EXPORT(name, parameters, arguments)                 \
  namespace weft::kernels {                                      \
  HWY_EXPORT(name);                                              \
  void name parameters { HWY_DYNAMIC_DISPATCH(name) arguments; } \
  }
#else
#define WEFT_EXPORT(...)
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR && defined(__clang__) && defined(__ARM_FEATURE_MVE)
// Helium's "less" is true for a NaN. Clang 19 ignores this when it reverses a comparison with a
// constant, and also for tests for NaN. So bits are compared here, which Clang can still vectorise.
// Functions not listed here are Highway's.
namespace hn {
using namespace hwy::HWY_NAMESPACE;
using hwy::HWY_NAMESPACE::Gt;
using hwy::HWY_NAMESPACE::Le;
using hwy::HWY_NAMESPACE::Lt;

using Float = hwy::HWY_NAMESPACE::Vec1<float>;
using Truth = hwy::HWY_NAMESPACE::Mask1<float>;

HWY_INLINE uint32_t BitsOf(Float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x.raw, sizeof(bits));
  return bits;
}
HWY_INLINE bool IsNumber(Float x) { return (BitsOf(x) & 0x7FFFFFFFu) <= 0x7F800000u; }

// IsConstant: the bits are a compile-time constant with the given sign. IsBeyond: a is farther from
// zero than that constant; the bits grow with the magnitude, up to those of infinity.
HWY_INLINE bool IsConstant(uint32_t bits, uint32_t sign) {
  return __builtin_constant_p(bits) && bits >= sign && bits < sign + 0x7F800000u;
}
HWY_INLINE Truth IsBeyond(Float a, uint32_t bits, uint32_t sign) {
  return Truth::FromBool(BitsOf(a) - (bits + 1) <= sign + 0x7F800000u - (bits + 1));
}

HWY_INLINE Truth IsNaN(Float x) { return Truth::FromBool(!IsNumber(x)); }
// Returns `less` if a and b are numbers.
HWY_INLINE Truth OfNumbers(bool less, Float a, Float b) {
#if WEFT_CONSTANT_TIME
  return Truth::FromBool((int{less} & int{IsNumber(a)} & int{IsNumber(b)}) != 0);
#else
  return Truth::FromBool(less && IsNumber(a) && IsNumber(b));
#endif
}
HWY_INLINE Truth Lt(Float a, Float b) {
  constexpr uint32_t kSign = 0x80000000u;
  if (IsConstant(BitsOf(b), kSign)) return IsBeyond(a, BitsOf(b), kSign);
  return OfNumbers(!(a.raw >= b.raw), a, b);
}
HWY_INLINE Truth Gt(Float a, Float b) {
  if (IsConstant(BitsOf(b), 0)) return IsBeyond(a, BitsOf(b), 0);
  return Truth::FromBool(a.raw > b.raw);
}
HWY_INLINE Truth Le(Float a, Float b) { return OfNumbers(!(a.raw > b.raw), a, b); }

#if WEFT_CONSTANT_TIME
// A selection stays one; Clang may compile others to branches.
using hwy::HWY_NAMESPACE::IfThenElse;
using hwy::HWY_NAMESPACE::IfThenZeroElse;

HWY_INLINE Float IfThenElse(Truth truth, Float yes, Float no) {
  return Float(__builtin_unpredictable(truth.bits != 0) ? yes.raw : no.raw);
}
HWY_INLINE Float IfThenZeroElse(Truth truth, Float no) {
  return IfThenElse(truth, Float(0.0f), no);
}
#endif
}  // namespace hn
#elif HWY_TARGET == HWY_SCALAR && !defined(__clang__) && !HWY_ARCH_X86
// Selecting one of two objects, GCC uses their addresses, which forces both into memory; it selects
// two floats in registers. Functions not listed here are Highway's. Not on x86: there GCC would
// generate a maximum, which flushes a subnormal number where the vector selection keeps it.
namespace hn {
using namespace hwy::HWY_NAMESPACE;
using hwy::HWY_NAMESPACE::IfThenElse;
using hwy::HWY_NAMESPACE::IfThenZeroElse;
using hwy::HWY_NAMESPACE::Neg;

using Float = hwy::HWY_NAMESPACE::Vec1<float>;
using Truth = hwy::HWY_NAMESPACE::Mask1<float>;

#if WEFT_CONSTANT_TIME
// GCC may compile a selection to a branch. It knows nothing about these masks.
HWY_INLINE Float IfThenElse(Truth truth, Float yes, Float no) {
  uint32_t mask = truth.bits, of_yes, of_no;
  __asm__("" : "+r"(mask));
  __builtin_memcpy(&of_yes, &yes.raw, sizeof(of_yes));
  __builtin_memcpy(&of_no, &no.raw, sizeof(of_no));
  const uint32_t bits = (of_yes & mask) | (of_no & ~mask);
  float selected;
  __builtin_memcpy(&selected, &bits, sizeof(selected));
  return Float(selected);
}
HWY_INLINE Float IfThenZeroElse(Truth truth, Float no) {
  return IfThenElse(truth, Float(0.0f), no);
}
#else
HWY_INLINE Float IfThenElse(Truth truth, Float yes, Float no) {
  return Float(truth.bits != 0 ? yes.raw : no.raw);
}
HWY_INLINE Float IfThenZeroElse(Truth truth, Float no) {
  return Float(truth.bits != 0 ? 0.0f : no.raw);
}
#endif
HWY_INLINE Float Neg(Float x) { return Float(-x.raw); }
}  // namespace hn
#else
namespace hn = hwy::HWY_NAMESPACE;
#endif

using FloatTag = hn::CappedTag<float, 16>;
using IntTag = hn::RebindToSigned<FloatTag>;
using FloatVec = hn::Vec<FloatTag>;
using IntVec = hn::Vec<IntTag>;
using FloatMask = hn::Mask<FloatTag>;

inline constexpr size_t kLanes = HWY_MAX_LANES_D(FloatTag);
inline constexpr size_t kPanelVectors = 16 / kLanes;

HWY_INLINE FloatVec Set(float value) { return hn::Set(FloatTag(), value); }
HWY_INLINE IntVec SetInt(int32_t value) { return hn::Set(IntTag(), value); }

// Accesses memory as floats. Highway's scalar target accesses bytes, which costs a move from an
// integer register for every load on Cortex-M.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE FloatVec Load(const float* p) { return FloatVec(*p); }
HWY_INLINE void Store(FloatVec v, float* p) { *p = v.raw; }
#else
HWY_INLINE FloatVec Load(const float* p) { return hn::LoadU(FloatTag(), p); }
HWY_INLINE void Store(FloatVec v, float* p) { hn::StoreU(v, FloatTag(), p); }
#endif

// Loads or stores the first `count` <= kLanes lanes. Other lanes are loaded as zero, and are not
// stored.
HWY_INLINE FloatVec LoadFirst(const float* p, size_t count) {
#if HWY_TARGET == HWY_SCALAR
  return FloatVec(count != 0 ? *p : 0.0f);
#else
  if (count == kLanes) return Load(p);  // removed if count is a constant
  return hn::LoadN(FloatTag(), p, count);
#endif
}
#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_X86
// Stores the first `count` lanes in pieces of 8, 4, 2 and 1. A masked store is slow on some
// processors; on others a load of the bytes after its lanes waits for it.
template <class D>
HWY_INLINE void StorePieces(D, hn::Vec<D> v, float* p, size_t count) {
  if constexpr (HWY_MAX_LANES_D(D) > 1) {
    const hn::Half<D> half;
    hn::Vec<hn::Half<D>> piece = hn::LowerHalf(half, v);
    if ((count & HWY_MAX_LANES_D(hn::Half<D>)) != 0) {
      hn::StoreU(piece, half, p);
      p += HWY_MAX_LANES_D(hn::Half<D>);
      piece = hn::UpperHalf(half, v);
    }
    StorePieces(half, piece, p, count);
  }
}
#endif
HWY_INLINE void StoreFirst(FloatVec v, float* p, size_t count) {
#if HWY_TARGET == HWY_SCALAR
  if (count != 0) *p = v.raw;
#else
  if (count == kLanes) return Store(v, p);
#if HWY_ARCH_X86
  StorePieces(FloatTag(), v, p, count);
#else
  hn::StoreN(v, FloatTag(), p, count);
#endif
#endif
}

// a * b + c of one float, rounded once. Every target compiles this to its instruction or to a call,
// except WebAssembly with vectors, which computes it as in vectors.
HWY_INLINE float Fma(float a, float b, float c) {
#if HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return wasm_f32x4_extract_lane(
      wasm_f32x4_relaxed_madd(wasm_f32x4_splat(a), wasm_f32x4_splat(b), wasm_f32x4_splat(c)), 0);
#elif HWY_TARGET == HWY_WASM
  return a * b + c;
#elif HWY_TARGET == HWY_SCALAR && defined(WEFT_SOFT_FMA)
  return WEFT_SOFT_FMA(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

// The same for vectors. Highway's MulAdd rounds twice on the scalar target and on WebAssembly.
HWY_INLINE FloatVec Fma(FloatVec a, FloatVec b, FloatVec c) {
#if HWY_TARGET == HWY_SCALAR
  return FloatVec(Fma(a.raw, b.raw, c.raw));
#elif HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return FloatVec{static_cast<decltype(a.raw)>(wasm_f32x4_relaxed_madd(a.raw, b.raw, c.raw))};
#else
  return hn::MulAdd(a, b, c);
#endif
}

// c - a * b, rounded once.
HWY_INLINE FloatVec Fnma(FloatVec a, FloatVec b, FloatVec c) {
#if HWY_TARGET == HWY_SCALAR
  return FloatVec(Fma(-a.raw, b.raw, c.raw));
#elif HWY_TARGET == HWY_WASM && defined(__wasm_relaxed_simd__)
  return FloatVec{static_cast<decltype(a.raw)>(wasm_f32x4_relaxed_nmadd(a.raw, b.raw, c.raw))};
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

#if HWY_TARGET != HWY_SCALAR && HWY_ARCH_ARM_V7
// armv7 vectors have no division and no square root, only Newton steps that miss the last bit; its
// scalar unit has both, exactly rounded.
template <class Function>
HWY_INLINE FloatVec LaneByLane(FloatVec a, FloatVec b, Function function) {
  HWY_ALIGN float lanes_a[kLanes];
  HWY_ALIGN float lanes_b[kLanes];
  hn::Store(a, FloatTag(), lanes_a);
  hn::Store(b, FloatTag(), lanes_b);
  for (size_t i = 0; i < kLanes; ++i) lanes_a[i] = function(lanes_a[i], lanes_b[i]);
  return hn::Load(FloatTag(), lanes_a);
}
HWY_INLINE FloatVec Divide(FloatVec a, FloatVec b) {
  return LaneByLane(a, b, [](float p, float q) HWY_ATTR { return p / q; });
}
HWY_INLINE FloatVec SquareRoot(FloatVec a) {
  return LaneByLane(a, a, [](float p, float) HWY_ATTR { return __builtin_sqrtf(p); });
}
#elif HWY_TARGET == HWY_SCALAR
HWY_INLINE FloatVec Divide(FloatVec a, FloatVec b) { return FloatVec(a.raw / b.raw); }
HWY_INLINE FloatVec SquareRoot(FloatVec a) { return FloatVec(__builtin_sqrtf(a.raw)); }
#else
HWY_INLINE FloatVec Divide(FloatVec a, FloatVec b) { return hn::Div(a, b); }
HWY_INLINE FloatVec SquareRoot(FloatVec a) { return hn::Sqrt(a); }
#endif

// min(x, limit) and max(x, limit), where a NaN x stays NaN. The limit must be a number other than
// zero, whose sign would be ambiguous. x86 returns its second operand if one is NaN.
HWY_INLINE FloatVec AtMost(FloatVec x, float limit) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Min(Set(limit), x);
#else
  return hn::IfThenElse(hn::Lt(Set(limit), x), Set(limit), x);
#endif
}
HWY_INLINE FloatVec AtLeast(FloatVec x, float limit) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Max(Set(limit), x);
#else
  return hn::IfThenElse(hn::Lt(x, Set(limit)), Set(limit), x);
#endif
}

// Clamp x to [low, high], and max(x, 0). A NaN stays NaN. A zero keeps its sign, and so does a
// subnormal number that counts as zero (the single x86 instruction would return +0). The bounds may
// be zero or infinite.
HWY_INLINE FloatVec Clamp(FloatVec x, float low, float high) {
  const FloatVec raised = hn::IfThenElse(hn::Lt(x, Set(low)), Set(low), x);
  return hn::IfThenElse(hn::Gt(raised, Set(high)), Set(high), raised);
}
HWY_INLINE FloatVec Relu(FloatVec x) { return hn::IfThenZeroElse(hn::Lt(x, Set(0.0f)), x); }

// The larger and the smaller of two numbers; if one is NaN, so is the result; of two zeros b.
HWY_INLINE FloatVec Greater(FloatVec a, FloatVec b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
#else
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
#endif
}
HWY_INLINE FloatVec Lesser(FloatVec a, FloatVec b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b));
#else
  return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
#endif
}

// The same for two floats.
#if WEFT_CONSTANT_TIME && HWY_TARGET == HWY_SCALAR
HWY_INLINE float Greater(float a, float b) { return Greater(FloatVec(a), FloatVec(b)).raw; }
HWY_INLINE float Lesser(float a, float b) { return Lesser(FloatVec(a), FloatVec(b)).raw; }
#else
HWY_INLINE float Greater(float a, float b) { return a > b || a != a ? a : b; }
HWY_INLINE float Lesser(float a, float b) { return a < b || a != a ? a : b; }
#endif

// Asserts that iterations are independent, also if an output overwrites the input of the same
// index. With this knowledge, which it cannot derive from the pointers, Clang vectorises scalar
// code to Helium.
#undef WEFT_NO_LOOP_DEPENDENCE
#if defined(__clang__) && HWY_TARGET == HWY_SCALAR
#define WEFT_NO_LOOP_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define WEFT_NO_LOOP_DEPENDENCE
#endif

// Calls body(i, lanes) with lanes = kLanes for every full vector of [0, count), then once for the
// remainder, which LoadFirst and StoreFirst handle.
template <class Body>
HWY_INLINE void ForVectors(size_t count, const Body& body) {
  size_t i = 0;
  WEFT_NO_LOOP_DEPENDENCE
  for (; i + kLanes <= count; i += kLanes) body(i, kLanes);
  if (kLanes > 1 && i < count) body(i, count - i);
}

// y[i] = function(x[i]); y may be x.
template <class Function>
HWY_INLINE void Map(const float* x, float* y, size_t count, const Function& function) {
  size_t i = 0;
  WEFT_NO_LOOP_DEPENDENCE
  for (; i + kLanes <= count; i += kLanes) Store(function(Load(x + i)), y + i);
  if (kLanes > 1 && i < count) {
    StoreFirst(function(LoadFirst(x + i, count - i)), y + i, count - i);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_VECTOR_INL_H_
