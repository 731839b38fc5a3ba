// SPDX-License-Identifier: Apache-2.0
// Recognises softmax and its logarithm along one axis, with or without subtraction of the maximum:
//   Softmax     exp(d) / sum exp(d), exp(d) * (1 / sum exp(d))
//   causal      softmax(x + c), softmax(c ? x : -inf); c exposes the elements up to the diagonal
//   LogSoftmax  d - log(sum exp(d)), x - (max x + log(sum exp(x - max x))), log(softmax x)
#include "converter/ops/core/softmax.h"

#include <optional>
#include <utility>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/recognise/forms/triangle.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns the only reduced axis, ignoring axes of extent 1. Returns nullopt for several or none.
std::optional<int64_t> AxisAlong(const Dims& dims, const std::vector<bool>& axes) {
  std::optional<int64_t> found;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!axes[i] || (found && dims[i] == 1)) continue;
    if (found && dims[static_cast<size_t>(*found)] != 1) return std::nullopt;
    found = static_cast<int64_t>(i);
  }
  return found;
}

// The sum of exp(of) over an axis.
struct ExpSum {
  ir::Source of;
  std::vector<bool> axes;
  Covered covered;
};

std::optional<ExpSum> ExpSumOf(ir::Source source) {
  std::optional<Reduced> sum = ReducedOf(source);
  if (!sum || sum->factor != 1 || !IsCalled(*sum->of.node, "Exp")) return std::nullopt;
  const ir::Source of = sum->of.node->inputs[0];
  if (!KeepsAxes(source, TypeOf(of).dims, sum->axes)) return std::nullopt;
  sum->covered.insert(sum->of.node);
  return ExpSum{of, std::move(sum->axes), std::move(sum->covered)};
}

// Returns x if `source` is x minus its maximum along the axes.
std::optional<Centred> WithoutLargest(ir::Source source, const std::vector<bool>& axes) {
  const ir::Node& node = *source.node;
  if (!IsCalled(node, "Subtract")) return std::nullopt;
  std::optional<Reduced> largest = ReducedBy("ReduceMax", node.inputs[1]);
  if (!largest || !(largest->of == node.inputs[0]) || largest->axes != axes) return std::nullopt;
  if (!KeepsAxes(node.inputs[1], TypeOf(node.inputs[0]).dims, axes)) return std::nullopt;
  largest->covered.insert(&node);
  return Centred{node.inputs[0], axes, std::move(largest->covered)};
}

bool PlaceSoftmax(FormSite& site, ir::Node& node, const char* operation, ir::Source x,
                  const std::vector<bool>& axes, Covered covered) {
  const Dims& dims = node.outputs[0].type.dims;
  const std::optional<int64_t> axis = AxisAlong(dims, axes);
  covered.erase(&node);
  if (!axis || TypeOf(x).dims != dims || !site.IsClosed(node, covered)) return false;
  const int opset = std::string_view(operation) == "Softmax" ? 8 : 5;
  site.Replace(node, covered, {operation, opset, {x}, {{"axis", std::to_string(*axis)}}});
  return true;
}

// Replaces `node` by the operation on the sum's input, before the subtraction of the maximum if
// there is one.
bool PlaceOverSum(FormSite& site, ir::Node& node, const char* operation, const ExpSum& sum) {
  if (const std::optional<Centred> whole = WithoutLargest(sum.of, sum.axes)) {
    Covered covered = sum.covered;
    Join(covered, whole->covered);
    if (PlaceSoftmax(site, node, operation, whole->x, sum.axes, std::move(covered))) return true;
  }
  return PlaceSoftmax(site, node, operation, sum.of, sum.axes, sum.covered);
}

// Recognises exp(d) divided by the sum, or multiplied by its inverse.
bool RecogniseShares(FormSite& site, ir::Node& node) {
  for (const size_t i : {1, 0}) {
    ir::Source divisor = node.inputs[i];
    Covered covered;
    if (IsCalled(node, "Multiply")) {
      const ir::Node& inverse = *divisor.node;
      const bool divides = IsCalled(inverse, "Divide") && NumberIn(inverse.inputs[0]) == 1.0;
      const bool is_power = IsCalled(inverse, "Power") && NumberIn(inverse.inputs[1]) == -1.0;
      if (!divides && !is_power) continue;
      divisor = inverse.inputs[divides ? 1 : 0];
      covered.insert(&inverse);
    } else if (i == 0) {
      break;
    }
    const ir::Node& numerator = *node.inputs[1 - i].node;
    if (!IsCalled(numerator, "Exp")) continue;
    std::optional<ExpSum> sum = ExpSumOf(divisor);
    if (!sum || !(sum->of == numerator.inputs[0])) continue;
    covered.insert(&numerator);
    Join(sum->covered, covered);
    return PlaceOverSum(site, node, "Softmax", *sum);
  }
  return false;
}

std::optional<ExpSum> LogOfSum(ir::Source source) {
  const ir::Node& node = *source.node;
  if (!IsCalled(node, "Log")) return std::nullopt;
  std::optional<ExpSum> sum = ExpSumOf(node.inputs[0]);
  if (sum) sum->covered.insert(&node);
  return sum;
}

bool RecogniseDifference(FormSite& site, ir::Node& node) {
  const ir::Source x = node.inputs[0];
  if (const std::optional<ExpSum> sum = LogOfSum(node.inputs[1])) {
    return sum->of == x && PlaceOverSum(site, node, "LogSoftmax", *sum);
  }
  const ir::Node& total = *node.inputs[1].node;
  if (!IsCalled(total, "Add")) return false;
  for (const size_t i : {1, 0}) {
    std::optional<ExpSum> sum = LogOfSum(total.inputs[i]);
    if (!sum) continue;
    const std::optional<Centred> whole = WithoutLargest(sum->of, sum->axes);
    if (!whole || !(whole->x == x)) continue;
    if (!(sum->of.node->inputs[1] == total.inputs[1 - i])) continue;
    Join(sum->covered, whole->covered);
    sum->covered.insert(&total);
    return PlaceSoftmax(site, node, "LogSoftmax", x, sum->axes, sum->covered);
  }
  return false;
}

// Recognises log(softmax x) along any axis.
bool RecogniseLogarithm(FormSite& site, ir::Node& node) {
  ir::Node& before = *node.inputs[0].node;
  if (!IsCalled(before, "Softmax") || before.attributes.contains(ops::kOfTriangle)) return false;
  if (!site.IsClosed(node, {&before})) return false;
  std::map<std::string, std::string> attributes = before.attributes;
  attributes.try_emplace("axis", "1");
  site.Replace(node, {&before}, {"LogSoftmax", 5, {before.inputs[0]}, std::move(attributes)});
  return true;
}

// Recognises a softmax along the last axis of scores with a causal mask.
bool RecogniseTriangle(FormSite& site, ir::Node& node) {
  const auto rank = static_cast<int64_t>(node.outputs[0].type.dims.size());
  Faults discarded;
  const int64_t axis = ops::Attributes(site.graph(), node, discarded).Int("axis", 1);
  if (axis != -1 && axis != rank - 1) return false;
  const ir::Node& masked = *node.inputs[0].node;
  const std::optional<ir::Source> scores = BeforeTriangle(masked);
  if (!scores || !site.IsClosed(node, {&masked})) return false;
  site.Replace(node, {&masked},
               {"Softmax", 8, {*scores}, {{"axis", "-1"}, {ops::kOfTriangle, "true"}}});
  return true;
}

}  // namespace

bool RecogniseSoftmax(FormSite& site, ir::Node& node) {
  if (IsCalled(node, "Softmax")) return RecogniseTriangle(site, node);
  if (IsCalled(node, "Divide") || IsCalled(node, "Multiply")) return RecogniseShares(site, node);
  if (IsCalled(node, "Subtract")) return RecogniseDifference(site, node);
  return IsCalled(node, "Log") && RecogniseLogarithm(site, node);
}

}  // namespace weft::graph
