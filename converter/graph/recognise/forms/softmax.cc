// SPDX-License-Identifier: Apache-2.0
// Recognises softmax and its logarithm along one axis, with or without subtraction of the maximum:
//   Softmax     exp(d) / sum exp(d), exp(d) * (1 / sum exp(d))
//   causal      softmax(x + c), softmax(c ? x : -inf); c exposes the elements up to the diagonal
//   LogSoftmax  d - log(sum exp(d)), x - (max x + log(sum exp(x - max x))), log(softmax x)
#include "converter/ops/core/softmax.h"

#include <optional>
#include <utility>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/recognise/forms/triangle.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns the only reduced axis, ignoring axes of extent 1. Returns nullopt for several or none.
std::optional<int64_t> AxisAlong(const Dims& dims, const std::vector<int64_t>& axes) {
  std::optional<int64_t> found;
  for (const int64_t axis : axes) {
    if (found && dims[static_cast<size_t>(axis)] == 1) continue;
    if (found && dims[static_cast<size_t>(*found)] != 1) return std::nullopt;
    found = axis;
  }
  return found;
}

std::optional<Form> OverAxis(const char* operation, int opset, const ir::Node& root,
                             const Pattern::Match& match) {
  const Dims& dims = TypeOf(match.at("x")).dims;
  const std::optional<int64_t> axis = AxisAlong(dims, match.axes);
  if (!axis || dims != root.outputs[0].type.dims) return std::nullopt;
  return Form{operation, opset, {}, {{"axis", std::to_string(*axis)}}};
}

std::optional<Form> Softmax(FormSite&, const ir::Node& root, Pattern::Match& match) {
  return OverAxis("Softmax", 8, root, match);
}
std::optional<Form> LogSoftmax(FormSite&, const ir::Node& root, Pattern::Match& match) {
  return OverAxis("LogSoftmax", 5, root, match);
}

std::optional<Form> Logarithm(FormSite&, const ir::Node&, Pattern::Match& match) {
  std::map<std::string, std::string> attributes = match.at("shares").node->attributes;
  if (attributes.contains(ops::kOfTriangle)) return std::nullopt;
  attributes.try_emplace("axis", "1");
  return Form{"LogSoftmax", 5, {}, std::move(attributes)};
}

// A softmax along the last axis of scores with a causal mask.
std::optional<Form> Causal(FormSite&, const ir::Node& root, Pattern::Match& match) {
  const double axis = AttributeOf(root, "axis", 1);
  const auto last = static_cast<double>(root.outputs[0].type.dims.size()) - 1;
  const bool adds = match.Has("mask") && IsCausalAddend(match.at("mask"));
  const bool keeps = match.Has("kept") && IsCausalChoice(match.at("kept"), true);
  const bool drops = match.Has("dropped") && IsCausalChoice(match.at("dropped"), false);
  const bool fits = adds || ((keeps || drops) && IsExcluded(match.Number("far")));
  if (!fits || (axis != -1 && axis != last)) return std::nullopt;
  return Form{"Softmax", 8, {}, {{"axis", "-1"}, {ops::kOfTriangle, "true"}}};
}

}  // namespace

bool RecogniseSoftmax(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {
      {FormPattern("Divide(Exp(d:{Subtract(x,Max(x))|x}),Sum(Exp(d)))"), Softmax},
      {FormPattern("Multiply(Exp(d:{Subtract(x,Max(x))|x}),Inverse(Sum(Exp(d))))"), Softmax},
      {FormPattern("Softmax({Add(x,%mask)|Select(%kept,x,#far)|Select(%dropped,#far,x)})"), Causal},
      {FormPattern("Subtract(d:{Subtract(x,Max(x))|x},Log(Sum(Exp(d))))"), LogSoftmax},
      {FormPattern("Subtract(x,Add(m:{Max(x)},Log(Sum(Exp(Subtract(x,m))))))"), LogSoftmax},
      {FormPattern("Log(shares:Softmax(x))"), Logarithm}};
  return ReplaceByRow(site, node, kRows);
}

}  // namespace weft::graph
