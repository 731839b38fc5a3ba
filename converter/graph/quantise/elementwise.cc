// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/function_table.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/quantise/shorts.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/normalize.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"
#include "kernels/reduce/normalize_q8.h"
#include "kernels/reduce/softmax_q8.h"
#include "kernels/simd/fixed_point.h"

namespace weft::graph {
namespace {

// The axis of a softmax; nullopt for other nodes.
std::optional<int64_t> SoftmaxAxisOf(const ir::Node& node) {
  if (!IsCalled(node, "Softmax")) return std::nullopt;
  const auto axis = static_cast<int64_t>(AttributeOf(node, "axis", 1));
  return axis < 0 ? axis + std::ssize(TypeOf(node.inputs[0]).dims) : axis;
}

// Returns true for a PRelu with one slope for all channels.
bool HasOneSlope(const ir::Node& node) {
  return IsCalled(node, "PRelu") && ConstantOf(node.inputs[1]) != nullptr &&
         CountIn(node.inputs[1]) == 1;
}

// The only value on which each element of an elementwise result depends, in addition to scalar
// constants. Returns nullopt if there are several.
std::optional<ir::Source> OnlyInput(const ir::Node& node) {
  if (node.operation == nullptr || node.constant || node.outputs.size() != 1 ||
      node.outputs[0].type.type != ElementType::f32 ||
      !(node.operation->traits.pointwise || HasOneSlope(node))) {
    return std::nullopt;
  }
  std::optional<ir::Source> only;
  for (const ir::Source& input : node.inputs) {
    if (ConstantOf(input) != nullptr && CountIn(input) == 1) continue;
    if (only && !(*only == input)) return std::nullopt;
    only = input;
  }
  return only;
}

// The operations from a quantised value to `end`, in order. Empty if `end` does not depend on
// exactly one such value.
std::vector<ir::Node*> FunctionOf(const QuantiseSite& site, ir::Source end, ir::Source& of) {
  std::vector<ir::Node*> function;
  of = end;
  while (site.QuantParamsOf(of) == nullptr || site.IsLimit(*of.node)) {
    const std::optional<ir::Source> input = OnlyInput(*of.node);
    if (!input) return {};
    function.push_back(of.node);
    of = *input;
  }
  std::ranges::reverse(function);
  return function;
}

// The result of the function for each code.
std::vector<float> Values(QuantiseSite& site, const std::vector<ir::Node*>& function, ir::Source of,
                          const QuantParams& quant_params) {
  std::vector<float> numbers;
  for (int i = 0; i < kByteCount; ++i) numbers.push_back(NumberAt(kMinByte + i, quant_params));
  Dims dims(std::max<size_t>(TypeOf(of).dims.size(), 1), 1);
  dims.back() = kByteCount;
  ir::Graph& graph = site.graph();
  ir::Source value = NewFloats(graph, *function[0], dims, numbers), before = of;
  for (ir::Node* node : function) {
    std::vector<ir::Source> inputs = node->inputs;
    std::ranges::replace(inputs, before, value);
    ir::Node* copy = NewInferredNode(graph, *node, node->type, node->operation->opset, inputs, 1,
                                     node->attributes);
    Faults discarded;
    std::vector<ir::Constant> result = Fold(graph, *copy, site.folding(), discarded);
    if (result.size() != 1) return {};
    BecomeConstant(*copy, std::move(result[0]));
    value = {copy, 0};
    before = {node, 0};
  }
  return ops::Floats(*ConstantOf(value));
}

bool QuantiseFunction(QuantiseSite& site, ir::Node& quantiser, const QuantParams& to) {
  if (to.is_short()) {
    return site.by_integers() && !site.RoundsFloats(quantiser) &&
           QuantiseShortFunction(site, quantiser, *quantiser.inputs[0].node, to);
  }
  ir::Source of;
  const std::vector<ir::Node*> function = FunctionOf(site, quantiser.inputs[0], of);
  if (function.empty()) return false;
  const QuantParams& from = *site.QuantParamsOf(of);
  if (from.is_short()) return false;
  const std::vector<float> values = Values(site, function, of, from);
  if (values.size() != kByteCount || TypeOf(of).dims != quantiser.outputs[0].type.dims)
    return false;
  std::vector<int64_t> table;
  const bool is_of_floats = site.RoundsFloats(quantiser);
  if (site.by_integers() && function.size() == 1 && !is_of_floats) {
    table = IntegerTableOf(*function[0], from, to).value_or(table);
  }
  for (size_t i = table.size(); i < values.size(); ++i) {
    table.push_back(is_of_floats ? DividedCodeOf(values[i], to) : CodeOf(values[i], to));
  }
  site.SetIntegers(quantiser, NewByteTable(site.graph(), quantiser, site.Integers(of), table));
  return true;
}

// Codes, or their product with a constant.
struct ScaledCodes {
  ir::Source codes;
  double factor = 1;
};

ScaledCodes ScaledCodesOf(const QuantiseSite& site, const ir::Source& x) {
  if (site.QuantParamsOf(x) != nullptr || !IsCalled(*x.node, "Multiply")) return {x};
  const std::vector<ir::Source>& inputs = x.node->inputs;
  const ir::Constant* factor = ConstantOf(inputs[1]);
  if (factor == nullptr || CountIn(inputs[1]) != 1 || TypeOf(inputs[0]) != TypeOf(x)) return {x};
  return {inputs[0], double{ops::Floats(*factor)[0]}};
}

// A softmax along the last axis, whose results are in units of 1/256.
bool QuantiseSoftmax(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                     const QuantParams& to) {
  constexpr double kResultScale = 1.0 / 256;
  const std::optional<int64_t> axis = SoftmaxAxisOf(node);
  if (!site.by_integers() || !axis) return false;
  const Dims& dims = TypeOf(node.inputs[0]).dims;
  if (to.is_short()) {
    return *axis + 1 == std::ssize(dims) && QuantiseShortSoftmax(site, quantiser, node, to);
  }
  const ScaledCodes x = ScaledCodesOf(site, node.inputs[0]);
  const QuantParams* from = site.QuantParamsOf(x.codes);
  const bool has_codes =
      to.scale == kResultScale && to.zero == kMinByte && to.low == kMinByte && to.high == kMaxByte;
  if (from == nullptr || from->is_short() || !has_codes || *axis + 1 != std::ssize(dims))
    return false;
  if (dims.back() > kernels::kMaxSoftmaxLength) return false;
  const std::optional<kernels::Multiplier> multiplier =
      MultiplierOf(std::min(std::ldexp(x.factor * from->scale, 26), double{kernels::kMaxFixed}));
  if (!multiplier || multiplier->exponent < 0) return false;
  const NodeAttributes attributes = {{ops::kMultiplier, AttributeOf(*multiplier)}};
  site.SetIntegers(quantiser, NewOperation(site.graph(), node, "QuantizedSoftmax", ops::kPassOnly,
                                           {site.Integers(x.codes)}, attributes));
  return true;
}

// Returns true for an L2 normalisation along the last axis. A sum of squares that is not 0 is at
// least 1 in codes, so epsilon has no effect on codes of this scale.
bool IsPlainNormalize(const ir::Node& node, double scale) {
  if (!IsCalled(node, "NormalizeL2") || node.attributes.contains(ops::kOfMean)) return false;
  const std::vector<int64_t> axes = IntsOf(node.inputs[1]);
  const int64_t rank = std::ssize(TypeOf(node.inputs[0]).dims);
  if (axes.size() != 1 || (axes[0] != rank - 1 && axes[0] != -1)) return false;
  const bool is_max = AttributeText(node, "eps_mode") == "max";
  return AttributeOf(node, "eps") <= scale * scale * (is_max ? 1 : 1e-5);
}

// An L2 normalisation whose results are in units of 1/128.
bool QuantiseNormalize(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                       const QuantParams& to) {
  constexpr double kResultScale = 1.0 / 128;
  const ir::Source x = node.inputs.empty() ? ir::Source() : node.inputs[0];
  const QuantParams* from = x.node == nullptr ? nullptr : site.QuantParamsOf(x);
  const bool has_codes =
      to.scale == kResultScale && to.zero == 0 && to.low == kMinByte && to.high == kMaxByte;
  if (from == nullptr || from->is_short() || !has_codes) return false;
  if (!site.by_integers() || !IsPlainNormalize(node, from->scale)) return false;
  if (TypeOf(x).dims.back() > kernels::kMaxNormalizeLength) return false;
  const NodeAttributes attributes = {{ops::kInputZero, std::to_string(from->zero)}};
  site.SetIntegers(quantiser, NewOperation(site.graph(), node, "QuantizedNormalizeL2",
                                           ops::kPassOnly, {site.Integers(x)}, attributes));
  return true;
}

}  // namespace

bool QuantiseBefore(QuantiseSite& site, ir::Node& quantiser) {
  // Readers of floats get the numbers of these codes, as readers of codes do.
  if (site.IsOfCodes(quantiser)) {
    site.Integers({&quantiser, 0});
    return true;
  }
  QuantParams to = QuantiserOf(quantiser)->in;
  const ir::Source x = quantiser.inputs[0];
  const bool is_quantised = site.QuantParamsOf(x) != nullptr && !site.IsLimit(*x.node);
  if (is_quantised || CountIn(x) == 0) return false;
  // The file computes these numbers by floats.
  if (site.RoundsFloats(quantiser)) return QuantiseFunction(site, quantiser, to);
  const ir::Node* node = x.node;
  QuantParams bounded = to;
  if (const std::optional<ValueBounds> bounds = BoundsOf(*node)) {
    bounded = Within(to, *bounds, site.by_integers());
    node = node->inputs[0].node;
  }
  return QuantisePair(site, quantiser, *node, bounded) ||
         QuantiseMean(site, quantiser, *node, bounded) ||
         QuantiseResize(site, quantiser, *x.node, to) ||
         QuantiseSoftmax(site, quantiser, *x.node, to) ||
         QuantiseNormalize(site, quantiser, *x.node, to) || QuantiseFunction(site, quantiser, to);
}

}  // namespace weft::graph
