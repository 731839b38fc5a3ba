// SPDX-License-Identifier: Apache-2.0
// Recognises normalisations, with mean and sum over the same axes:
//   MVN          (x - mean x) / sqrt(mean (x - mean x)^2 + eps), eps inside or outside of the root,
//                the variance also as mean x^2 - (mean x)^2; unbiased, with a factor on the result
//   NormalizeL2  x / sqrt(sum x^2 + eps), x / max(sqrt(sum x^2), eps), and with the mean of the
//                squares instead of their sum (RMSNorm)
// The quotient may be a product with 1 / sqrt or a power of -0.5, which may be multiplied by a gain
// before x. Also reads x * s + (shift - mean x * s), with and without the shift.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/normalize.h"

namespace weft::graph {
namespace {

// The sum of squares of a value, which may be x - mean x.
struct Squares {
  std::optional<ir::Source> of = std::nullopt;
  std::optional<ir::Source> centred = std::nullopt;  // x of x - mean x
  std::vector<int64_t> axes;
  bool is_mean = false;
  double scale = 1;             // factor on the mean, as in an unbiased variance
  Covered covered = {};         // without the mean of x and the difference
  Covered covered_centre = {};  // the mean of x and the difference
};

enum class EpsilonAt { kInside, kOutside, kMin };

struct NormRoot {
  Squares squares;
  double epsilon = 0;
  EpsilonAt at = EpsilonAt::kInside;
};

// 1 / root, multiplied by a gain.
struct NormInverse {
  NormRoot root;
  ir::Source line;  // the root, or its inverse without gain: one number per line
  std::optional<ir::Source> gain = std::nullopt;
};

// Reads x - mean x, or its square as one operation.
std::optional<Pattern::Match> CentredOf(ir::Source source, bool squared = false) {
  static const Pattern kCentred =
      FormPattern("{Subtract(x,Mean(x))|Add(x,{Negative(Mean(x))|Multiply(-1,Mean(x))})}");
  static const Pattern kSquare = FormPattern("SquaredDifference(x,Mean(x))");
  std::vector<Pattern::Match> matches = (squared ? kSquare : kCentred).AllMatches(source);
  return matches.empty() ? std::nullopt : std::optional(std::move(matches[0]));
}

std::optional<Squares> SumOfSquares(ir::Source source) {
  std::optional<Reduced> reduced = ReducedOf(source);
  if (!reduced || !(reduced->factor > 0) || !std::isfinite(reduced->factor)) return std::nullopt;
  const ir::Node& node = *reduced->of.node;
  Squares squares{.axes = reduced->axes, .is_mean = reduced->IsMean(), .covered = reduced->covered};
  if (!squares.is_mean && reduced->factor != 1) {
    squares.is_mean = true;
    squares.scale = reduced->PerMean();
  }
  std::optional<Pattern::Match> centred = CentredOf(reduced->of, /*squared=*/true);
  if (const std::optional<ir::Source> of = SquaredIn(node)) {
    squares.of = of;
    centred = CentredOf(*of);
  } else if (!centred) {
    return std::nullopt;
  }
  squares.covered.insert(&node);
  if (centred && centred->axes == squares.axes) {
    squares.centred = centred->at("x");
    squares.covered_centre = std::move(centred->covered);
  }
  return squares;
}

// Reads mean x^2 - (mean x)^2, which rounding may make negative.
std::optional<Squares> VarianceOfSums(ir::Source source) {
  static const Pattern kVariance = FormPattern(
      "{Maximum(0,Subtract(squares,Square(mean)))|Relu(Subtract(squares,Square(mean)))|"
      "Subtract(squares,Square(mean))}");
  for (const Pattern::Match& match : kVariance.AllMatches(source)) {
    std::optional<Squares> squares = SumOfSquares(match.at("squares"));
    const std::optional<Reduced> mean = ReducedOf(match.at("mean"));
    if (!squares || !mean || !squares->is_mean || squares->scale != 1) continue;
    if (!mean->IsMean() || mean->of != squares->of || mean->axes != squares->axes) continue;
    if (TypeOf(match.at("mean")).dims != TypeOf(match.at("squares")).dims) continue;
    squares->centred = std::exchange(squares->of, std::nullopt);
    squares->covered_centre = mean->covered;
    Join(squares->covered, match.covered);
    return squares;
  }
  return std::nullopt;
}

std::optional<Squares> SquaresOf(ir::Source source) {
  std::optional<Squares> squares = SumOfSquares(source);
  return squares ? squares : VarianceOfSums(source);
}

// A root, or the value under it. The pattern has the sum of squares, or the length of v.
struct RootRow {
  Pattern pattern;
  EpsilonAt at = EpsilonAt::kInside;
};

std::optional<NormRoot> ReadRoot(ir::Source source, std::span<const RootRow> rows) {
  for (const auto& [pattern, at] : rows) {
    for (const Pattern::Match& match : pattern.AllMatches(source)) {
      const ir::Source of = match.at("squares");
      std::optional<Squares> squares =
          match.Has("v") ? Squares{.of = match.at("v"), .axes = match.axes} : SquaresOf(of);
      if (!squares || CountIn(of) != CountIn(source)) continue;
      Join(squares->covered, match.covered);
      return NormRoot{*std::move(squares), match.Number("epsilon"), at};
    }
  }
  return std::nullopt;
}

std::optional<NormRoot> RadicandOf(ir::Source source) {
  static const RootRow kRows[] = {{FormPattern("View(Add(squares,#epsilon))")},
                                  {FormPattern("View(epsilon:AtLeast(squares))"), EpsilonAt::kMin},
                                  {FormPattern("View(squares)")}};
  return ReadRoot(source, kRows);
}

std::optional<NormRoot> RootOf(ir::Source source) {
  static const Pattern kRoot = FormPattern("View(Root(radicand))");
  static const std::string kPlain = "{View(Root(View(squares)))|squares:{Length(v)}}";
  static const RootRow kRows[] = {
      {FormPattern(kPlain)},
      {FormPattern("View(Add(" + kPlain + ",#epsilon))"), EpsilonAt::kOutside},
      {FormPattern("View(epsilon:AtLeast(" + kPlain + "))"), EpsilonAt::kMin}};
  for (const Pattern::Match& match : kRoot.AllMatches(source)) {
    std::optional<NormRoot> root = RadicandOf(match.at("radicand"));
    if (root) Join(root->squares.covered, match.covered);
    return root;
  }
  std::optional<NormRoot> root = ReadRoot(source, kRows);
  if (!root || root->at != EpsilonAt::kMin) return root;
  if (root->epsilon < 0) return std::nullopt;
  root->epsilon *= root->epsilon;
  return root;
}

std::optional<NormInverse> InverseOf(ir::Source source) {
  static const std::string kPlain = "inverse:{View({Inverse(root)|Power(radicand,-0.5)})}";
  static const Pattern kInverse =
      FormPattern("{" + kPlain + "|Multiply(" + kPlain + ",gain)|Divide(gain,root)}");
  for (const Pattern::Match& match : kInverse.AllMatches(source)) {
    std::optional<NormRoot> root =
        match.Has("root") ? RootOf(match.at("root")) : RadicandOf(match.at("radicand"));
    if (!root) continue;
    Join(root->squares.covered, match.covered);
    NormInverse inverse{*std::move(root), match.at(match.Has("inverse") ? "inverse" : "root")};
    if (match.Has("gain")) inverse.gain = match.at("gain");
    return inverse;
  }
  return std::nullopt;
}

// An operation that normalises x, and a factor for its result.
struct NormForm {
  ir::Source x;
  Form form;
  Covered covered;
  double factor = 1;
};

// The epsilon relative to the unscaled mean, and the factor that compensates for the scale.
double PlainEpsilon(const NormRoot& root) {
  const double scale = root.squares.scale;
  return root.epsilon / (root.at == EpsilonAt::kInside ? scale : std::sqrt(scale));
}
double PlainFactor(const NormRoot& root) { return 1 / std::sqrt(root.squares.scale); }

std::optional<NormForm> CentredForm(FormSite& site, const ir::Node& like, const NormRoot& root) {
  const Squares& squares = root.squares;
  if (!squares.is_mean || root.at == EpsilonAt::kMin) return std::nullopt;
  NormForm norm{*squares.centred, {"MVN", 6}, squares.covered, PlainFactor(root)};
  Join(norm.covered, squares.covered_centre);
  const char* mode = root.at == EpsilonAt::kInside ? "inside_sqrt" : "outside_sqrt";
  norm.form.attributes = {{"eps", fmt::format("{}", static_cast<float>(PlainEpsilon(root)))},
                          {"eps_mode", mode},
                          {"normalize_variance", "true"}};
  norm.form.inputs = {norm.x, NewInts(site.graph(), like, squares.axes)};
  return norm;
}

std::optional<NormForm> PlainForm(FormSite& site, const ir::Node& like, const NormRoot& root) {
  const Squares& squares = root.squares;
  const bool is_min = root.at == EpsilonAt::kMin;
  if (root.at == EpsilonAt::kOutside && root.epsilon != 0) return std::nullopt;
  if (squares.is_mean && is_min) return std::nullopt;
  // A subnormal lower bound would have no effect.
  if (is_min && root.epsilon < double{std::numeric_limits<float>::min()}) return std::nullopt;
  NormForm norm{*squares.of, {"NormalizeL2", 1}, squares.covered, PlainFactor(root)};
  norm.form.attributes = {{"eps", fmt::format("{}", static_cast<float>(PlainEpsilon(root)))},
                          {"eps_mode", is_min ? "max" : "add"}};
  if (squares.is_mean) norm.form.attributes[ops::kOfMean] = "true";
  norm.form.inputs = {norm.x, NewInts(site.graph(), like, squares.axes)};
  return norm;
}

// Returns the form of `numerator` divided by the root.
std::optional<NormForm> QuotientForm(FormSite& site, const ir::Node& like, ir::Source numerator,
                                     const NormRoot& root) {
  const Squares& squares = root.squares;
  const bool is_sound = root.epsilon >= 0 && std::isfinite(root.epsilon) && !squares.axes.empty();
  if (!is_sound) return std::nullopt;
  const std::optional<Pattern::Match> centred = CentredOf(numerator);
  if (squares.centred && centred && centred->at("x") == *squares.centred &&
      centred->axes == squares.axes) {
    std::optional<NormForm> norm = CentredForm(site, like, root);
    if (norm) Join(norm->covered, centred->covered);
    if (norm) return norm;
  }
  return squares.of == numerator ? PlainForm(site, like, root) : std::nullopt;
}

// Replaces `node` by the form, times the gain, plus the shift.
bool PlaceNorm(FormSite& site, ir::Node& node, NormForm norm, std::optional<ir::Source> gain,
               std::optional<ir::Source> shift) {
  norm.covered.erase(&node);
  if (!site.IsClosed(node, norm.covered)) return false;
  ir::Graph& graph = site.graph();
  if (!gain && !shift && TypeOf(norm.x).dims != node.outputs[0].type.dims) return false;
  if (!gain && !shift && norm.factor == 1) {
    site.Replace(node, norm.covered, std::move(norm.form));
    return true;
  }
  ir::Source value = NewOperation(graph, node, norm.form.operation, norm.form.opset,
                                  norm.form.inputs, norm.form.attributes);
  if (norm.factor != 1) {
    const ir::Source number = NewFloats(graph, node, {}, {static_cast<float>(norm.factor)});
    if (gain) value = NewOperation(graph, node, "Multiply", 1, {value, number});
    if (!gain) gain = number;
  }
  if (gain && shift) value = NewOperation(graph, node, "Multiply", 1, {value, *gain});
  site.Replace(node, norm.covered,
               {shift ? "Add" : "Multiply", 1, {value, shift ? *shift : *gain}});
  return true;
}

// Returns true if each line of x has one root.
bool LinesUp(const NormInverse& inverse, ir::Source x) {
  return KeepsAxes(inverse.line, TypeOf(x).dims, inverse.root.squares.axes);
}

// Recognises x / root, x * (1 / root) and x * (gain / root). The root may be broadcast.
bool RecogniseQuotient(FormSite& site, ir::Node& node) {
  static const Pattern kQuotient =
      FormPattern("{Divide(x,{root|wide:Broadcast(root,shape)})|Multiply(x,inverse)}");
  for (const Pattern::Match& match : kQuotient.AllMatches({&node, 0})) {
    if (match.Has("wide")) {
      const ir::Source wide = match.at("wide");
      const bool keeps_rank = TypeOf(match.at("root")).dims.size() == TypeOf(wide).dims.size();
      if (!keeps_rank || wide.node->inputs.size() != 2) continue;
    }
    std::optional<NormInverse> inverse;
    if (match.Has("inverse")) {
      inverse = InverseOf(match.at("inverse"));
    } else if (std::optional<NormRoot> root = RootOf(match.at("root"))) {
      inverse = NormInverse{*std::move(root), match.at("root")};
    }
    if (!inverse) continue;
    Join(inverse->root.squares.covered, match.covered);
    std::optional<NormForm> norm = QuotientForm(site, node, match.at("x"), inverse->root);
    if (!norm || !LinesUp(*inverse, norm->x)) continue;
    return PlaceNorm(site, node, std::move(*norm), inverse->gain, std::nullopt);
  }
  return false;
}

// Recognises x * s + (shift - mean x * s), and without a shift.
bool RecogniseSum(FormSite& site, ir::Node& node) {
  static const Pattern kSum = FormPattern(
      "Add(Multiply(x,s),{Subtract(shift,Multiply(mean,s))|"
      "Multiply({Negative(mean)|Multiply(-1,mean)},s)})");
  for (const Pattern::Match& match : kSum.AllMatches({&node, 0})) {
    const ir::Source x = match.at("x");
    const std::optional<Reduced> mean = ReducedOf(match.at("mean"));
    if (!mean || !mean->IsMean() || !(mean->of == x)) continue;
    const std::optional<NormInverse> inverse = InverseOf(match.at("s"));
    if (!inverse || !LinesUp(*inverse, x) || !(inverse->root.epsilon >= 0)) continue;
    const Squares& squares = inverse->root.squares;
    if (!squares.centred || !(*squares.centred == x) || squares.axes != mean->axes) continue;
    if (!KeepsAxes(match.at("mean"), TypeOf(x).dims, mean->axes)) continue;
    std::optional<NormForm> norm = CentredForm(site, node, inverse->root);
    if (!norm) continue;
    Join(norm->covered, mean->covered);
    Join(norm->covered, match.covered);
    const std::optional<ir::Source> shift =
        match.Has("shift") ? std::optional(match.at("shift")) : std::nullopt;
    return PlaceNorm(site, node, std::move(*norm), inverse->gain, shift);
  }
  return false;
}

}  // namespace

bool RecogniseNorm(FormSite& site, ir::Node& node) {
  return RecogniseQuotient(site, node) || RecogniseSum(site, node);
}

}  // namespace weft::graph
