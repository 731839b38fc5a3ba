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

// Reads max(x, number), also as a Clamp without upper bound.
std::optional<WithNumber> MinOf(const ir::Node& node) {
  if (IsCalled(node, "Maximum")) return SplitNumber(node);
  const double max = AttributeOf(node, "max");
  if (!IsCalled(node, "Clamp") || max < double{std::numeric_limits<float>::max()}) {
    return std::nullopt;
  }
  return WithNumber{node.inputs[0], AttributeOf(node, "min")};
}

// Reads the value under a root.
std::optional<NormRoot> Radicand(ir::Source source) {
  Covered views;
  const ir::Source inner = BeforeViews(source, views);
  const ir::Node& node = *inner.node;
  std::optional<WithNumber> split = IsCalled(node, "Add") ? SplitNumber(node) : std::nullopt;
  NormRoot root;
  if (!split) {
    split = MinOf(node);
    if (split) root.at = EpsilonAt::kMin;
  }
  std::optional<Squares> squares;
  if (split && CountIn(split->other) == CountIn(inner)) squares = SquaresOf(split->other);
  if (squares) {
    squares->covered.insert(&node);
    root.epsilon = split->number;
  } else {
    root.at = EpsilonAt::kInside;
    squares = SquaresOf(inner);
  }
  if (!squares) return std::nullopt;
  Join(squares->covered, views);
  root.squares = std::move(*squares);
  return root;
}

// Reads sqrt(sum of squares), without an addend outside of the root.
std::optional<NormRoot> PlainRoot(ir::Source source) {
  Covered covered;
  const ir::Node& node = *BeforeViews(source, covered).node;
  std::optional<NormRoot> root;
  if (const std::optional<ir::Source> of = RootedIn(node)) {
    root = Radicand(*of);
  } else if (const std::optional<Reduced> norm = ReducedBy("ReduceL2", source)) {
    root = NormRoot{{.of = norm->of, .axes = norm->axes, .covered = norm->covered}};
  }
  if (!root) return std::nullopt;
  covered.insert(&node);
  Join(root->squares.covered, covered);
  return root;
}

std::optional<NormRoot> RootOf(ir::Source source) {
  Covered covered;
  const ir::Source inner = BeforeViews(source, covered);
  const ir::Node& node = *inner.node;
  if (std::optional<NormRoot> root = PlainRoot(inner)) {
    Join(root->squares.covered, covered);
    return root;
  }
  const bool adds = IsCalled(node, "Add");
  const std::optional<WithNumber> split = adds ? SplitNumber(node) : MinOf(node);
  if (!split || CountIn(split->other) != CountIn(inner)) return std::nullopt;
  std::optional<NormRoot> root = PlainRoot(split->other);
  if (!root || root->epsilon != 0) return std::nullopt;
  covered.insert(&node);
  Join(root->squares.covered, covered);
  root->at = adds ? EpsilonAt::kOutside : EpsilonAt::kMin;
  root->epsilon = adds ? split->number : split->number * split->number;
  if (!adds && split->number < 0) return std::nullopt;
  return root;
}

// Reads 1 / root, root^-0.5, or a gain divided by the root.
std::optional<NormInverse> PlainInverse(ir::Source source) {
  Covered covered;
  const ir::Node& node = *BeforeViews(source, covered).node;
  const bool divides = IsCalled(node, "Divide");
  if (!divides && !IsCalled(node, "Power")) return std::nullopt;
  const std::optional<double> number = NumberIn(node.inputs[divides ? 0 : 1]);
  std::optional<NormRoot> root;
  if (divides) root = RootOf(node.inputs[1]);
  if (!divides && number == -1.0) root = RootOf(node.inputs[0]);
  if (!divides && number == -0.5) root = Radicand(node.inputs[0]);
  if (!root) return std::nullopt;
  const bool has_gain = divides && number != 1.0;
  if (has_gain && !covered.empty()) return std::nullopt;
  covered.insert(&node);
  Join(root->squares.covered, covered);
  if (!has_gain) return NormInverse{std::move(*root), source};
  return NormInverse{std::move(*root), node.inputs[1], node.inputs[0]};
}

std::optional<NormInverse> InverseOf(ir::Source source) {
  if (std::optional<NormInverse> inverse = PlainInverse(source)) return inverse;
  const ir::Node& node = *source.node;
  if (!IsCalled(node, "Multiply")) return std::nullopt;
  for (const size_t i : {0, 1}) {
    std::optional<NormInverse> inverse = PlainInverse(node.inputs[i]);
    if (!inverse || inverse->gain) continue;
    inverse->gain = node.inputs[1 - i];
    inverse->root.squares.covered.insert(&node);
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
  const std::vector<int64_t>& axes = squares.axes;
  norm.form.inputs = {*squares.centred, NewInts(site.graph(), like, axes)};
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
  const std::vector<int64_t>& axes = squares.axes;
  norm.form.inputs = {*squares.of, NewInts(site.graph(), like, axes)};
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

// Skips a Broadcast along axes of extent 1.
ir::Source BeforeBroadcast(ir::Source source, Covered& covered) {
  const ir::Node& node = *source.node;
  if (!IsCalled(node, "Broadcast") || node.inputs.size() != 2) return source;
  if (TypeOf(node.inputs[0]).dims.size() != TypeOf(source).dims.size()) return source;
  covered.insert(&node);
  return node.inputs[0];
}

bool RecogniseQuotient(FormSite& site, ir::Node& node) {
  Covered broadcast;
  const ir::Source divisor = BeforeBroadcast(node.inputs[1], broadcast);
  const std::optional<NormRoot> root = RootOf(divisor);
  if (!root) return false;
  std::optional<NormForm> norm = QuotientForm(site, node, node.inputs[0], *root);
  if (!norm || !KeepsAxes(divisor, TypeOf(norm->x).dims, root->squares.axes)) return false;
  Join(norm->covered, broadcast);
  return PlaceNorm(site, node, std::move(*norm), std::nullopt, std::nullopt);
}

bool RecogniseFactor(FormSite& site, ir::Node& node) {
  for (const size_t i : {1, 0}) {
    const std::optional<NormInverse> inverse = InverseOf(node.inputs[i]);
    if (!inverse) continue;
    std::optional<NormForm> norm = QuotientForm(site, node, node.inputs[1 - i], inverse->root);
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
  for (Pattern::Match& match : kSum.AllMatches({&node, 0})) {
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
    match.covered.erase(&node);
    Join(norm->covered, match.covered);
    const std::optional<ir::Source> shift =
        match.Has("shift") ? std::optional(match.at("shift")) : std::nullopt;
    return PlaceNorm(site, node, std::move(*norm), inverse->gain, shift);
  }
  return false;
}

}  // namespace

bool RecogniseNorm(FormSite& site, ir::Node& node) {
  if (IsCalled(node, "Divide")) return RecogniseQuotient(site, node);
  if (IsCalled(node, "Multiply")) return RecogniseFactor(site, node);
  return IsCalled(node, "Add") && RecogniseSum(site, node);
}

}  // namespace weft::graph
