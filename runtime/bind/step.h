// SPDX-License-Identifier: Apache-2.0
// The include of every bind/<step>.cc: the checker of its rules, the footprints, and macros that
// convert the parameters of the step to the geometry of its kernel by the names of their fields:
//
//   WEFT_FIELDS((rows)(inputs))     shape.rows = params.rows(); shape.inputs = params.inputs();
//   WEFT_RUN(Fill, (count)(bits))   defines Run(params, operands), for a kernel with the parameters
//                                   (const FillShape&, pointers to all operands in order)
#ifndef WEFT_RUNTIME_BIND_STEP_H_
#define WEFT_RUNTIME_BIND_STEP_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/window.h"
#include "kernels/simd/code_range.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/footprint/steps.h"

namespace weft::bind {

WEFT_INLINE kernels::Activation ActivationOf(const format::Activation& from) {
  return {from.alpha(), from.beta(), from.clip(), static_cast<kernels::UnaryOp>(from.op())};
}
inline kernels::CodeRange CodesOf(const format::CodeRange& from) {
  return {from.zero(), from.low(), from.high(), from.results() == format::Results::integer_codes};
}

// Numbers, flags and enums.
template <typename To, typename From>
WEFT_INLINE void Assign(To& to, const From& from) {
  to = static_cast<To>(from);
}
WEFT_INLINE void Assign(kernels::Activation& to, const format::Activation& from) {
  to = ActivationOf(from);
}
WEFT_INLINE void Assign(kernels::MapStrides& to, const format::MapStrides& from) {
  to = {from.image(), from.row(), from.pixel(), from.channel()};
}
WEFT_INLINE void Assign(kernels::CodeRange& to, const format::CodeRange& from) {
  to = CodesOf(from);
}
WEFT_INLINE void Assign(kernels::Multiplier& to, const format::Multiplier& from) {
  to = {from.mantissa(), from.exponent()};
}
template <typename T, uint16_t N>
void Assign(T (&to)[N], const flatbuffers::Array<T, N>* from) {
  const T* numbers = footprint::Numbers(from);
  for (uint32_t i = 0; i < N; ++i) to[i] = numbers[i];
}

// Calls a kernel with all operands of a step. The check has verified their types and alignment.
template <typename Shape, typename... Pointers, size_t... kIndices>
WEFT_INLINE void CallWith(void (*kernel)(const Shape&, Pointers...), const Shape& shape,
                          std::byte* const* operands, std::index_sequence<kIndices...>) {
  kernel(shape, reinterpret_cast<Pointers>(operands[kIndices])...);
}
template <typename Shape, typename... Pointers>
WEFT_INLINE void Call(void (*kernel)(const Shape&, Pointers...), const Shape& shape,
                      std::byte* const* operands) {
  CallWith(kernel, shape, operands, std::index_sequence_for<Pointers...>());
}

// The two macros take one name each in turn; the last one is left over and removed.
#define WEFT_FIELDS(names) WEFT_FIELDS_END(WEFT_FIELD_A names)
#define WEFT_FIELD_A(name)           \
  Assign(shape.name, params.name()); \
  WEFT_FIELD_B
#define WEFT_FIELD_B(name)           \
  Assign(shape.name, params.name()); \
  WEFT_FIELD_A
#define WEFT_FIELD_A_END
#define WEFT_FIELD_B_END
#define WEFT_FIELDS_END(text) WEFT_FIELDS_JOIN(text, _END)
#define WEFT_FIELDS_JOIN(text, end) text##end

#define WEFT_RUN(Name, names)                                                \
  void Run(const format::Name##Params& params, std::byte* const* operands) { \
    kernels::Name##Shape shape;                                              \
    WEFT_FIELDS(names)                                                       \
    Call(kernels::Name, shape, operands);                                    \
  }

// clang-format off
// Fields that several steps have.
#define WEFT_ROW_FIELDS \
  (rows)(inputs)(outputs)(x_row_stride)(y_row_stride)(start_row_stride)(activation)
#define WEFT_WINDOW_FIELDS \
  (batch)(in_height)(in_width)(out_height)(out_width)(kernel_height)(kernel_width) \
  (stride_y)(stride_x)(dilation_y)(dilation_x)(pad_top)(pad_left)(x)(y)
#define WEFT_CONV_FIELDS WEFT_WINDOW_FIELDS (groups)(in_channels)(out_channels)(activation)
#define WEFT_DEPTHWISE_FIELDS WEFT_WINDOW_FIELDS (channels)(multiplier)(activation)
#define WEFT_POOL_FIELDS WEFT_WINDOW_FIELDS (channels)(pad_bottom)(pad_right)(op)
#define WEFT_BROADCAST_FIELDS (rank)(dims)(a_strides)(b_strides)
// clang-format on

// Ends every bind/<step>.cc: defines the functions that step_functions.h declares.
#define WEFT_BIND_STEP(name, Name) WEFT_BIND_ENTRY(name, name, Name, Rules, Run)
#define WEFT_BIND_ENTRY(entry, name, Name, Rules, Run)                                   \
  namespace weft::steps {                                                                \
  namespace {                                                                            \
  constexpr bind::KindRules k##Name##Rules##Checks = {                                   \
      [](const void* row, bind::ParamChecker& check) {                                   \
        const auto& params = *static_cast<const format::Name##Params*>(row);             \
        check.RequireZero(bind::ReservedOf(params, 0));                                  \
        bind::name::Rules(params, check);                                                \
        if (check.ok()) footprint::Visit(params, check);                                 \
      },                                                                                 \
      sizeof(format::Name##Params)};                                                     \
  }                                                                                      \
  extern "C" Fault weft_check_##entry(const format::Model& model, uint32_t step_index) { \
    return bind::CheckStep(model, step_index, k##Name##Rules##Checks);                   \
  }                                                                                      \
  extern "C" void weft_run_##entry(const format::Model& model, uint32_t param,           \
                                   std::byte* const* operands) {                         \
    bind::name::Run(*model.name()->Get(param), operands);                                \
  }                                                                                      \
  }  // namespace weft::steps

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_STEP_H_
