// SPDX-License-Identifier: Apache-2.0
// Rules of Traits::scalar that several families share.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_SCALARS_H_
#define WEFT_CONVERTER_OPS_SUPPORT_SCALARS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "converter/ops/traits.h"

namespace weft::ops {

using Scalars = std::span<const std::optional<int64_t>>;

// Returns input 0 unchanged.
inline std::optional<int64_t> SameScalar(const ir::Node&, Scalars inputs) {
  return inputs.empty() ? std::nullopt : inputs[0];
}

// Returns apply(a, b) if both are known. Operands have at most 32 bits, so that the result fits 64.
template <int64_t (*apply)(int64_t a, int64_t b)>
std::optional<int64_t> ScalarOfBoth(const ir::Node&, Scalars inputs) {
  if (inputs.size() != 2 || !inputs[0] || !inputs[1]) return std::nullopt;
  return apply(*inputs[0], *inputs[1]);
}

constexpr Traits PointwiseBy(ScalarRule rule) { return {.scalar = rule, .pointwise = true}; }

// An elementwise operation of two inputs with such a rule, a polynomial (Traits).
template <int64_t (*apply)(int64_t a, int64_t b)>
inline constexpr Traits kPointwiseOfBoth = {
    .scalar = ScalarOfBoth<apply>, .scalar_is_polynomial = true, .pointwise = true};

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_SCALARS_H_
