// SPDX-License-Identifier: Apache-2.0
// Recognises piecewise linear functions:
//   Clamp   min(max(x, low), high), in either order
//   PRelu   x where x > 0, else slope * x: by Select, by max(x, slope * x), or by the sum of
//           relu(x) and -slope * relu(-x)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

std::optional<Form> Bounds(FormSite&, const ir::Node&, Pattern::Match& match) {
  const double low = match.Number("low"), high = match.Number("high");
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  return Form{"Clamp",
              1,
              {},
              {{"min", fmt::format("{}", static_cast<float>(low))},
               {"max", fmt::format("{}", static_cast<float>(high))}}};
}

// The slopes get the rank of x, because slopes of rank 1 would align with the channels.
Form Sloped(FormSite& site, const ir::Node& root, const Pattern::Match& match, float sign) {
  const ir::Constant& constant = *ConstantOf(match.at("slope"));
  std::vector<float> slopes = ops::Floats(constant);
  for (float& slope : slopes) slope *= sign;
  Dims dims = constant.type.dims;
  dims.insert(dims.begin(), root.outputs[0].type.dims.size() - dims.size(), 1);
  return {"PRelu", 1, {NewFloats(site.graph(), root, std::move(dims), std::move(slopes))}};
}

std::optional<Form> Slope(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  return Sloped(site, root, match, 1);
}
std::optional<Form> NegativeSlope(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  return Sloped(site, root, match, -1);
}
// With slope 0, an infinite x would give NaN.
std::optional<Form> SmallSlope(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  const std::vector<float> slopes = ops::Floats(*ConstantOf(match.at("slope")));
  const bool fits = std::ranges::all_of(slopes, [](float f) { return f > 0 && f <= 1; });
  return fits ? Slope(site, root, match) : std::nullopt;
}

}  // namespace

bool RecogniseBounds(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {
      {FormPattern("Minimum({Maximum(x,#low)|Relu(x)},#high)"), Bounds},
      {FormPattern("{Maximum(Minimum(x,#high),#low)|Relu(Minimum(x,#high))}"), Bounds}};
  return ReplaceByRow(site, node, kRows);
}

bool RecogniseSlope(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {
      {FormPattern("Select({Greater/GreaterEqual(x,0)|Less/LessEqual(0,x)},x,"
                   "Multiply(%slope,x))"),
       Slope},
      {FormPattern("Select({Less/LessEqual(x,0)|Greater/GreaterEqual(0,x)},"
                   "Multiply(%slope,x),x)"),
       Slope},
      {FormPattern("Maximum(x,Multiply(%slope,x))"), SmallSlope},
      {FormPattern("Add(Relu(x),Multiply(%slope,Relu(Negative(x))))"), NegativeSlope},
      {FormPattern("Subtract(Relu(x),Multiply(%slope,Relu(Negative(x))))"), Slope}};
  return ReplaceByRow(site, node, kRows);
}

}  // namespace weft::graph
