// SPDX-License-Identifier: Apache-2.0
// Recognises Snake, x + height * sin(slope * x)^2, with constants that vary along at most one axis
// of x:
//   x + sin(a * x)^2 / b, x + (1 / b) * sin(a * x)^2, also with a product of two equal sines
//   x + (1 - cos(2 a * x)) / (2 b)
#include <optional>
#include <vector>

#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns `factor` times one constant per element of `axis`, or one for all if `axis` is not one of
// the dims.
std::optional<ir::Source> NumbersAlong(FormSite& site, const ir::Node& like, const Reading& scale,
                                       double factor, size_t axis) {
  Dims dims(scale.dims.size(), 1);
  std::vector<double> numbers = scale.numbers;
  if (axis < dims.size()) {
    dims[axis] = like.outputs[0].type.dims[axis];
    const auto along = AlongAxis({scale.dims, numbers}, axis, dims[axis]);
    if (!along) return std::nullopt;
    numbers = *along;
  }
  for (double& number : numbers) number *= factor;
  const std::optional<std::vector<float>> floats = RoundedFloats(numbers);
  if (!floats) return std::nullopt;
  return NewFloats(site.graph(), like, dims, *floats);
}

std::optional<Form> Snake(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  const Dims& dims = root.outputs[0].type.dims;
  if (TypeOf(match.at("x")).dims != dims) return std::nullopt;
  const Reading &slope = match.readings["slope"], &height = match.readings["height"];
  size_t axis = 0;  // along which the constants vary
  while (axis < dims.size() && slope.dims[axis] == 1 && height.dims[axis] == 1) ++axis;
  // (1 - cos 2t) / 2 is the square of sin t.
  const bool is_double = match.Has("cosine");
  const auto slopes = NumbersAlong(site, root, slope, is_double ? 0.5 : 1, axis);
  const auto heights = NumbersAlong(site, root, height, is_double ? 2 : 1, axis);
  if (!slopes || !heights) return std::nullopt;
  return Form{"Snake", ops::kPassOnly, {*slopes, *heights}};
}

}  // namespace

bool RecogniseSnake(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {
      {FormPattern("Add(x,height:Scaled({Power(Sin(slope:Scaled(x)),2)|"
                   "Multiply(Sin(slope:Scaled(x)),Sin(slope:Scaled(x)))|"
                   "Subtract(1,cosine:Cos(slope:Scaled(x)))}))"),
       Snake}};
  return ReplaceByRow(site, node, kRows);
}

}  // namespace weft::graph
