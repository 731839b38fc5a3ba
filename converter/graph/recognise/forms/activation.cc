// SPDX-License-Identifier: Apache-2.0
// Formulas around one function of x. The function's argument and the use of its result are both
// read as polynomials, so one row covers every order of the operations:
//   Gelu         0.5 x (1 + erf(x / sqrt 2)), 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
//   Sigmoid      0.5 + 0.5 tanh(x / 2)
//   Swish        x sigmoid(b x)                          Mish    x tanh(softplus(x))
//   HardSigmoid  clamp(a x + b, 0, 1), clamp(a x + b, 0, n) / n
//   HSigmoid     clamp(x + 3, 0, 6) / 6                  HSwish  x clamp(x + 3, 0, 6) / 6
// and functions of exp:
//   SoftPlus  log(1 + exp x)      Sigmoid  1 / (1 + exp(-x))      Swish  x / (1 + exp(-b x))
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/recognise/forms/polynomial.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

ir::Source NewNumber(FormSite& site, const ir::Node& like, double number) {
  return NewFloats(site.graph(), like, {}, {static_cast<float>(number)});
}

// The function's argument as a polynomial in x, and the result as a polynomial in x and f.
struct Around {
  Polynomial of, result;
};

// A function, and a formula around it.
struct AroundRow {
  Pattern function;  // of its argument t
  std::vector<Term> of = {}, result = {};
  Form form = {};       // without its first input x
  bool is_odd = false;  // of the function
  // Replaces the comparison with these polynomials and this form if it is not null.
  std::optional<Form> (*read)(FormSite& site, const ir::Node& root, const Pattern::Match& function,
                              const Around& around) = nullptr;
};

// Negates the argument of an odd function if x has a negative factor in it.
Around Positive(Around around) {
  if (around.of.Factor(1, 0) >= 0) return around;
  for (auto& row : around.of.factors) row[0] = -row[0];
  for (auto& row : around.result.factors) row[1] = -row[1];
  return around;
}

std::optional<Form> OfSigmoid(FormSite& site, const ir::Node& root, const Pattern::Match&,
                              const Around& around) {
  const double slope = around.of.Factor(1, 0);
  const bool fits = slope != 0 && around.result.Is({{1, 1, 1}}) && around.of.Is({{1, 0, slope}});
  if (!fits) return std::nullopt;
  return Form{"Swish", 4, {NewNumber(site, root, slope)}};
}

// Reads clamp(factor * t + shift, 0, 1) * max: a Clamp has an upper bound, the others have 1.
std::optional<Form> OfBounded(FormSite& site, const ir::Node& root, const Pattern::Match& function,
                              const Around& around) {
  const auto& [of, result] = around;
  double factor = function.Number("factor", 1.0 / 6), shift = function.Number("shift", 0.5);
  double max = 1;
  if (function.Has("clamp")) {
    const ir::Node& clamp = *function.at("clamp").node;
    max = AttributeOf(clamp, "max");
    const bool is_bound = max > 0 && max <= double{std::numeric_limits<float>::max()};
    if (AttributeOf(clamp, "min", 1) != 0 || !is_bound) return std::nullopt;
    factor = 1 / max;
    shift = 0;
  }
  if (!of.Is({{0, 0, of.Factor(0, 0)}, {1, 0, of.Factor(1, 0)}})) return std::nullopt;
  const double slope = factor * of.Factor(1, 0), offset = factor * of.Factor(0, 0) + shift;
  const bool is_sixth = IsClose(slope, 1.0 / 6) && IsClose(offset, 0.5);
  if (is_sixth && result.Is({{1, 1, 1 / max}})) return Form{"HSwish", 4};
  if (!result.Is({{0, 1, 1 / max}}) || slope == 0) return std::nullopt;
  if (is_sixth) return Form{"HSigmoid", 5};
  return Form{"HardSigmoid", 1, {NewNumber(site, root, slope), NewNumber(site, root, offset)}};
}

// Replaces the longest formula in x that starts at the function and ends before its result has more
// than one reader.
bool ReplaceAround(FormSite& site, ir::Node& function, const AroundRow& row,
                   const Pattern::Match& match, ir::Source x) {
  if (CountIn(x) != CountIn({&function, 0})) return false;
  PolynomialReader of_reader(x, std::nullopt);
  const std::optional<Polynomial> of = of_reader.Read(match.at("t"));
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
    Covered all = match.covered;
    Join(all, of_reader.covered());
    Join(all, reader.covered());
    all.erase(end);
    std::optional<Form> found;
    if (!all.empty() && site.IsClosed(*end, all)) {
      const Around around = {*of, *result}, positive = row.is_odd ? Positive(around) : around;
      if (row.read != nullptr) {
        found = row.read(site, *end, match, around);
      } else if (positive.of.Is(row.of) && positive.result.Is(row.result)) {
        found = row.form;
      }
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

std::optional<Form> SoftPlus(FormSite&, const ir::Node&, Pattern::Match&) {
  return Form{"SoftPlus", 4};
}

std::optional<Form> Sigmoid(FormSite&, const ir::Node&, Pattern::Match& match) {
  return match.Number("slope") == -1 ? std::optional(Form{"Sigmoid"}) : std::nullopt;
}

std::optional<Form> Swish(FormSite& site, const ir::Node& root, Pattern::Match& match) {
  return Form{"Swish", 4, {NewNumber(site, root, -match.Number("slope"))}};
}

// t > 20 ? x : softplus(t) / b with t = b * x, which exporters write to keep exp t finite. Above 17
// both are the same f32, up to the rounding of b.
std::optional<Form> BoundedSoftPlus(FormSite&, const ir::Node& root, Pattern::Match& match) {
  constexpr double kMinBound = 17;
  const ir::Node &last = *match.at("last").node, &choice = *match.at("choice").node;
  const double slope = match.Number("slope");
  const Dims &dims = root.outputs[0].type.dims, &of_last = last.outputs[0].type.dims;
  const bool fits = slope > 0 && IsClose(match.Number("by"), 1 / slope) && dims == of_last &&
                    match.Number("bound") >= kMinBound && TypeOf(match.at("v")).dims == dims;
  if (!fits) return std::nullopt;
  match.covered = {&choice, &last};
  return Form{std::string(last.operation->name), last.operation->opset, last.inputs,
              last.attributes};
}

}  // namespace

bool RecogniseActivation(FormSite& site, ir::Node& node) {
  static const double kRootOf2ByPi = std::sqrt(2 / 3.14159265358979323846);
  static const std::vector<Term> kHalfGate = {{1, 0, 0.5}, {1, 1, 0.5}};  // x (1 + f) / 2
  static const AroundRow kRows[] = {
      {FormPattern("Erf(t)"),
       {{1, 0, std::sqrt(0.5)}},
       kHalfGate,
       {"Gelu", 7, {}, {{"approximation_mode", "erf"}}},
       true},
      {FormPattern("Tanh(t)"),
       {{1, 0, kRootOf2ByPi}, {3, 0, kRootOf2ByPi * 0.044715}},
       kHalfGate,
       {"Gelu", 7, {}, {{"approximation_mode", "tanh"}}},
       true},
      {FormPattern("Tanh(t)"), {{1, 0, 0.5}}, {{0, 0, 0.5}, {0, 1, 0.5}}, {"Sigmoid"}, true},
      {FormPattern("Tanh(SoftPlus(t))"), {{1, 0, 1}}, {{1, 1, 1}}, {"Mish", 4}},
      {.function = FormPattern("Sigmoid(t)"), .read = OfSigmoid},
      {.function = FormPattern("{clamp:Clamp(t)|HSigmoid(t)|HardSigmoid(t,#factor,#shift)}"),
       .read = OfBounded}};
  for (const AroundRow& row : kRows) {
    for (const Pattern::Match& match : row.function.AllMatches({&node, 0})) {
      if (match.at("t").node->constant) continue;
      for (const ir::Source& x : VariablesOf(match.at("t"))) {
        if (ReplaceAround(site, node, row, match, x)) return true;
      }
    }
  }
  return false;
}

bool RecogniseExponential(FormSite& site, ir::Node& node) {
  static const FormRow kRows[] = {{FormPattern("Select(choice:Greater(t:{slope:Times(v)},#bound),v,"
                                               "last:{by:Times(SoftPlus(t))})"),
                                   BoundedSoftPlus},
                                  {FormPattern("Log(Add(1,Exp(x)))"), SoftPlus},
                                  {FormPattern("Inverse(Add(1,Exp(slope:Times(x))))"), Sigmoid},
                                  {FormPattern("Divide(x,Add(1,Exp(slope:Times(x))))"), Swish}};
  return ReplaceByRow(site, node, kRows);
}

}  // namespace weft::graph
