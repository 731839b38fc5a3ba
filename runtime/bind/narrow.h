// SPDX-License-Identifier: Apache-2.0
// The entries of the steps of narrow_steps.inc: a plain one for f32 weights and a narrow one for
// any weight type. Operand 1 is the weights.
#ifndef WEFT_RUNTIME_BIND_NARROW_H_
#define WEFT_RUNTIME_BIND_NARROW_H_

#include <type_traits>

#include "kernels/matrix/weights.h"
#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

// The kernels of other weight types than f32, of which a program links only those that it names.
// Every bind/<step>.cc declares its own kernel completely.
namespace weft::kernels {
struct CellShape;
struct ConvShape;
struct DenseShape;
struct DepthwiseShape;
#define WEFT_WEAK __attribute__((weak)) void
#define WEFT_SCALED_WEIGHTS(name, Name, ...)                                                      \
  WEFT_WEAK Dense(const DenseShape&, const float*, const Name*, const float*, float*);            \
  WEFT_WEAK Conv(const ConvShape&, const float*, const Name*, const float*, float*);              \
  WEFT_WEAK LstmCell(const CellShape&, const float*, const Name*, const float*, const float*,     \
                     const float*, float*, float*);                                               \
  WEFT_WEAK GruCell(const CellShape&, const float*, const Name*, const float*, const float*,      \
                    const float*, float*);                                                        \
  WEFT_WEAK GruResetCell(const CellShape&, const float*, const Name*, const float*, const float*, \
                         float*, float*);
#define WEFT_WEIGHTS(name, Name, ...)                                                          \
  WEFT_WEAK Depthwise(const DepthwiseShape&, const float*, const Name*, const float*, float*); \
  WEFT_SCALED_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
#undef WEFT_SCALED_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind {

// A weight type whose data or sums are not floats would need separate rules for the other operands.
#define WEFT_WEIGHTS(name, Name, x, sum) \
  static_assert(format::ElementType::x == kF32 && format::ElementType::sum == kF32);
#define WEFT_SCALED_WEIGHTS(name, Name, type, x, sum) WEFT_WEIGHTS(name, Name, x, sum)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

// True for steps whose weights may be integers with scales.
template <typename Params>
constexpr bool kMayBeScaled = false;
#define WEFT_SCALED_STEP(name, Name) \
  template <>                        \
  inline constexpr bool kMayBeScaled<format::Name##Params> = true;
#include "runtime/format/narrow_steps.inc"
#undef WEFT_SCALED_STEP

template <typename Params>
constexpr bool IsWeightType(format::ElementType type) {
  switch (type) {
#define WEFT_WEIGHTS(name, ...)   \
  case format::ElementType::name: \
    return true;
#define WEFT_SCALED_WEIGHTS(name, Name, type, ...) \
  case format::ElementType::type:                  \
    return kMayBeScaled<Params>;
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS
    default:
      return type == kF32;
  }
}

// Requires a weight type that this program has linked.
template <typename Params>
WEFT_INLINE void RequireLinkedWeights(ParamChecker& check, const Params& params) {
  const auto type = static_cast<uint32_t>(params.weights());
  check.Require(IsWeightType<Params>(params.weights()), FaultCode::kParamType, type, 0);
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
}

// Calls call(Weight()) with the type that the parameters name, or with float if the step has no
// kernel of that type or this program has not linked it.
template <typename Params, typename Call>
WEFT_INLINE void WithWeights(const Params& params, const Call& call) {
  switch (params.weights()) {
#define WEFT_WEIGHTS(name, Name, ...) \
  case format::ElementType::name:     \
    return call(kernels::Name());
#define WEFT_SCALED_WEIGHTS(name, Name, type, ...)                    \
  case format::ElementType::type:                                     \
    if constexpr (kMayBeScaled<Params>) return call(kernels::Name()); \
    break;
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS
    default:
      break;
  }
  call(float());
}

// Calls call(pointers...) with the operands of a step that has `inputs` inputs: all are floats
// except the weights.
template <typename Weight, uint32_t inputs, typename Call, size_t... kIndices>
WEFT_INLINE void CallWithWeights(const Call& call, std::byte* const* operands,
                                 std::index_sequence<kIndices...>) {
  call(As<std::conditional_t<kIndices == 1, const Weight,
                             std::conditional_t<(kIndices < inputs), const float, float>>>(
      operands[kIndices])...);
}

// Ends bind/<step>.cc instead of WEFT_BIND_STEP. `fields` are those of the kernel's Shape.
// bind/<step>.cc defines Rules without those of the weights.
#define WEFT_BIND_NARROW_STEP(name, Name, Shape, fields)                                         \
  namespace weft::bind::name {                                                                   \
  namespace {                                                                                    \
  void RulesOfFloats(const format::Name##Params& params, ParamChecker& check) {                  \
    Rules(params, check);                                                                        \
    check.RequireOperand(1, kF32, 0);                                                            \
  }                                                                                              \
  void RulesOfNarrow(const format::Name##Params& params, ParamChecker& check) {                  \
    Rules(params, check);                                                                        \
    RequireLinkedWeights(check, params);                                                         \
  }                                                                                              \
  WEFT_INLINE kernels::Shape ShapeOf(const format::Name##Params& params) {                       \
    kernels::Shape shape;                                                                        \
    WEFT_FIELDS(fields)                                                                          \
    return shape;                                                                                \
  }                                                                                              \
  constexpr format::Arity kOperands = format::kArity[static_cast<uint32_t>(format::Kind::name)]; \
  template <typename Weight>                                                                     \
  WEFT_INLINE void RunWith(const kernels::Shape& shape, std::byte* const* operands) {            \
    CallWithWeights<Weight, kOperands.inputs>(                                                   \
        [&](auto... pointers) { kernels::Name(shape, pointers...); }, operands,                  \
        std::make_index_sequence<kOperands.operands()>());                                       \
  }                                                                                              \
  }                                                                                              \
  void Run(const format::Name##Params& params, std::byte* const* operands) {                     \
    RunWith<float>(ShapeOf(params), operands);                                                   \
  }                                                                                              \
  void RunNarrow(const format::Name##Params& params, std::byte* const* operands) {               \
    const kernels::Shape shape = ShapeOf(params);                                                \
    WithWeights(params, [&](auto weight) { RunWith<decltype(weight)>(shape, operands); });       \
  }                                                                                              \
  }                                                                                              \
  WEFT_BIND_ENTRY(name, name, Name, RulesOfFloats, Run)                                          \
  WEFT_BIND_ENTRY(narrow_##name, name, Name, RulesOfNarrow, RunNarrow)

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_NARROW_H_
