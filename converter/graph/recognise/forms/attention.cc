// SPDX-License-Identifier: Apache-2.0
// Recognises attention, softmax(scale * query * key^T + mask) * value, if the single operation is
// cheaper than its parts. It is cheaper if the softmax is known to be causal, or if both query and
// key are scaled. The scale may be applied to the query, the key or the scores. An existing
// attention operation becomes causal if its mask keeps the keys up to the query position, and
// scales of its inputs are merged into it.
#include <cmath>
#include <numeric>
#include <utility>

#include "converter/graph/recognise/forms/form_site.h"
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

// Returns the scores before an added mask, which is stored in `attention`.
ir::Source BeforeMask(ir::Source scores, Attention& attention) {
  const ir::Node& node = *scores.node;
  if (!IsCalled(node, "Add")) return scores;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const ir::Source before = node.inputs[i], other = node.inputs[1 - i];
    if (TypeOf(before).dims != TypeOf(scores).dims) continue;
    if (before.node->constant || TypeOf(other).dims.size() < 2) continue;
    attention.mask = other;
    attention.covered.insert(&node);
    return before;
  }
  return scores;
}

// Skips a multiplication or division by one number, and merges the number into the scale.
ir::Source BeforeScale(ir::Source source, Attention& attention) {
  const ir::Node& node = *source.node;
  std::optional<WithNumber> scaled;
  if (IsCalled(node, "Multiply")) scaled = SplitNumber(node);
  if (IsCalled(node, "Divide")) {
    const std::optional<double> number = NumberIn(node.inputs[1]);
    if (number && *number != 0) scaled = WithNumber{node.inputs[0], 1 / *number};
  }
  if (!scaled || TypeOf(scaled->other).dims != TypeOf(source).dims) return source;
  attention.scale *= scaled->number;
  ++attention.scaled;
  attention.covered.insert(&node);
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

// Returns true for a softmax over the keys.
bool IsShareOfKeys(const ir::Node& node) {
  if (!IsCalled(node, "Softmax")) return false;
  const int64_t rank = std::ssize(node.outputs[0].type.dims);
  const double axis = AttributeOf(node, "axis", 1);
  return rank >= 3 && (axis == -1 || axis == static_cast<double>(rank - 1));
}

std::optional<Attention> ReadAttention(FormSite& site, const ir::Node& node) {
  const ir::Node& softmax = *node.inputs[0].node;
  if (!IsShareOfKeys(softmax)) return std::nullopt;
  for (const char* key : {"transpose_a", "transpose_b"}) {
    if (AttributeOf(node, key) != 0) return std::nullopt;
  }
  Attention attention{.value = node.inputs[1], .covered = {&softmax}};
  if (TypeOf(attention.value).dims.size() < 3) return std::nullopt;
  attention.is_causal = softmax.attributes.contains(ops::kOfTriangle);
  const ir::Source masked = softmax.inputs[0];
  const ir::Source scores = attention.is_causal ? masked : BeforeMask(masked, attention);
  if (!ReadScores(site, scores, attention)) return std::nullopt;
  return attention;
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
  if (!IsCalled(node, "MatMul")) return false;
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
