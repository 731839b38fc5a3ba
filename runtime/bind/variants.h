// SPDX-License-Identifier: Apache-2.0
// The variants of kernels (kernels/variants.inc) that a step calls, derived from its parameters.
// Used by the rules of the step and by the converter when it lists what a model needs.
#ifndef WEFT_RUNTIME_BIND_VARIANTS_H_
#define WEFT_RUNTIME_BIND_VARIANTS_H_

#include <type_traits>

#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"
#include "runtime/format/weft_generated.h"

namespace weft::bind {

// The column Params of the table.
namespace variant_params {
using Activation = format::Activation;
using CodeRange = format::CodeRange;
#define WEFT_STEP(name, Name, ...) using Name = format::Name##Params;
#include "runtime/format/ops.inc"
#undef WEFT_STEP
}  // namespace variant_params

// Calls visit(variant), with a constant as a type, for each variant that the parameters need.
// Activations in them are visited as parameters of their own.
template <typename Params, typename Visit>
void ForEachVariant(const Params& p, const Visit& visit) {
#define WEFT_VARIANT(name, Name, Of, needed)                                                  \
  if constexpr (std::is_same<Params, variant_params::Of>::value) {                            \
    if (needed) visit(std::integral_constant<kernels::Variant, kernels::Variant::k##Name>()); \
  }
#include "kernels/variants.inc"
#undef WEFT_VARIANT
  (void)p, (void)visit;
}

template <typename Params>
bool AreVariantsLinked(const Params& p) {
  bool all = true;
  ForEachVariant(p,
                 [&](auto variant) { all = all && kernels::IsLinked<decltype(variant)::value>(); });
  return all;
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_VARIANTS_H_
