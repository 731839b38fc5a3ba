// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/operand.h"

#include <algorithm>

#include "converter/base/quantisation.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

QuantParams ShortsOf(double scale) {
  QuantParams shorts = {scale, 0, 0, 0, ElementType::i16};
  shorts.low = shorts.min();
  shorts.high = shorts.max();
  return shorts;
}

// A constant of i16 codes whose scale the reader stated.
std::optional<Operand> StatedOperand(const ir::Source& source) {
  const ir::Constant* constant = ConstantOf(source);
  const auto stated = source.node->attributes.find(ir::kStatedScale);
  if (constant == nullptr || stated == source.node->attributes.end()) return std::nullopt;
  const QuantParams shorts = ShortsOf(std::strtof(stated->second.c_str(), nullptr));
  const auto codes = IsScale(shorts.scale) ? CodesOf(*constant, shorts) : std::nullopt;
  return codes && !codes->empty() ? std::optional(Operand{shorts, codes}) : std::nullopt;
}

// A constant of codes with one scale. The reader has subtracted the zero point, so that any zero
// point that fits the codes into i8 represents the same numbers.
std::optional<Operand> ConstantOperand(const ir::Source& source, ElementType type) {
  if (type == ElementType::i16) {
    if (const std::optional<Operand> stated = StatedOperand(source)) return stated;
  }
  const ir::Constant* constant = ConstantOf(source);
  if (constant == nullptr || constant->quantisation == nullptr || CountIn(source) == 0 ||
      constant->type.type != ElementType::f32) {
    return std::nullopt;
  }
  const std::vector<float> scales = constant->quantisation->scales();
  if (std::ranges::any_of(scales, [&](float scale) { return scale != scales[0]; })) {
    return std::nullopt;
  }
  std::vector<int64_t> above;
  for (const float number : ops::Floats(*constant)) {
    above.push_back(static_cast<int64_t>(weft::CodeOf(number, scales[0])));
  }
  const auto [min, max] = std::ranges::minmax(above);
  if (type == ElementType::i16) {
    const QuantParams shorts = ShortsOf(scales[0]);
    if (!IsScale(scales[0]) || min < shorts.low || max > shorts.high) return std::nullopt;
    return Operand{shorts, above};
  }
  if (!IsScale(scales[0]) || max - min >= kByteCount || min < -kByteCount || max > kByteCount) {
    return std::nullopt;
  }
  const int64_t zero = std::clamp<int64_t>(0, kMinByte - min, kMaxByte - max);
  if (zero < kMinByte || zero > kMaxByte) return std::nullopt;
  for (int64_t& code : above) code += zero;
  return Operand{{scales[0], static_cast<int>(zero), kMinByte, kMaxByte}, above};
}

}  // namespace

std::optional<Operand> OperandOf(const QuantiseSite& site, const ir::Source& source,
                                 ElementType type) {
  if (const QuantParams* params = site.QuantParamsOf(source)) {
    return params->type == type ? std::optional(Operand{*params}) : std::nullopt;
  }
  return site.by_integers() ? ConstantOperand(source, type) : std::nullopt;
}

ir::Source CodesOfOperand(QuantiseSite& site, const ir::Source& source, const Operand& operand) {
  if (!operand.constant) return site.Integers(source);
  return NewInts(site.graph(), *source.node, {operand.params.type, TypeOf(source).dims},
                 *operand.constant);
}

}  // namespace weft::graph
