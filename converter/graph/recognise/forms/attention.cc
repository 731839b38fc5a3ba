// SPDX-License-Identifier: Apache-2.0
// Recognises attention, softmax(scale * query * key^T + mask) * value, if the single operation is
// cheaper than its parts. It is cheaper if the softmax is known to be causal, or if both query and
// key are scaled. The scale may be applied to the query, the key or the scores. An existing
// attention operation becomes causal if its mask keeps the keys up to the query position, and
// scales of its inputs are merged into it.
#include <cmath>
#include <numeric>
#include <utility>

#include "converter/graph/recognise/forms/form_rows.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/recognise/forms/triangle.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/softmax.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

struct Attention {
  ir::Source query = {}, key = {}, value = {};
  double scale = 1;
  int64_t scaled = 0;  // number of scale factors
  std::optional<ir::Source> mask = std::nullopt;
  bool is_causal = false;
  Covered covered = {};
};

// Skips a multiplication or division by one number, and merges the number into the scale.
ir::Source BeforeScale(ir::Source source, Attention& attention) {
  const std::optional<WithNumber> scaled = ScaledBy(*source.node);
  if (!scaled || TypeOf(scaled->other).dims != TypeOf(source).dims) return source;
  attention.scale *= scaled->number;
  ++attention.scaled;
  attention.covered.insert(source.node);
  return scaled->other;
}

// Reads query and key of the product that computes the scores.
bool ReadScores(FormSite& site, ir::Source scores, Attention& attention) {
  ir::Source inner = BeforeScale(scores, attention);
  const ir::Node& product = *inner.node;
  if (!IsCalled(product, "MatMul") || AttributeOf(product, "transpose_a") != 0) return false;
  attention.covered.insert(&product);
  attention.query = BeforeScale(product.inputs[0], attention);
  attention.key = BeforeScale(product.inputs[1], attention);
  for (const ir::Source& factor : {attention.query, attention.key}) {
    if (TypeOf(factor).dims.size() < 3 || factor.node->constant) return false;
  }
  if (AttributeOf(product, "transpose_b") != 0) return true;
  std::vector<size_t> order(TypeOf(attention.key).dims.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order.end()[-1], order.end()[-2]);
  attention.key =
      Transposed(site.graph(), product, attention.key, std::move(order), &attention.covered);
  attention.key = BeforeScale(attention.key, attention);
  return true;
}

// Returns true if the softmax is over the keys.
bool IsShareOfKeys(const ir::Node& softmax) {
  const int64_t rank = std::ssize(softmax.outputs[0].type.dims);
  const double axis = AttributeOf(softmax, "axis", 1);
  return rank >= 3 && (axis == -1 || axis == static_cast<double>(rank - 1));
}

std::optional<Attention> ReadAttention(FormSite& site, ir::Node& node) {
  static const Pattern kAttention =
      FormPattern("MatMul(softmax:Softmax({Add(scores,mask)|scores}),value)");
  const auto is_permuted = [&](const char* key) { return AttributeOf(node, key) != 0; };
  if (is_permuted("transpose_a") || is_permuted("transpose_b")) return std::nullopt;
  for (Pattern::Match& match : kAttention.AllMatches({&node, 0})) {
    const ir::Source softmax = match.at("softmax"), scores = match.at("scores");
    Attention attention{.value = match.at("value")};
    attention.is_causal = softmax.node->attributes.contains(ops::kOfTriangle);
    if (match.Has("mask")) attention.mask = match.at("mask");
    const bool fits =
        !attention.mask || (!attention.is_causal && TypeOf(*attention.mask).dims.size() >= 2 &&
                            TypeOf(scores).dims == TypeOf(softmax).dims);
    if (!fits || !IsShareOfKeys(*softmax.node) || TypeOf(attention.value).dims.size() < 3) continue;
    attention.covered = std::move(match.covered);
    attention.covered.erase(&node);
    if (ReadScores(site, scores, attention)) return attention;
  }
  return std::nullopt;
}

// An existing attention operation whose mask is a triangle becomes causal.
bool TakeTriangle(FormSite& site, ir::Node& node) {
  if (node.inputs.size() < 4 || AttributeOf(node, "causal") != 0) return false;
  const ir::Source mask = node.inputs[3];
  const Dims& dims = TypeOf(mask).dims;
  const bool is_matrix = dims.size() >= 2 && CountIn(mask) == dims.back() * dims.back();
  const bool fits = is_matrix && (IsCausalChoice(mask, true) || IsCausalAddend(mask));
  if (!fits || !site.IsClosed(node, {})) return false;
  std::vector<ir::Source> inputs = node.inputs;
  inputs[3] = NewFloats(site.graph(), node, {}, {0.0f});
  site.Replace(node, {},
               {"ScaledDotProductAttention", 13, std::move(inputs), {{"causal", "true"}}});
  return true;
}

// An existing attention operation takes factors of its query and key into its scale.
bool TakeFactors(FormSite& site, ir::Node& node) {
  Attention attention;
  if (node.inputs.size() > 4) {
    const std::optional<double> scale = NumberIn(node.inputs[4]);
    if (!scale) return false;
    attention.scale = *scale;
  } else {
    attention.scale = 1 / std::sqrt(static_cast<double>(TypeOf(node.inputs[0]).dims.back()));
  }
  std::vector<ir::Source> inputs = node.inputs;
  for (const size_t i : {0, 1}) inputs[i] = BeforeScale(inputs[i], attention);
  const bool is_sound = std::isfinite(attention.scale) && attention.scale != 0;
  if (attention.scaled == 0 || !is_sound || !site.IsClosed(node, attention.covered)) return false;
  if (inputs.size() < 4) inputs.push_back(NewFloats(site.graph(), node, {}, {0.0f}));
  inputs.resize(4);
  inputs.push_back(NewFloats(site.graph(), node, {1}, {static_cast<float>(attention.scale)}));
  site.Replace(node, attention.covered,
               {"ScaledDotProductAttention", 13, std::move(inputs), node.attributes});
  return true;
}

}  // namespace

bool RecogniseAttention(FormSite& site, ir::Node& node) {
  if (IsCalled(node, "ScaledDotProductAttention")) {
    const bool is_triangle = TakeTriangle(site, node);
    return TakeFactors(site, node) || is_triangle;
  }
  const std::optional<Attention> attention = ReadAttention(site, node);
  if (!attention) return false;
  const auto& [query, key, value, scale, scaled, mask, is_causal, covered] = *attention;
  const bool is_cheaper = is_causal || scaled > 1;
  const bool is_sound = std::isfinite(scale) && scale != 0;
  if (!is_cheaper || !is_sound || !site.IsClosed(node, covered)) return false;
  ir::Graph& graph = site.graph();
  const ir::Source no_mask = NewFloats(graph, node, {}, {0.0f});
  const ir::Source factor = NewFloats(graph, node, {1}, {static_cast<float>(scale)});
  site.Replace(node, covered,
               {"ScaledDotProductAttention",
                13,
                {query, key, value, mask ? *mask : no_mask, factor},
                {{"causal", is_causal ? "true" : "false"}}});
  return true;
}

}  // namespace weft::graph
