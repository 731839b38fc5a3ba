// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/operand.h"
#include "converter/graph/quantise/shorts.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "kernels/elementwise/binary_q8_quotients.h"
#include "kernels/elementwise/binary_q8_shorts.h"

namespace weft::graph {
namespace {

// The attributes of an operation on two values by floats; nullopt if it has no such form.
std::optional<NodeAttributes> FloatPair(const ir::Node& node, const QuantParams& a,
                                        const QuantParams& b, const QuantParams& to) {
  const bool is_sum = IsCalled(node, "Add");
  if (!is_sum && !IsCalled(node, "Multiply")) return std::nullopt;
  const double a_scale = (is_sum ? a.scale : a.scale * b.scale) / to.scale;
  const double b_scale = b.scale / to.scale;
  if (!IsScale(a_scale) || !IsScale(b_scale)) return std::nullopt;
  return NodeAttributes{{ops::kFirstScale, AttributeOf(a_scale)},
                        {ops::kSecondScale, AttributeOf(is_sum ? b_scale : 0)}};
}

// The multipliers of an operation by integers (kernels/elementwise/binary_q8.h).
struct PairMultipliers {
  kernels::Multiplier a, b, y;
};

// The factors that tflite-micro computes.
std::optional<PairMultipliers> MultipliersOf(const ir::Node& node, const QuantParams& a,
                                             const QuantParams& b, const QuantParams& to) {
  const int sum_bits = to.is_short() ? kernels::kShortSumFraction : kernels::kSumFraction;
  const int square_bits = to.is_short() ? kernels::kShortSquareFraction : kernels::kSquareFraction;
  const double twice = 2 * std::max(a.scale, b.scale);
  double of_a = a.scale / twice, of_b = b.scale / twice, of_y;
  if (IsCalled(node, "Add") || IsCalled(node, "Subtract")) {
    of_y = twice / (std::ldexp(1, sum_bits) * to.scale);
  } else if (IsCalled(node, "SquaredDifference")) {
    of_y = twice * twice / (std::ldexp(1, 2 * square_bits) * to.scale);
  } else if (IsCalled(node, "Multiply") || IsCalled(node, "PRelu")) {
    of_a = IsCalled(node, "PRelu") ? a.scale / to.scale : 0;
    of_b = 0;
    of_y = a.scale * b.scale / to.scale;
  } else if (IsCalled(node, "Divide") && !to.is_short()) {
    of_a = of_b = 0;
    of_y = a.scale / (b.scale * to.scale);
  } else {
    return std::nullopt;
  }
  const std::optional<kernels::Multiplier> for_a = MultiplierOf(of_a), for_b = MultiplierOf(of_b),
                                           for_y = MultiplierOf(of_y);
  if (!for_a || !for_b || !for_y) return std::nullopt;
  return PairMultipliers{*for_a, *for_b, *for_y};
}

// v of a pair, as binary_q8.h defines it.
int32_t ResultOf(const ir::Node& node, const PairMultipliers& by, int32_t a, int32_t b) {
  const auto combined = [&](int fraction, bool is_sum) {
    const int32_t fine_a = kernels::Rescaled(a * (1 << fraction), by.a);
    const int32_t fine_b = kernels::Rescaled(b * (1 << fraction), by.b);
    return is_sum ? fine_a + fine_b : fine_a - fine_b;
  };
  if (IsCalled(node, "PRelu") && a >= 0) return kernels::Rescaled(a, by.a);
  if (IsCalled(node, "Divide")) {
    return kernels::RoundedQuotient(a, b, by.y, kernels::ReciprocalOfTop);
  }
  int32_t v = a * b;
  if (IsCalled(node, "SquaredDifference")) {
    v = combined(kernels::kSquareFraction, false);
    v *= v;
  } else if (IsCalled(node, "Add") || IsCalled(node, "Subtract")) {
    v = combined(kernels::kSumFraction, IsCalled(node, "Add"));
  }
  return kernels::Rescaled(v, by.y);
}

// The results for all codes of the other operand if one operand is a constant with one element.
std::optional<std::vector<int64_t>> TableOfPair(const ir::Node& node, const PairMultipliers& by,
                                                const Operand& a, const Operand& b,
                                                const QuantParams& to) {
  const bool has_constant = b.is_scalar();
  if (!has_constant && !a.is_scalar()) return std::nullopt;
  std::vector<int64_t> table;
  for (int code = kMinByte; code <= kMaxByte; ++code) {
    const auto of_a = has_constant ? code : static_cast<int>(a.constant->front());
    const auto of_b = has_constant ? static_cast<int>(b.constant->front()) : code;
    table.push_back(
        CodeOfInteger(ResultOf(node, by, of_a - a.params.zero, of_b - b.params.zero), to));
  }
  return table;
}

// Returns false for a slope per channel of the IR, which does not broadcast like NumPy.
bool BroadcastsLikeNumpy(const ir::Node& node) {
  if (!IsCalled(node, "PRelu")) return true;
  const size_t slope_rank = TypeOf(node.inputs[1]).dims.size();
  return slope_rank == TypeOf(node.inputs[0]).dims.size() || CountIn(node.inputs[1]) == 1;
}

}  // namespace

bool QuantisePair(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                  const QuantParams& to) {
  if (node.inputs.size() != 2 || !BroadcastsLikeNumpy(node)) return false;
  const std::optional<Operand> a = OperandOf(site, node.inputs[0], to.type);
  const std::optional<Operand> b = OperandOf(site, node.inputs[1], to.type);
  if (!a || !b || (a->constant && b->constant)) return false;
  std::optional<PairMultipliers> by;
  if (site.by_integers()) by = MultipliersOf(node, a->params, b->params, to);
  if (!by && (a->constant || b->constant || to.is_short())) return false;
  if (by && !to.is_short()) {
    const size_t data = a->constant ? 1 : 0;
    const auto table = TableOfPair(node, *by, *a, *b, to);
    if (table && TypeOf(node.inputs[data]).dims == quantiser.outputs[0].type.dims) {
      site.SetIntegers(quantiser, NewByteTable(site.graph(), quantiser,
                                               site.Integers(node.inputs[data]), *table));
      return true;
    }
  }
  std::optional<NodeAttributes> attributes;
  if (by) {
    attributes = {{ops::kByIntegers, "1"},
                  {ops::kFirstMultiplier, AttributeOf(by->a)},
                  {ops::kSecondMultiplier, AttributeOf(by->b)},
                  {ops::kMultiplier, AttributeOf(by->y)}};
  } else {
    attributes = FloatPair(node, a->params, b->params, to);
  }
  if (!attributes) return false;
  (*attributes)[ops::kFirstZero] = std::to_string(a->params.zero);
  (*attributes)[ops::kSecondZero] = std::to_string(b->params.zero);
  WriteQuantParams(*attributes, to);
  const std::vector<ir::Source> inputs = {CodesOfOperand(site, node.inputs[0], *a),
                                          CodesOfOperand(site, node.inputs[1], *b)};
  ir::Source made = NewOperation(site.graph(), node, "Quantized" + node.type, ops::kPassOnly,
                                 inputs, *attributes);
  if (to.is_short()) made = Limited(site.graph(), node, made, to);
  site.SetIntegers(quantiser, made);
  return true;
}

}  // namespace weft::graph
