// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention, softmax(scale * query * key^T + mask) * value: a product, the mask,
// a softmax and a second product. The scores of all queries and keys are in memory at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "converter/ops/core/matmul.h"
#include "converter/ops/core/softmax.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

constexpr size_t kQuery = 0, kKey = 1, kAttended = 2, kAttentionMask = 3, kScale = 4;
constexpr std::string_view kFactorNames[] = {"query", "key", "value"};

bool IsCausal(const NodeScope& scope) { return scope.attributes.Bool("causal", false); }

// Returns true if the mask can change scores. The causal form ignores the mask; exporters that need
// an argument only to reach the scale pass a zero mask.
bool HasMask(const NodeScope& scope) {
  if (IsCausal(scope) || !scope.has_input(kAttentionMask)) return false;
  const std::optional<std::vector<double>> known = scope.Numbers(kAttentionMask);
  const double nothing = scope.input_element(kAttentionMask) == ElementType::boolean ? 1 : 0;
  return !known || std::ranges::any_of(*known, [&](double x) { return x != nothing; });
}

// `batch` broadcast with the mask's batch axes; nullopt after an error.
std::optional<Dims> InferMask(InferScope& scope, const Dims& batch, const Dims& scores) {
  const TensorType& type = scope.input_type(kAttentionMask);
  if (type.type != ElementType::f32 && type.type != ElementType::boolean) {
    scope.Fault("input 3 (attention_mask) is {}; must be boolean or, like the query, f32",
                Name(type.type));
  }
  if (type.dims.empty()) return batch;
  const bool fits = type.dims.size() > 1 &&
                    (type.dims.back() == 1 || type.dims.back() == scores[1]) &&
                    (type.dims.end()[-2] == 1 || type.dims.end()[-2] == scores[0]);
  if (!fits) {
    scope.Fault(
        "input 3 (attention_mask) is {} for {} queries and {} keys; must be a scalar, or its last "
        "two axes must have these extents or 1",
        ToString(type), scores[0], scores[1]);
    return std::nullopt;
  }
  return scope.Broadcast(batch, Dims(type.dims.begin(), type.dims.end() - 2));
}

void CheckScale(InferScope& scope) {
  if (!scope.has_input(kScale)) return;
  const TensorType& type = scope.input_type(kScale);
  if (type.type == ElementType::f32 && (type.dims.empty() || type.dims == Dims{1})) return;
  scope.Fault("input 4 (scale) is {}; must be f32[] or f32[1]", ToString(type));
}

// Checks that query, key and value are f32 and that their matrices fit each other.
bool CheckFactors(InferScope& scope) {
  constexpr size_t kFactors[] = {kQuery, kKey, kAttended};
  CheckElements(scope, kFactors, {ElementType::f32});
  for (const size_t i : kFactors) {
    if (scope.rank(i) >= 3) continue;
    scope.Fault("input {} ({}) is {}; must have at least 3 axes", i, kFactorNames[i],
                ToString(scope.input_type(i)));
  }
  if (scope.failed()) return false;
  const Dims &query = scope.input_dims(kQuery), &key = scope.input_dims(kKey);
  const Dims& value = scope.input_dims(kAttended);
  if (query.back() != key.back()) {
    scope.Fault("query is {} and key is {}; their last axes must be equal", ToString(query),
                ToString(key));
  }
  if (query.back() == 0) {
    scope.Fault("query is {}; its last axis must not be 0", ToString(query));
  }
  if (key.end()[-2] != value.end()[-2]) {
    scope.Fault("key is {} and value is {}; must have the same number of rows", ToString(key),
                ToString(value));
  }
  return !scope.failed();
}

void InferAttention(InferScope& scope) {
  scope.RequireAttributes({"causal"});
  CheckScale(scope);
  if (!CheckFactors(scope)) return;
  const Matrix query = MatrixOver(scope.input_dims(kQuery));
  const Matrix key = MatrixOver(scope.input_dims(kKey));
  const Matrix value = MatrixOver(scope.input_dims(kAttended));
  std::optional<Dims> dims = scope.Broadcast(query.batch, key.batch);
  if (dims) dims = scope.Broadcast(*dims, value.batch);
  if (dims && !IsCausal(scope) && scope.has_input(kAttentionMask)) {
    dims = InferMask(scope, *dims, {query.rows, key.rows});
  }
  if (!dims || scope.failed()) return;
  dims->insert(dims->end(), {query.rows, value.columns});
  scope.SetOutput(0, ElementType::f32, std::move(*dims));
}

// The scaled query. The scale is part of the scores, but scaling the query is cheaper if there are
// more keys than elements in a key.
struct Query {
  program::ValueId value;
  Matrix matrix;
};

Query EmitScaledQuery(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const TensorType& type = scope.input_type(kQuery);
  const program::ValueId query = scope.input(kQuery);
  const Dims strides = scope.input_strides(kQuery);
  const std::optional<std::vector<double>> known = scope.Numbers(kScale);
  if (known && known->front() == 1) return {query, MatrixOver(type.dims, strides)};
  const auto size = static_cast<double>(type.dims.back());
  const program::ValueId scale =
      scope.has_input(kScale) ? scope.input(kScale)
                              : builder.WeightsOf<float>({ElementType::f32, {1}},
                                                         {static_cast<float>(1 / std::sqrt(size))});
  const program::ValueId scaled = builder.Scratch(type);
  const StridedNest nest = JoinedNest(type.dims, std::array{strides, Dims(strides.size(), 0)});
  EmitBinary(builder, format::BinaryOp::multiply, nest, query, scale, scaled);
  return {scaled, MatrixOver(type.dims)};
}

program::ValueId EmitScores(LowerScope& scope) {
  const Query query = EmitScaledQuery(scope);
  const Matrix key = MatrixOver(scope.input_dims(kKey), scope.input_strides(kKey),
                                /*transposed=*/true);
  Dims dims = BroadcastOf(query.matrix.batch, key.batch);
  const MatrixProduct product = ProductOfBatches(dims, query.matrix, key);
  dims.insert(dims.end(), {query.matrix.rows, key.columns});
  const program::ValueId scores = scope.builder.Scratch({ElementType::f32, dims});
  EmitProduct(scope.builder, product, query.value, scope.input(kKey), scores);
  return scores;
}

// The scores where `attends` is true, minus infinity elsewhere.
program::ValueId EmitExcluded(program::Builder& builder, const Operand& attends,
                              program::ValueId scores) {
  const Dims dims = builder.dims(scores);
  const Dims out = BroadcastOf(dims, attends.dims);
  const program::ValueId nothing =
      builder.WeightsOf<float>({ElementType::f32, {1}}, {-std::numeric_limits<float>::infinity()});
  const program::ValueId y = builder.Scratch({ElementType::f32, out});
  EmitSelect(builder, {attends.value, WithLeadingOnes(attends.dims, out.size())},
             {scores, WithLeadingOnes(dims, out.size())}, {nothing, Dims(out.size(), 1)}, {y, out});
  return y;
}

// Returns true for the causal form with one key per query, which the softmax step masks itself.
bool HasTriangle(const NodeScope& scope) {
  return IsCausal(scope) && scope.input_dims(kQuery).end()[-2] == scope.input_dims(kKey).end()[-2];
}

// The mask that lets a query attend to the keys up to its own position. It is computed at run time
// because a table would occupy flash.
Operand EmitCausalMask(program::Builder& builder, int64_t queries, int64_t keys) {
  std::vector<int32_t> numbers(static_cast<size_t>(std::max(queries, keys)));
  std::iota(numbers.begin(), numbers.end(), 0);
  const program::ValueId positions =
      builder.WeightsOf({ElementType::i32, {std::ssize(numbers)}}, numbers);
  const Dims dims = {queries, keys};
  const program::ValueId attends = builder.Scratch({ElementType::boolean, dims});
  EmitCompare(builder, format::CompareOp::less_equal, {positions, {1, keys}},
              {positions, {queries, 1}}, attends);
  return {attends, dims};
}

program::ValueId EmitMasked(LowerScope& scope, program::ValueId scores) {
  program::Builder& builder = scope.builder;
  const Dims dims = builder.dims(scores);
  if (HasTriangle(scope)) return scores;
  if (IsCausal(scope)) {
    return EmitExcluded(builder, EmitCausalMask(builder, dims.end()[-2], dims.back()), scores);
  }
  if (!HasMask(scope)) return scores;
  const program::ValueId mask = scope.input(kAttentionMask);
  const Dims& mask_dims = scope.input_dims(kAttentionMask);
  if (scope.input_element(kAttentionMask) == ElementType::boolean) {
    return EmitExcluded(builder, {mask, mask_dims}, scores);
  }
  const program::ValueId sum = builder.Scratch({ElementType::f32, BroadcastOf(dims, mask_dims)});
  EmitBinary(builder, format::BinaryOp::add, scores, mask, sum);
  return sum;
}

void LowerAttention(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const Dims& out = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  const Matrix value = MatrixOver(scope.input_dims(kAttended), scope.input_strides(kAttended));
  if (value.rows == 0) return builder.Fill(y);
  const program::ValueId scores = EmitMasked(scope, EmitScores(scope));
  const TensorType type = builder.value(scores).type;
  const program::ValueId shares = builder.Scratch(type);
  const SoftmaxForm form = HasTriangle(scope) ? SoftmaxForm::kCausal : SoftmaxForm::kShares;
  EmitSoftmax(builder, type.dims.size() - 1, form, scores, shares);
  const Dims batch(out.begin(), out.end() - 2);
  EmitProduct(builder, ProductOfBatches(batch, MatrixOver(type.dims), value), shares,
              scope.input(kAttended), y);
}

// In the causal form, the keys that a query attends to depend on its position among all queries.
void AttentionAxes(AxisScope& scope) {
  const auto rank = static_cast<int64_t>(scope.out(0).size());
  std::vector<size_t> batched = {kQuery, kKey, kAttended}, by_row = {kQuery};
  if (HasMask(scope)) {
    batched.push_back(kAttentionMask);
    by_row.push_back(kAttentionMask);
  }
  for (int64_t from_end = 3; from_end <= rank; ++from_end) {
    scope.GroupFromEnd(from_end, rank - from_end, batched);
  }
  if (!IsCausal(scope)) scope.GroupFromEnd(2, rank - 2, by_row);
  scope.GroupFromEnd(1, rank - 1, std::array{kAttended});
  scope.relation.reason = "attends over time";
}

bool AttentionTakesStrides(const NodeScope&, size_t i) { return i <= kAttended; }

constexpr Traits kAttention = {
    .axes = AttentionAxes, .takes_strides = AttentionTakesStrides, .heavy = true};

constexpr Operation kAttentionRows[] = {
    {"ScaledDotProductAttention", 13, 3, 5, InferAttention, LowerAttention, kAttention}};

}  // namespace

std::span<const Operation> AttentionOperations() { return kAttentionRows; }

}  // namespace weft::ops
