// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/form_rows.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/polynomial.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

using Readings = std::vector<Reading>;

Readings ReadTimes(ir::Source source) {
  Readings all;
  for (const ir::Source& x : VariablesOf(source)) {
    PolynomialReader reader(x, std::nullopt);
    const std::optional<Polynomial> of = reader.Read(source);
    const double factor = of ? of->Factor(1, 0) : 0;
    if (factor == 0 || !of->Is({{1, 0, factor}})) continue;
    all.push_back({.of = x, .covered = reader.covered(), .numbers = {factor}});
  }
  return all;
}

// Reads one constant that `source` is multiplied or divided by.
bool ReadScale(Reading& reading) {
  const ir::Node& node = *reading.of.node;
  const bool divides = IsCalled(node, "Divide");
  if (!divides && !IsCalled(node, "Multiply")) return false;
  for (const size_t i : {1, 0}) {
    if (divides && i == 0) break;
    std::optional<Repeated> constant = RepeatedOf(node, i);
    if (!constant || TypeOf(node.inputs[1 - i]).dims != node.outputs[0].type.dims) continue;
    if (divides) {
      for (double& number : constant->numbers) number = 1 / number;
    }
    auto product = Joined({reading.dims, reading.numbers}, *constant, Joining::kProduct);
    if (!product) return false;
    reading.dims = std::move(product->dims);
    reading.numbers = std::move(product->numbers);
    reading.of = node.inputs[1 - i];
    reading.covered.insert(&node);
    return true;
  }
  return false;
}

Readings ReadScaled(ir::Source source) {
  Readings all = {{.of = source, .numbers = {1}, .dims = Dims(TypeOf(source).dims.size(), 1)}};
  for (Reading longer = all[0]; ReadScale(longer);) all.push_back(longer);
  std::ranges::reverse(all);
  return all;
}

// Wraps a reader of one operation.
template <std::optional<ir::Source> (*read)(const ir::Node&)>
Readings ReadNode(ir::Source source) {
  const std::optional<ir::Source> of = read(*source.node);
  return of ? Readings{{.of = *of, .covered = {source.node}}} : Readings();
}

Readings ReadReduced(std::optional<Reduced> reduced) {
  if (!reduced) return {};
  return {{.of = reduced->of,
           .covered = std::move(reduced->covered),
           .numbers = {reduced->factor},
           .axes = std::move(reduced->axes)}};
}

// Keeps a reduction without a factor whose axes remain.
Readings ReadKept(ir::Source source, std::optional<Reduced> reduced) {
  const bool fits =
      reduced && reduced->factor == 1 && KeepsAxes(source, TypeOf(reduced->of).dims, reduced->axes);
  return fits ? ReadReduced(std::move(reduced)) : Readings();
}

// Reads the maximum of x and a number, also as a Clamp without upper bound.
Readings ReadAtLeast(ir::Source source) {
  const ir::Node& node = *source.node;
  std::optional<WithNumber> min;
  if (IsCalled(node, "Maximum")) min = SplitNumber(node);
  if (IsCalled(node, "Clamp") &&
      AttributeOf(node, "max") >= double{std::numeric_limits<float>::max()}) {
    min = WithNumber{node.inputs[0], AttributeOf(node, "min")};
  }
  if (!min) return {};
  return {{.of = min->other, .covered = {&node}, .numbers = {min->number}}};
}

Readings ReadView(ir::Source source) {
  Reading view;
  view.of = BeforeViews(source, view.covered);
  return {std::move(view)};
}

Readings ReadMean(ir::Source source) {
  std::optional<Reduced> mean = ReducedOf(source);
  const bool fits = mean && mean->IsMean() && KeepsAxes(source, TypeOf(mean->of).dims, mean->axes);
  return fits ? ReadReduced(std::move(mean)) : Readings();
}

constexpr PatternReader kReaders[] = {
    {"Times", ReadTimes},
    {"Scaled", ReadScaled},
    {"Square", ReadNode<SquaredIn>},
    {"Root", ReadNode<RootedIn>},
    {"Inverse", ReadNode<InvertedIn>},
    {"Sum", [](ir::Source source) { return ReadKept(source, ReducedOf(source)); }},
    {"Max", [](ir::Source source) { return ReadKept(source, ReducedBy("ReduceMax", source)); }},
    {"Mean", ReadMean},
    {"AtLeast", ReadAtLeast},
    {"Length", [](ir::Source source) { return ReadReduced(ReducedBy("ReduceL2", source)); }},
    {"View", ReadView},
    {"Reduced", [](ir::Source source) { return ReadReduced(ReducedOf(source)); }}};

// Returns true if the elements of x are those of the node one by one.
bool GoesThrough(ir::Source x, const ir::Node& node) {
  return !x.node->constant && CountIn(x) == ElementCount(node.outputs[0].type.dims);
}

}  // namespace

Pattern FormPattern(std::string_view text) { return Pattern(text, kReaders); }

bool ReplaceByRow(FormSite& site, ir::Node& node, std::span<const FormRow> rows) {
  for (const FormRow& row : rows) {
    for (Pattern::Match& match : row.pattern.AllMatches({&node, 0})) {
      if (match.Has("x") && !GoesThrough(match.at("x"), node)) continue;
      std::optional<Form> form = row.form(site, node, match);
      match.covered.erase(&node);
      if (!form || !site.IsClosed(node, match.covered)) continue;
      if (match.Has("x")) {
        const Dims dims = node.outputs[0].type.dims;
        form->inputs.insert(form->inputs.begin(),
                            Reshaped(site.graph(), node, match.at("x"), dims));
      }
      site.Replace(node, match.covered, std::move(*form));
      return true;
    }
  }
  return false;
}

}  // namespace weft::graph
