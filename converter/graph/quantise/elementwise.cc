// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/elementwise.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "converter/base/faults.h"
#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/means.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

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
  const std::vector<float> values = Values(site, function, of, *site.QuantParamsOf(of));
  if (values.size() != kByteCount || TypeOf(of).dims != quantiser.outputs[0].type.dims)
    return false;
  std::vector<int64_t> table;
  for (const float value : values) table.push_back(CodeOf(value, to));
  site.SetIntegers(quantiser, NewByteTable(site.graph(), quantiser, site.Integers(of), table));
  return true;
}

bool QuantiseBinary(QuantiseSite& site, ir::Node& quantiser, const ir::Node& node,
                    const QuantParams& to) {
  const bool is_sum = IsCalled(node, "Add");
  if (!is_sum && !IsCalled(node, "Multiply")) return false;
  const QuantParams* a = site.QuantParamsOf(node.inputs[0]);
  const QuantParams* b = site.QuantParamsOf(node.inputs[1]);
  if (a == nullptr || b == nullptr) return false;
  const double a_scale = (is_sum ? a->scale : a->scale * b->scale) / to.scale;
  const double b_scale = b->scale / to.scale;
  if (!IsScale(a_scale) || !IsScale(b_scale)) return false;
  NodeAttributes attributes = {{ops::kFirstScale, AttributeOf(a_scale)},
                               {ops::kSecondScale, AttributeOf(is_sum ? b_scale : 0)},
                               {ops::kFirstZero, std::to_string(a->zero)},
                               {ops::kSecondZero, std::to_string(b->zero)}};
  WriteQuantParams(attributes, to);
  const std::vector<ir::Source> inputs = {site.Integers(node.inputs[0]),
                                          site.Integers(node.inputs[1])};
  site.SetIntegers(
      quantiser, {NewInferredNode(site.graph(), node, is_sum ? "QuantizedAdd" : "QuantizedMultiply",
                                  ops::kPassOnly, inputs, 1, attributes),
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
    bounded = Within(to, *bounds);
    node = node->inputs[0].node;
  }
  return QuantiseBinary(site, quantiser, *node, bounded) ||
         QuantiseMean(site, quantiser, *node, bounded) || QuantiseFunction(site, quantiser, to);
}

}  // namespace weft::graph
