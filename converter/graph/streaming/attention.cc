// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "converter/graph/double_length.h"
#include "converter/graph/lower.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/mask_samples.h"
#include "converter/ops/core/softmax.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/equation.h"

namespace weft::graph {
namespace {

constexpr size_t kMaskInput = 3, kScaleInput = 4;

bool Flag(const ir::Graph& graph, const ir::Node& node, const char* key) {
  return Quiet<ops::Attributes>(graph, node).Bool(key, false);
}

int64_t RankOf(const ir::Source& source) { return std::ssize(DimsOf(source)); }

// Returns true for matrices with one row and one column per position.
bool IsSquare(const Dims& dims) { return dims.size() >= 2 && dims.back() == dims.end()[-2]; }

// Returns the only non-constant input.
std::optional<size_t> DataInput(const ir::Node& node) {
  std::optional<size_t> data;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].node->constant) continue;
    if (data) return std::nullopt;
    data = i;
  }
  return data;
}

// Returns true if the node processes each score independently, or reshapes only the axes before the
// last two.
bool PassesScores(const ir::Graph& graph, ir::Node& node) {
  const std::optional<size_t> data = DataInput(node);
  if (!data || node.outputs.size() != 1 || node.operation == nullptr) return false;
  const Dims &in = DimsOf(node.inputs[*data]), &out = DimsOf({&node, 0});
  if (ops::TraitsOf(node).reshapes) {
    return *data == 0 && IsSquare(in) && IsSquare(out) && in.back() == out.back();
  }
  if (AttributeText(node, "auto_broadcast") == "pdpd") return false;
  const AxisRelation relation = ops::RelationOf(graph, node);
  const PortAxis row = {true, 0, std::ssize(out) - 2}, column = {true, 0, std::ssize(out) - 1};
  const auto goes_on = [&](const PortAxis& to) {
    return std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
      return std::ranges::find(group, to) != group.end() &&
             std::ranges::find(group, PortAxis{false, *data, to.axis}) != group.end();
    });
  };
  return in == out && !relation.reshapes && goes_on(row) && goes_on(column);
}

bool IsSoftmaxOfRows(const ir::Graph& graph, ir::Node& node) {
  if (!IsCalled(node, "Softmax")) return false;
  const int64_t axis = Quiet<ops::Attributes>(graph, node).Int("axis", 1);
  return axis == -1 || axis == RankOf({&node, 0}) - 1;
}

// Applies `mask`, a constant that is added or that selects, to the scores of the attention
// operation.
ir::Source Masked(ir::Graph& graph, ir::Node& node, ir::Source scores, ir::Source mask) {
  if (TypeOf(mask).type != ElementType::boolean) {
    return NewOperation(graph, node, "Add", 1, {scores, mask});
  }
  const ir::Source nothing = NewFloats(graph, node, {}, {-std::numeric_limits<float>::infinity()});
  return NewOperation(graph, node, "Select", 1, {mask, scores, nothing});
}

// Returns the causal mask of `positions` steps, stored for the first `stored` ones.
ir::Source Triangle(ir::Graph& graph, const ir::Node& node, int64_t positions, int64_t stored) {
  std::vector<int64_t> flags;
  for (int64_t at = 0; at < stored * stored; ++at) flags.push_back(at % stored <= at / stored);
  const ir::Source mask = NewInts(graph, node, {ElementType::boolean, {stored, stored}}, flags);
  mask.node->outputs[0].type.dims = {positions, positions};
  if (stored != positions) mask.node->outputs[0].doubled = {2 * positions, 2 * positions};
  return mask;
}

// Returns the query, scaled as in the attention operation.
ir::Source ScaledQuery(ir::Graph& graph, ir::Node& node) {
  const ir::Source query = node.inputs[0];
  const auto size = static_cast<double>(DimsOf(query).back());
  const bool has_scale = node.inputs.size() > kScaleInput;
  const std::optional<double> number =
      has_scale ? NumberIn(node.inputs[kScaleInput]) : std::optional(1 / std::sqrt(size));
  if (number == 1) return query;
  const ir::Source scale = NewFloats(graph, node, {1}, {static_cast<float>(*number)});
  ir::Node* scaled = NewInferredNode(graph, node, "Multiply", 1, {query, scale});
  scaled->attributes[kRoundsApart] = "true";
  return {scaled, 0};
}

// Separates the mask from a softmax that excludes later positions. Bit-identical.
void TakeMaskApart(ir::Graph& graph, ir::Node& softmax, std::optional<int64_t> sampled) {
  const ir::Source scores = softmax.inputs[0];
  if (!IsSquare(DimsOf(scores))) return;
  const int64_t positions = DimsOf(scores).back();
  const ir::Source mask = Triangle(graph, softmax, positions, sampled.value_or(positions));
  Become(softmax, "Softmax", 8, {Masked(graph, softmax, scores, mask)});
  softmax.attributes = {{"axis", "-1"}};
}

// Decomposes the attention operation. Bit-identical.
void TakeApart(ir::Graph& graph, ir::Node& node, std::optional<int64_t> sampled) {
  if (node.attributes.contains(ops::kOfTriangle)) return TakeMaskApart(graph, node, sampled);
  if (!IsCalled(node, "ScaledDotProductAttention")) return;
  const int64_t positions = DimsOf(node.inputs[0]).end()[-2];
  const bool is_causal = Flag(graph, node, "causal");
  const bool has_mask = node.inputs.size() > kMaskInput;
  if (DimsOf(node.inputs[1]).end()[-2] != positions || !(is_causal || has_mask)) return;
  if (node.inputs.size() > kScaleInput && !NumberIn(node.inputs[kScaleInput])) return;
  if (!is_causal) {
    const ir::Source given = node.inputs[kMaskInput];
    if (!given.node->constant || TypeOf(given).dims.size() < 2 || positions < 2) return;
  }
  const ir::Source mask = is_causal ? Triangle(graph, node, positions, sampled.value_or(positions))
                                    : node.inputs[kMaskInput];
  const ir::Source query = ScaledQuery(graph, node), key = node.inputs[1], value = node.inputs[2];
  const ir::Source scores =
      NewOperation(graph, node, "MatMul", 1, {query, key}, {{"transpose_b", "true"}});
  const ir::Source masked = Masked(graph, node, scores, mask);
  const ir::Source shares = NewOperation(graph, node, "Softmax", 8, {masked}, {{"axis", "-1"}});
  Become(node, "MatMul", 1, {shares, value});
}

// Marks the nodes that rewrites have added; other nodes stay as they are.
void MarkAgain(ir::Graph& graph, const Folding& folding) {
  Faults discarded;  // of nodes that were marked before
  InferOptions options;
  options.max_iterations = std::numeric_limits<int32_t>::max();
  (void)MarkOpenAxes(graph, options, folding, discarded);
}

bool IsProduct(const ir::Node& node) {
  return IsCalled(node, "MatMul") || (IsCalled(node, "Einsum") && node.inputs.size() == 2);
}

// The time axes of a product, in addition to the columns of the scores. `row` belongs to the
// operand with one element per row of scores, `column` to the other operand.
struct Sum {
  PortAxis row, column, result;
};

std::optional<Sum> SumOfMatmul(const ir::Graph& graph, const ir::Node& node, bool takes_scores) {
  const int64_t a = RankOf(node.inputs[0]), b = RankOf(node.inputs[1]);
  const bool a_permuted = Flag(graph, node, "transpose_a"),
             b_permuted = Flag(graph, node, "transpose_b");
  if (a < 2 || b < 2 || (takes_scores && a_permuted)) return std::nullopt;
  const int64_t inner = b_permuted ? b - 1 : b - 2, outer = b_permuted ? b - 2 : b - 1;
  return Sum{{false, 0, a_permuted ? a - 1 : a - 2},
             {false, 1, takes_scores ? inner : outer},
             {true, 0, std::max(a, b) - 2}};
}

int64_t AxisOf(const ops::Labels& labels, ops::Label label) {
  return std::ranges::find(labels, label) - labels.begin();
}

std::optional<Sum> SumOfEinsum(const ir::Graph& graph, ir::Node& node, bool takes_scores) {
  Quiet<ops::NodeScope> scope(graph, node);
  const ops::Equation equation = ops::ReadEquation(scope).value();
  const ops::Labels result = ops::OutputLabels(equation, ops::ExtentsOf(scope, equation));
  const ops::Labels labels[] = {ops::LabelsOf(scope, equation, 0),
                                ops::LabelsOf(scope, equation, 1)};
  const ops::Labels& scores = takes_scores ? labels[0] : result;
  if (scores.size() < 2) return std::nullopt;
  const ops::Label row = scores.end()[-2], column = scores.back();
  const size_t other = takes_scores || !ops::HasLabel(labels[0], column) ? 1 : 0;
  const bool fits = row != column && ops::HasLabel(labels[1 - other], row) &&
                    !ops::HasLabel(labels[other], row) && ops::HasLabel(labels[other], column) &&
                    ops::HasLabel(result, row) && takes_scores != ops::HasLabel(result, column) &&
                    takes_scores == ops::HasLabel(labels[1 - other], column);
  if (!fits) return std::nullopt;
  return Sum{{false, 1 - other, AxisOf(labels[1 - other], row)},
             {false, other, AxisOf(labels[other], column)},
             {true, 0, AxisOf(result, row)}};
}

std::optional<Sum> SumOf(const ir::Graph& graph, ir::Node& node, bool takes_scores) {
  return IsCalled(node, "Einsum") ? SumOfEinsum(graph, node, takes_scores)
                                  : SumOfMatmul(graph, node, takes_scores);
}

// Returns the two operations that replace NaN by 0, which some exporters write after a softmax.
std::vector<ir::Node*> WithoutNan(const ReaderMap& readers, ir::Node& select) {
  if (!IsCalled(select, "Select") || CountIn(select.inputs[1]) != 1) return {};
  ir::Node* question = select.inputs[0].node;
  const bool fits = NumberIn(select.inputs[1]) && IsCalled(*question, "IsNaN") &&
                    question->inputs[0] == select.inputs[2] && IsReadOnce(readers, *question) &&
                    IsReadOnce(readers, select);
  return fits ? std::vector{question, &select} : std::vector<ir::Node*>();
}

// Returns true if the operation gives excluded keys, whose share is 0, the share 0.
bool KeepsExcluded(const ir::Graph& graph, ir::Node& node) {
  if (node.operation == nullptr || !PassesScores(graph, node)) return false;
  if (ops::TraitsOf(node).reshapes) return true;
  if (IsCalled(node, "FakeQuantize")) {
    return NumberIn(node.inputs[1]) == 0 && NumberIn(node.inputs[3]) == 0;
  }
  const bool divides = IsCalled(node, "Divide");
  const size_t data = DataInput(node).value();
  if (!IsCalled(node, "Multiply") && !(divides && data == 0)) return false;
  const ir::Constant& factor = *node.inputs[1 - data].node->constant;
  const Dims& dims = factor.type.dims;
  const auto of_score = dims.end() - std::min<ptrdiff_t>(2, std::ssize(dims));
  if (!std::all_of(of_score, dims.end(), [](int64_t extent) { return extent == 1; })) return false;
  for (size_t i = 0; i < static_cast<size_t>(ElementCount(dims).value_or(0)); ++i) {
    const double number = NumberAt(factor, i);
    if (!std::isfinite(number) || (divides && number == 0)) return false;
  }
  return true;
}

// Goes back from the first operand of the product to the softmax, if there is one.
ir::Source ReadShares(const ir::Graph& graph, const ReaderMap& readers, CausalAttention& found) {
  const ir::Source shares = found.product->inputs[0];
  ir::Source at = shares;
  size_t reads = 1;
  while (KeepsExcluded(graph, *at.node)) {
    if (!IsReadOnce(readers, *at.node)) return shares;
    found.shares.insert(found.shares.begin(), at.node);
    at = at.node->inputs[DataInput(*at.node).value()];
  }
  const std::vector<ir::Node*> guard = WithoutNan(readers, *at.node);
  if (!guard.empty()) {
    found.shares.insert(found.shares.begin(), guard.begin(), guard.end());
    at = at.node->inputs[2];
    reads = guard.size();
  }
  const bool is_all = ReadersIn(readers, *at.node).size() == reads;
  if (!is_all || !IsSoftmaxOfRows(graph, *at.node)) return shares;
  found.softmax = at.node;
  return at.node->inputs[0];
}

// Returns the attention whose last product is `product`; its reach is not set yet.
std::optional<CausalAttention> ReadForm(const ir::Graph& graph, const ReaderMap& readers,
                                        ir::Node& product) {
  if (!IsProduct(product)) return std::nullopt;
  CausalAttention found;
  found.product = &product;
  ir::Source at = ReadShares(graph, readers, found);
  if (found.softmax == nullptr) found.shares.clear();
  while (!IsProduct(*at.node)) {
    if (!IsReadOnce(readers, *at.node) || !PassesScores(graph, *at.node)) return std::nullopt;
    found.masks.insert(found.masks.begin(), at.node);
    at = at.node->inputs[DataInput(*at.node).value()];
  }
  found.scores = at.node;
  found.positions = DimsOf(at).back();
  if (!IsReadOnce(readers, *at.node) || !IsSquare(DimsOf(at))) return std::nullopt;
  const std::optional<Sum> scores = SumOf(graph, *at.node, false);
  const std::optional<Sum> sum = SumOf(graph, product, true);
  if (!scores || !sum) return std::nullopt;
  const ir::Node& keys = *found.scores->inputs[scores->column.port].node;
  if (keys.constant || product.inputs[sum->column.port].node->constant) return std::nullopt;
  found.query = scores->row;
  found.key = scores->column;
  found.value = sum->column;
  found.result = sum->result;
  return found;
}

// Moves an input axis to the group of an output axis.
void AddToGroup(AxisRelation& relation, const PortAxis& out, const PortAxis& in) {
  for (AxisGroup& group : relation.groups) {
    std::erase(group, in);
    if (std::ranges::find(group, out) != group.end()) group.push_back(in);
  }
}

}  // namespace

std::vector<CausalAttention> ReadAttentions(ir::Graph& graph, const Folding* folding,
                                            std::vector<const ir::Node*>& others) {
  std::optional<MaskSamples> sampled;
  if (folding != nullptr) {
    MarkAgain(graph, *folding);
    sampled = SampleMasks(graph, *folding);
  }
  for (ir::Node* node : ir::Topological(graph))
    TakeApart(graph, *node, sampled ? std::optional(sampled->steps) : std::nullopt);
  if (folding != nullptr) MarkAgain(graph, *folding);
  const ReaderMap readers = Readers(graph);
  std::vector<CausalAttention> attentions;
  for (ir::Node* node : ir::Topological(graph)) {
    if (IsCalled(*node, "ScaledDotProductAttention")) others.push_back(node);
    std::optional<CausalAttention> attention = ReadForm(graph, readers, *node);
    if (!attention) continue;
    if (IsOverPairs({attention->scores, 0})) attention->positions = sampled->steps;
    const Masks masks(attention->masks, attention->positions, attention->softmax != nullptr);
    const std::optional<Reach> reach = masks.Read();
    if (reach) {
      attention->reach = *reach;
      if (sampled && !sampled->are_complete) attention->positions = reach->past + reach->period;
      attentions.push_back(*std::move(attention));
    } else if (attention->softmax != nullptr) {
      others.push_back(attention->softmax);
    }
  }
  return attentions;
}

std::map<const ir::Node*, AxisRelation> RelationsOf(const ir::Graph& graph,
                                                    const CausalAttention& attention) {
  std::map<const ir::Node*, AxisRelation> relations;
  for (ir::Node* mask : attention.masks) {
    AxisRelation relation = ops::RelationOf(graph, *mask);
    const size_t data = DataInput(*mask).value();
    for (AxisGroup& group : relation.groups) {
      std::erase_if(group, [&](const PortAxis& at) {
        if (at.output || at.port == data) return false;
        return at.axis + 2 >= RankOf(mask->inputs[at.port]);
      });
    }
    relations[mask] = std::move(relation);
  }
  const PortAxis row = {true, 0, RankOf({attention.scores, 0}) - 2};
  const auto set = [&](ir::Node* sum, const PortAxis& out, const PortAxis& in) {
    AxisRelation relation = ops::RelationOf(graph, *sum);
    AddToGroup(relation, out, in);
    if (attention.reach.is_even) relation.together = {out.axis, attention.reach.period};
    relations[sum] = std::move(relation);
  };
  set(attention.scores, row, attention.key);
  set(attention.product, attention.result, attention.value);
  return relations;
}

bool RunsAlong(const TimeAxes& times, const CausalAttention& attention) {
  const ir::Source scores = {attention.scores, 0};
  const TimeAxis* time = times.Of(scores);
  return time != nullptr && time->axis == RankOf(scores) - 2;
}

bool CountsSteps(const CausalAttention& attention) {
  return attention.softmax != nullptr || (attention.reach.period > 1 && !attention.reach.is_even);
}

bool IsMask(const std::vector<CausalAttention>& attentions, const ir::Node& node) {
  return std::ranges::any_of(attentions, [&](const CausalAttention& attention) {
    return std::ranges::find(attention.masks, &node) != attention.masks.end();
  });
}

}  // namespace weft::graph
