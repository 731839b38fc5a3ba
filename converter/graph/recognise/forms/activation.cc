// SPDX-License-Identifier: Apache-2.0
// Formulas around one function of x. The function's argument and the use of its result are both
// read as polynomials, so one row covers every order of the operations:
//   Gelu         0.5 x (1 + erf(x / sqrt 2)), 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
//   Sigmoid      0.5 + 0.5 tanh(x / 2)
//   Swish        x sigmoid(b x)                          Mish    x tanh(softplus(x))
//   HardSigmoid  clamp(a x + b, 0, 1), clamp(a x + b, 0, n) / n
//   HSigmoid     clamp(x + 3, 0, 6) / 6                  HSwish  x clamp(x + 3, 0, 6) / 6
#include <cmath>
#include <utility>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/polynomial.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

enum class Inner { kErf, kTanh, kTanhOfSoftPlus, kSigmoid, kBounded };

// The function at the centre of a formula.
struct InnerFunction {
  Inner kind = Inner::kBounded;
  ir::Source of;      // its argument
  double factor = 1;  // kBounded: clamp(factor * of + shift, 0, most), divided by `max` if scaled
  double shift = 0, max = 1;
  Covered covered = {};  // in addition to the function itself
};

std::optional<float> AttributeNumber(const ir::Graph& graph, const ir::Node& node,
                                     std::string_view key) {
  Faults discarded;
  const ops::Attributes attributes(graph, node, discarded);
  if (!attributes.Has(key)) return std::nullopt;
  return attributes.Float(key, 0);
}

// Reads Clamp from 0, HSigmoid, HardSigmoid.
std::optional<InnerFunction> BoundedFunction(const ir::Graph& graph, const ir::Node& node) {
  const bool is_clamp = IsCalled(node, "Clamp"), is_sixth = IsCalled(node, "HSigmoid");
  if (!is_clamp && !is_sixth && !IsCalled(node, "HardSigmoid")) return std::nullopt;
  InnerFunction inner{.of = node.inputs[0]};
  if (is_sixth) {
    inner.factor = 1.0 / 6;
    inner.shift = 0.5;
    return inner;
  }
  if (!is_clamp) {
    const std::optional<double> factor = NumberIn(node.inputs[1]), shift = NumberIn(node.inputs[2]);
    if (!factor || !shift) return std::nullopt;
    inner.factor = *factor;
    inner.shift = *shift;
    return inner;
  }
  const std::optional<float> low = AttributeNumber(graph, node, "min");
  const std::optional<float> high = AttributeNumber(graph, node, "max");
  if (low != 0.0f || !high || !(*high > 0) || !std::isfinite(*high)) return std::nullopt;
  inner.max = *high;
  return inner;
}

std::optional<InnerFunction> InnerOf(const ir::Graph& graph, const ir::Node& node) {
  if (IsCalled(node, "Erf")) return InnerFunction{.kind = Inner::kErf, .of = node.inputs[0]};
  if (IsCalled(node, "Sigmoid")) {
    return InnerFunction{.kind = Inner::kSigmoid, .of = node.inputs[0]};
  }
  if (!IsCalled(node, "Tanh")) return BoundedFunction(graph, node);
  const ir::Node& before = *node.inputs[0].node;
  if (!IsCalled(before, "SoftPlus")) {
    return InnerFunction{.kind = Inner::kTanh, .of = node.inputs[0]};
  }
  return InnerFunction{
      .kind = Inner::kTanhOfSoftPlus, .of = before.inputs[0], .covered = {&before}};
}

ir::Source NewNumber(FormSite& site, const ir::Node& like, double number) {
  return NewFloats(site.graph(), like, {}, {static_cast<float>(number)});
}

// The function's argument as a polynomial in x, and the result as a polynomial in x and f.
struct Around {
  Polynomial of, result;
};

// Reads clamp(factor * x + shift, 0, most) times the coefficient in the result.
std::optional<Form> BoundedForm(FormSite& site, const ir::Node& root, const InnerFunction& inner,
                                const Around& around) {
  const Polynomial& of = around.of;
  if (!of.Is({{0, 0, of.Factor(0, 0)}, {1, 0, of.Factor(1, 0)}})) return std::nullopt;
  const double slope = inner.factor * of.Factor(1, 0) / inner.max;
  const double shift = (inner.factor * of.Factor(0, 0) + inner.shift) / inner.max;
  const bool is_sixth = IsClose(slope, 1.0 / 6) && IsClose(shift, 0.5);
  const double scale = 1 / inner.max;
  if (around.result.Is({{1, 1, scale}}) && is_sixth) return Form{"HSwish", 4};
  if (!around.result.Is({{0, 1, scale}}) || slope == 0) return std::nullopt;
  if (is_sixth) return Form{"HSigmoid", 5};
  return Form{"HardSigmoid", 1, {NewNumber(site, root, slope), NewNumber(site, root, shift)}};
}

// Returns the form without its first input x.
std::optional<Form> FormAround(FormSite& site, const ir::Node& root, const InnerFunction& inner,
                               const Around& around) {
  const auto& [of, result] = around;
  const double slope = of.Factor(1, 0);
  const double sign = slope < 0 ? -1 : 1;  // erf and tanh are odd
  const bool is_gelu = result.Is({{1, 0, 0.5}, {1, 1, sign * 0.5}});
  const double root_of_2_by_pi = sign * std::sqrt(2 / 3.14159265358979323846);
  switch (inner.kind) {
    case Inner::kErf:
      if (!is_gelu || !of.Is({{1, 0, sign * std::sqrt(0.5)}})) return std::nullopt;
      return Form{"Gelu", 7, {}, {{"approximation_mode", "erf"}}};
    case Inner::kTanh:
      if (is_gelu && of.Is({{1, 0, root_of_2_by_pi}, {3, 0, root_of_2_by_pi * 0.044715}})) {
        return Form{"Gelu", 7, {}, {{"approximation_mode", "tanh"}}};
      }
      if (!result.Is({{0, 0, 0.5}, {0, 1, sign * 0.5}})) return std::nullopt;
      if (!of.Is({{1, 0, sign * 0.5}})) return std::nullopt;
      return Form{"Sigmoid", 1};
    case Inner::kTanhOfSoftPlus:
      if (!result.Is({{1, 1, 1}}) || !of.Is({{1, 0, 1}})) return std::nullopt;
      return Form{"Mish", 4};
    case Inner::kSigmoid:
      if (!result.Is({{1, 1, 1}}) || slope == 0 || !of.Is({{1, 0, slope}})) return std::nullopt;
      return Form{"Swish", 4, {NewNumber(site, root, slope)}};
    case Inner::kBounded:
      return BoundedForm(site, root, inner, around);
  }
  return std::nullopt;
}

// Replaces the longest formula in x that starts at the function and ends before its result has more
// than one reader.
bool ReplaceAround(FormSite& site, ir::Node& function, const InnerFunction& inner, ir::Source x) {
  if (CountIn(x) != CountIn({&function, 0})) return false;
  PolynomialReader of_reader(x, std::nullopt);
  const std::optional<Polynomial> of = of_reader.Read(inner.of);
  if (!of) return false;
  constexpr int kLongest = 6;
  ir::Node* root = nullptr;
  Form form;
  Covered covered;
  ir::Node* end = &function;
  for (int length = 0; end != nullptr && length < kLongest; ++length) {
    PolynomialReader reader(x, ir::Source{&function, 0});
    const std::optional<Polynomial> result = reader.Read({end, 0});
    if (!result) break;
    Covered all = of_reader.covered();
    all.insert(inner.covered.begin(), inner.covered.end());
    all.insert(reader.covered().begin(), reader.covered().end());
    all.insert(&function);
    all.erase(end);
    std::optional<Form> found;
    if (!all.empty() && site.IsClosed(*end, all)) {
      found = FormAround(site, *end, inner, {*of, *result});
    }
    if (found) {
      root = end;
      form = std::move(*found);
      covered = std::move(all);
    }
    end = site.SoleReader(*end);
  }
  if (root == nullptr) return false;
  const Dims dims = root->outputs[0].type.dims;
  form.inputs.insert(form.inputs.begin(), Reshaped(site.graph(), *root, x, dims));
  site.Replace(*root, covered, std::move(form));
  return true;
}

// 1 + exp(of), from which exp(-x) is read.
struct Grown {
  ir::Source of;
  Covered covered;
};

std::optional<Grown> OnePlusExp(ir::Source source) {
  const ir::Node& sum = *source.node;
  if (!IsCalled(sum, "Add")) return std::nullopt;
  const std::optional<WithNumber> split = SplitNumber(sum);
  if (!split || split->number != 1.0 || !IsCalled(*split->other.node, "Exp")) return std::nullopt;
  const ir::Source of = split->other.node->inputs[0];
  if (CountIn(of) != CountIn(source)) return std::nullopt;
  return Grown{of, {&sum, split->other.node}};
}

// t > 20 ? x : softplus(t) / b with t = b * x, which exporters write to keep exp t finite. Above 17
// both are the same f32, up to the rounding of b.
bool RecogniseBoundedSoftPlus(FormSite& site, ir::Node& node) {
  constexpr double kMinBound = 17;
  const ir::Node& choice = *node.inputs[0].node;
  const ir::Source x = node.inputs[1], grown = node.inputs[2];
  if (!IsCalled(choice, "Greater") || TypeOf(x).dims != node.outputs[0].type.dims) return false;
  const std::optional<double> bound = NumberIn(choice.inputs[1]);
  if (!bound || *bound < kMinBound) return false;
  for (const ir::Source& function : VariablesOf(grown)) {
    if (!IsCalled(*function.node, "SoftPlus") || TypeOf(grown).dims != TypeOf(x).dims) continue;
    const ir::Source t = function.node->inputs[0];
    PolynomialReader before(x, std::nullopt), after(function, std::nullopt);
    const std::optional<Polynomial> of = before.Read(t), by = after.Read(grown);
    if (!of || !by || !(choice.inputs[0] == t)) continue;
    const double slope = of->Factor(1, 0);
    const bool fits = slope > 0 && of->Is({{1, 0, slope}}) && by->Is({{1, 0, 1 / slope}});
    const ir::Node& last = *grown.node;
    if (!fits || !site.IsClosed(node, {&choice, &last})) continue;
    site.Replace(
        node, {&choice, &last},
        {std::string(last.operation->name), last.operation->opset, last.inputs, last.attributes});
    return true;
  }
  return false;
}

}  // namespace

bool RecogniseActivation(FormSite& site, ir::Node& node) {
  const std::optional<InnerFunction> inner = InnerOf(site.graph(), node);
  if (!inner || inner->of.node->constant) return false;
  for (const ir::Source& x : VariablesOf(inner->of)) {
    if (ReplaceAround(site, node, *inner, x)) return true;
  }
  return false;
}

bool RecogniseExponential(FormSite& site, ir::Node& node) {
  if (IsCalled(node, "Select")) return RecogniseBoundedSoftPlus(site, node);
  if (IsCalled(node, "Log")) {
    const std::optional<Grown> grown = OnePlusExp(node.inputs[0]);
    if (!grown || !site.IsClosed(node, grown->covered)) return false;
    const ir::Source x = Reshaped(site.graph(), node, grown->of, node.outputs[0].type.dims);
    site.Replace(node, grown->covered, {"SoftPlus", 4, {x}});
    return true;
  }
  const bool inverts = IsCalled(node, "Power") && NumberIn(node.inputs[1]) == -1.0;
  if (!inverts && !IsCalled(node, "Divide")) return false;
  const std::optional<Grown> grown = OnePlusExp(node.inputs[inverts ? 0 : 1]);
  if (!grown) return false;
  const bool of_one = inverts || NumberIn(node.inputs[0]) == 1.0;
  for (const ir::Source& x : VariablesOf(grown->of)) {
    PolynomialReader reader(x, std::nullopt);
    const std::optional<Polynomial> of = reader.Read(grown->of);
    if (!of || CountIn(x) != CountIn({&node, 0})) continue;
    const double slope = -of->Factor(1, 0);
    const bool fits = of_one ? slope == 1 : slope != 0 && node.inputs[0] == x;
    Covered covered = grown->covered;
    covered.insert(reader.covered().begin(), reader.covered().end());
    if (!fits || !of->Is({{1, 0, -slope}}) || !site.IsClosed(node, covered)) continue;
    Form form{of_one ? "Sigmoid" : "Swish",
              of_one ? 1 : 4,
              {Reshaped(site.graph(), node, x, Dims(node.outputs[0].type.dims))}};
    if (!of_one) form.inputs.push_back(NewNumber(site, node, slope));
    site.Replace(node, covered, std::move(form));
    return true;
  }
  return false;
}

}  // namespace weft::graph
