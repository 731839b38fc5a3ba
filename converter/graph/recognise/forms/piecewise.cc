// SPDX-License-Identifier: Apache-2.0
// Recognises piecewise linear functions:
//   Clamp   min(max(x, low), high), in either order
//   PRelu   x where x > 0, else slope * x: by Select, by max(x, slope * x), or by the sum of
//           relu(x) and -slope * relu(-x)
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// max(x, number) or min(x, number).
std::optional<WithNumber> BoundOf(const ir::Node& node, std::string_view operation) {
  if (operation == "Maximum" && IsCalled(node, "Relu")) return WithNumber{node.inputs[0], 0};
  return IsCalled(node, operation) ? SplitNumber(node) : std::nullopt;
}

// slope * x.
struct Sloped {
  ir::Source x, slope;
  const ir::Node* node = nullptr;
};

std::optional<Sloped> SlopedOf(ir::Source source) {
  const ir::Node& node = *source.node;
  if (!IsCalled(node, "Multiply")) return std::nullopt;
  const size_t constant = node.inputs[0].node->constant ? 0 : 1;
  const ir::Source slope = node.inputs[constant], x = node.inputs[1 - constant];
  if (!slope.node->constant || TypeOf(x).dims != TypeOf(source).dims) return std::nullopt;
  if (node.attributes.contains("auto_broadcast") && TypeOf(slope).dims != TypeOf(x).dims &&
      CountIn(slope) != 1 && node.attributes.at("auto_broadcast") == "pdpd") {
    return std::nullopt;
  }
  return Sloped{x, slope, &node};
}

template <typename Fits>
bool AllNumbers(ir::Source source, Fits fits) {
  const ir::Constant& constant = *ConstantOf(source);
  for (int64_t i = 0; i < CountIn(source); ++i) {
    float number = 0;
    std::memcpy(&number, constant.bytes.data() + static_cast<size_t>(i) * sizeof(number),
                sizeof(number));
    if (!fits(number)) return false;
  }
  return true;
}

// Returns kPositive if `source` is x > 0 or x >= 0, and kNegative if it is x < 0 or x <= 0. The
// operands may have either order.
enum class SignTest { kNone, kPositive, kNegative };
SignTest SignTestOf(ir::Source source, ir::Source x) {
  const ir::Node& node = *source.node;
  const bool greater = IsCalled(node, "Greater") || IsCalled(node, "GreaterEqual");
  const bool less = IsCalled(node, "Less") || IsCalled(node, "LessEqual");
  if (!greater && !less) return SignTest::kNone;
  if (node.inputs[0] == x && NumberIn(node.inputs[1]) == 0.0) {
    return greater ? SignTest::kPositive : SignTest::kNegative;
  }
  if (node.inputs[1] == x && NumberIn(node.inputs[0]) == 0.0) {
    return less ? SignTest::kPositive : SignTest::kNegative;
  }
  return SignTest::kNone;
}

// Returns the slope with the rank of x, because a slope of rank 1 would align with the channels.
ir::Source Slope(FormSite& site, const ir::Node& like, const Sloped& sloped, double factor) {
  const ir::Constant& constant = *ConstantOf(sloped.slope);
  std::vector<float> slopes(static_cast<size_t>(CountIn(sloped.slope)));
  std::memcpy(slopes.data(), constant.bytes.data(), slopes.size() * sizeof(float));
  for (float& slope : slopes) slope = static_cast<float>(factor * slope);
  Dims dims = constant.type.dims;
  dims.insert(dims.begin(), like.outputs[0].type.dims.size() - dims.size(), 1);
  return NewFloats(site.graph(), like, std::move(dims), std::move(slopes));
}

bool ReplaceBySlope(FormSite& site, ir::Node& node, const Sloped& sloped, double factor,
                    const Covered& covered) {
  const Dims& dims = node.outputs[0].type.dims;
  const bool fits =
      TypeOf(sloped.x).dims == dims && TypeOf(sloped.slope).dims.size() <= dims.size();
  if (!fits || !site.IsClosed(node, covered)) return false;
  site.Replace(node, covered, {"PRelu", 1, {sloped.x, Slope(site, node, sloped, factor)}});
  return true;
}

bool RecogniseSelected(FormSite& site, ir::Node& node) {
  for (const bool positive : {true, false}) {
    const ir::Source x = node.inputs[positive ? 1 : 2];
    const std::optional<Sloped> sloped = SlopedOf(node.inputs[positive ? 2 : 1]);
    if (!sloped || !(sloped->x == x)) continue;
    const ir::Source test = node.inputs[0];
    const SignTest wanted = positive ? SignTest::kPositive : SignTest::kNegative;
    if (SignTestOf(test, x) != wanted) continue;
    return ReplaceBySlope(site, node, *sloped, 1, {sloped->node, test.node});
  }
  return false;
}

// max(x, slope * x), for slopes in [0, 1]. With slope 0, an infinite x would give NaN.
bool RecogniseGreater(FormSite& site, ir::Node& node) {
  for (const size_t i : {0, 1}) {
    const std::optional<Sloped> sloped = SlopedOf(node.inputs[1 - i]);
    if (!sloped || !(sloped->x == node.inputs[i])) continue;
    if (!AllNumbers(sloped->slope, [](float slope) { return slope > 0 && slope <= 1; })) continue;
    return ReplaceBySlope(site, node, *sloped, 1, {sloped->node});
  }
  return false;
}

// relu(x) + m * relu(-x): the slope is -m.
bool RecogniseTwoRelus(FormSite& site, ir::Node& node) {
  const bool subtracts = IsCalled(node, "Subtract");
  for (const size_t i : {0, 1}) {
    if (subtracts && i == 1) break;
    const ir::Node& first = *node.inputs[i].node;
    const std::optional<Sloped> sloped = SlopedOf(node.inputs[1 - i]);
    if (!sloped || !IsCalled(first, "Relu") || !IsCalled(*sloped->x.node, "Relu")) continue;
    const ir::Node& negative = *sloped->x.node->inputs[0].node;
    if (!IsCalled(negative, "Negative") || !(negative.inputs[0] == first.inputs[0])) continue;
    const Covered covered = {&first, sloped->node, sloped->x.node, &negative};
    const Sloped of_x = {first.inputs[0], sloped->slope, sloped->node};
    return ReplaceBySlope(site, node, of_x, subtracts ? 1 : -1, covered);
  }
  return false;
}

}  // namespace

bool RecogniseBounds(FormSite& site, ir::Node& node) {
  for (const bool first_low : {true, false}) {
    const auto outer = BoundOf(node, first_low ? "Minimum" : "Maximum");
    if (!outer) continue;
    const ir::Node& before = *outer->other.node;
    const auto inner = BoundOf(before, first_low ? "Maximum" : "Minimum");
    if (!inner) continue;
    const double low = first_low ? inner->number : outer->number;
    const double high = first_low ? outer->number : inner->number;
    const Dims dims = node.outputs[0].type.dims;
    const bool fits = low <= high && std::isfinite(low) && std::isfinite(high) &&
                      CountIn(inner->other) == CountIn({&node, 0});
    if (!fits || !site.IsClosed(node, {&before})) return false;
    site.Replace(node, {&before},
                 {"Clamp",
                  1,
                  {Reshaped(site.graph(), node, inner->other, dims)},
                  {{"min", fmt::format("{}", static_cast<float>(low))},
                   {"max", fmt::format("{}", static_cast<float>(high))}}});
    return true;
  }
  return false;
}

bool RecogniseSlope(FormSite& site, ir::Node& node) {
  if (IsCalled(node, "Select")) return RecogniseSelected(site, node);
  if (IsCalled(node, "Maximum")) return RecogniseGreater(site, node);
  if (IsCalled(node, "Add") || IsCalled(node, "Subtract")) return RecogniseTwoRelus(site, node);
  return false;
}

}  // namespace weft::graph
