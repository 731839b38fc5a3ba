// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/function_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "kernels/simd/fixed_point.h"

namespace weft::graph {
namespace {

using Table = std::vector<int64_t>;

// v(x - zero) is in units of the scale of `to`.
Table TableOf(const QuantParams& from, const QuantParams& to,
              const std::function<int32_t(int32_t above)>& v) {
  Table table;
  for (int code = kMinByte; code <= kMaxByte; ++code) {
    table.push_back(CodeOfInteger(v(code - from.zero), to));
  }
  return table;
}

// A function from Q4 to Q0, of which `to` holds all results in units of 2^(shift - 31).
std::optional<Table> FixedTable(const QuantParams& from, const QuantParams& to, int zero, int shift,
                                int32_t (*function)(int32_t)) {
  constexpr int kBits = 27;  // after the point
  if (to.scale != std::ldexp(1, shift - 31) || to.zero != zero) return std::nullopt;
  const std::optional<kernels::Multiplier> multiplier = MultiplierOf(std::ldexp(from.scale, kBits));
  if (!multiplier) return std::nullopt;
  const double radius = std::floor(15 * std::ldexp(1, kBits - multiplier->exponent));
  return TableOf(from, to, [&](int32_t above) {
    if (above <= -radius) return -kByteCount;
    if (above >= radius) return kByteCount;
    return kernels::DivideByPower(function(kernels::Rescaled(above, *multiplier)), shift);
  });
}

std::optional<Table> LeakyTable(const ir::Node& node, const QuantParams& from,
                                const QuantParams& to) {
  const std::optional<SlopeMultipliers> by = SlopeMultipliersOf(node, from, to);
  if (!by) return std::nullopt;
  return TableOf(from, to, [&](int32_t above) {
    return kernels::Rescaled(above, above >= 0 ? by->above : by->below);
  });
}

std::optional<Table> AbsTable(const QuantParams& from, const QuantParams& to) {
  const auto factor = static_cast<float>(from.scale) / static_cast<float>(to.scale);
  const std::optional<kernels::Multiplier> multiplier = MultiplierOf(double{factor});
  if (!multiplier) return std::nullopt;
  return TableOf(from, to,
                 [&](int32_t above) { return kernels::Rescaled(std::abs(above), *multiplier); });
}

// LiteRT, which alone has this operator for codes, rounds towards zero.
Table SqrtTable(const QuantParams& from, const QuantParams& to) {
  return TableOf(from, to, [&](int32_t above) {
    const float x = static_cast<float>(std::max(above, 0)) * static_cast<float>(from.scale);
    const float y = std::sqrt(x) / static_cast<float>(to.scale);
    return static_cast<int32_t>(std::min(y, static_cast<float>(2 * kByteCount)));
  });
}

// Arithmetic of 16 bits.
int32_t Limited(int32_t x) { return std::clamp(x, -0x8000, 0x7FFF); }
int32_t ShortProduct(int32_t a, int32_t b) { return Limited((a * b + (1 << 14)) >> 15); }

std::optional<kernels::Multiplier> ShortMultiplier(float factor) {
  std::optional<kernels::Multiplier> multiplier = MultiplierOf(double{factor});
  if (!multiplier) return std::nullopt;
  multiplier->mantissa = static_cast<int32_t>(
      std::min<int64_t>((int64_t{multiplier->mantissa} + (1 << 15)) >> 16, 0x7FFF));
  return multiplier;
}

// x * relu6(x + 3) / 6.
std::optional<Table> HardSwishTable(const QuantParams& from, const QuantParams& to) {
  const float fine = static_cast<float>(from.scale) / 128;
  const auto y = ShortMultiplier(fine / static_cast<float>(to.scale));
  const auto ramp = ShortMultiplier(fine / (3.0f / 32768));
  if (!y || !ramp || y->exponent > 15) return std::nullopt;
  return TableOf(from, to, [&](int32_t above) {
    const int32_t x = above * 128, scaled = ShortProduct(x, y->mantissa);
    int32_t part = x;
    if (ramp->exponent > 0) part = Limited(part << std::min(ramp->exponent - 1, 15));
    part = ShortProduct(part, ramp->mantissa);
    if (ramp->exponent > 0) part = Limited(part * 2);
    if (ramp->exponent < 0) part = kernels::DivideByPower(part, -ramp->exponent);
    part = (part + 0x8000) >> 1;
    const int32_t product = part * scaled / 0x8000;  // rounded towards zero
    return y->exponent <= 0 ? kernels::DivideByPower(product, -y->exponent)
                            : product * (1 << y->exponent);
  });
}

}  // namespace

std::optional<Table> IntegerTableOf(const ir::Node& function, const QuantParams& from,
                                    const QuantParams& to) {
  if (IsCalled(function, "Sigmoid")) {
    return FixedTable(from, to, kMinByte, 23, kernels::FixedLogistic);
  }
  if (IsCalled(function, "Tanh")) return FixedTable(from, to, 0, 24, kernels::FixedTanh);
  if (IsCalled(function, "PRelu")) return LeakyTable(function, from, to);
  if (IsCalled(function, "HSwish")) return HardSwishTable(from, to);
  if (IsCalled(function, "Abs")) return AbsTable(from, to);
  if (IsCalled(function, "Sqrt")) return SqrtTable(from, to);
  if (const std::optional<ValueBounds> bounds = BoundsOf(function)) {
    return RequantisedTable(from, Within(to, *bounds, /*by_integers=*/true));
  }
  return std::nullopt;
}

}  // namespace weft::graph
