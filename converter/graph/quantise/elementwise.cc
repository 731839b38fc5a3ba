// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/function_table.h"
#include "converter/graph/quantise/means.h"
#include "converter/graph/quantise/multiplier.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"
#include "kernels/elementwise/binary_q8.h"
#include "kernels/reduce/softmax_q8.h"
#include "kernels/simd/fixed_point.h"

namespace weft::graph {
namespace {

// The axis of a softmax; nullopt for other nodes.
std::optional<int64_t> SoftmaxAxisOf(const ir::Node& node) {
  if (!IsCalled(node, "Softmax")) return std::nullopt;
  const auto found = node.attributes.find("axis");
  const int64_t axis =
      found == node.attributes.end() ? 1 : std::strtoll(found->second.c_str(), nullptr, 10);
  return axis < 0 ? axis + std::ssize(TypeOf(node.inputs[0]).dims) : axis;
}

// The only value on which each element of an elementwise result depends, in addition to scalar
// constants. Returns nullopt if there are several.
std::optional<ir::Source> OnlyInput(const ir::Node& node) {
  if (node.operation == nullptr || !node.operation->traits.pointwise || node.constant ||
      node.outputs.size() != 1 || node.outputs[0].type.type != ElementType::f32) {
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
  while (site.QuantParamsOf(of) == nullptr) {
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
  ir::Source of;
  const std::vector<ir::Node*> function = FunctionOf(site, quantiser.inputs[0], of);
  if (function.empty()) return false;
  const QuantParams& from = *site.QuantParamsOf(of);
  const std::vector<float> values = Values(site, function, of, from);
  if (values.size() != kByteCount || TypeOf(of).dims != quantiser.outputs[0].type.dims)
    return false;
  std::vector<int64_t> table;
  if (site.by_integers() && function.size() == 1) {
    table = IntegerTableOf(*function[0], from, to).value_or(table);
  }
  for (size_t i = table.size(); i < values.size(); ++i) table.push_back(CodeOf(values[i], to));
  site.SetIntegers(quantiser, NewByteTable(site.graph(), quantiser, site.Integers(of), table));
  return true;
}

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

// The same by integers, with the factors that tflite-micro computes.
std::optional<NodeAttributes> IntegerPair(const ir::Node& node, const QuantParams& a,
                                          const QuantParams& b, const QuantParams& to) {
  const double twice = 2 * std::max(a.scale, b.scale);
  double of_a = a.scale / twice, of_b = b.scale / twice, of_y;
  if (IsCalled(node, "Add")) {
    of_y = twice / (std::ldexp(1, kernels::kSumFraction) * to.scale);
  } else if (IsCalled(node, "Subtract")) {
    const auto a_float = static_cast<float>(a.scale), b_float = static_cast<float>(b.scale);
    const float twice_float = 2 * std::max(a_float, b_float);
    of_a = a_float / twice_float;
    of_b = b_float / twice_float;
    of_y = twice_float /
           (static_cast<float>(1 << kernels::kSumFraction) * static_cast<float>(to.scale));
  } else if (IsCalled(node, "SquaredDifference")) {
    of_y = twice * twice / (std::ldexp(1, 2 * kernels::kSquareFraction) * to.scale);
  } else if (IsCalled(node, "Multiply") || IsCalled(node, "PRelu")) {
    of_a = IsCalled(node, "PRelu") ? a.scale / to.scale : 0;
    of_b = 0;
    of_y = a.scale * b.scale / to.scale;
  } else {
    return std::nullopt;
  }
  NodeAttributes attributes = {{ops::kByIntegers, "1"}};
  for (const auto& [name, factor] :
       {std::pair(ops::kFirstMultiplier, of_a), std::pair(ops::kSecondMultiplier, of_b),
        std::pair(ops::kMultiplier, of_y)}) {
    const std::optional<kernels::Multiplier> multiplier = MultiplierOf(factor);
    if (!multiplier) return std::nullopt;
    attributes[name] = AttributeOf(*multiplier);
  }
  return attributes;
}

bool QuantiseBinary(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                    const QuantParams& to) {
  if (node.inputs.size() != 2) return false;
  const QuantParams* a = site.QuantParamsOf(node.inputs[0]);
  const QuantParams* b = site.QuantParamsOf(node.inputs[1]);
  if (a == nullptr || b == nullptr) return false;
  std::optional<NodeAttributes> attributes;
  if (site.by_integers()) attributes = IntegerPair(node, *a, *b, to);
  if (!attributes) attributes = FloatPair(node, *a, *b, to);
  if (!attributes) return false;
  (*attributes)[ops::kFirstZero] = std::to_string(a->zero);
  (*attributes)[ops::kSecondZero] = std::to_string(b->zero);
  WriteQuantParams(*attributes, to);
  const std::vector<ir::Source> inputs = {site.Integers(node.inputs[0]),
                                          site.Integers(node.inputs[1])};
  site.SetIntegers(quantiser, {NewInferredNode(site.graph(), node, "Quantized" + node.type,
                                               ops::kPassOnly, inputs, 1, *attributes),
                               0});
  return true;
}

// A softmax along the last axis, whose results are in units of 1/256.
bool QuantiseSoftmax(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                     const QuantParams& to) {
  constexpr double kResultScale = 1.0 / 256;
  const std::optional<int64_t> axis = SoftmaxAxisOf(node);
  if (!site.by_integers() || !axis) return false;
  const Dims& dims = TypeOf(node.inputs[0]).dims;
  const QuantParams* from = site.QuantParamsOf(node.inputs[0]);
  const bool has_codes =
      to.scale == kResultScale && to.zero == kMinByte && to.low == kMinByte && to.high == kMaxByte;
  if (from == nullptr || !has_codes || *axis + 1 != std::ssize(dims)) return false;
  if (dims.back() > kernels::kMaxSoftmaxLength) return false;
  const std::optional<kernels::Multiplier> multiplier =
      MultiplierOf(std::min(std::ldexp(from->scale, 26), double{kernels::kMaxFixed}));
  if (!multiplier || multiplier->exponent < 0) return false;
  const NodeAttributes attributes = {{ops::kMultiplier, AttributeOf(*multiplier)}};
  site.SetIntegers(quantiser,
                   {NewInferredNode(site.graph(), node, "QuantizedSoftmax", ops::kPassOnly,
                                    {site.Integers(node.inputs[0])}, 1, attributes),
                    0});
  return true;
}

}  // namespace

bool QuantiseBefore(QuantiseSite& site, ir::Node& quantiser) {
  QuantParams to = QuantiserOf(quantiser)->in;
  const ir::Source x = quantiser.inputs[0];
  if (site.QuantParamsOf(x) != nullptr || CountIn(x) == 0) return false;
  const ir::Node* node = x.node;
  QuantParams bounded = to;
  if (const std::optional<ValueBounds> bounds = BoundsOf(*node)) {
    bounded = Within(to, *bounds, site.by_integers());
    node = node->inputs[0].node;
  }
  return QuantiseBinary(site, quantiser, *node, bounded) ||
         QuantiseMean(site, quantiser, *node, bounded) ||
         QuantiseSoftmax(site, quantiser, *x.node, to) || QuantiseFunction(site, quantiser, to);
}

}  // namespace weft::graph
