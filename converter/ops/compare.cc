// SPDX-License-Identifier: Apache-2.0
// Comparisons of two tensors; the result is boolean.
#include <algorithm>
#include <array>

#include "converter/base/narrow.h"
#include "converter/ops/broadcast.h"
#include "converter/ops/families.h"
#include "converter/ops/scalars.h"

namespace weft::ops {
namespace {

using format::CompareOp;

void InferCompare(InferScope& scope) {
  CheckElements(scope, kBoth,
                {ElementType::f32, ElementType::i32, ElementType::i64, ElementType::i8,
                 ElementType::u8, ElementType::boolean});
  if (const std::optional<Dims> dims = BroadcastDims(scope, kBoth)) {
    scope.SetOutput(0, ElementType::boolean, *dims);
  }
}

template <CompareOp op>
void LowerCompare(LowerScope& scope) {
  const Dims& out = scope.output_type(0).dims;
  const plan::ValueId y = scope.NewOutput(0);
  if (std::ranges::find(out, 0) != out.end()) return;
  const Walk walk =
      CollapsedWalk(out, std::array{AlignedDims(scope, 0, out), AlignedDims(scope, 1, out)});
  format::CompareParams params;
  params.mutate_rank(Narrow32(walk.dims.size(), "rank"));
  WriteDims(params.mutable_dims(), walk.dims);
  WriteDims(params.mutable_a_strides(), walk.strides[0]);
  WriteDims(params.mutable_b_strides(), walk.strides[1]);
  params.mutate_op(op);
  params.mutate_type(scope.input_element(0));
  scope.builder.Emit(params, {scope.input(0), scope.input(1)}, {y});
}

int64_t EqualOf(int64_t a, int64_t b) { return a == b; }
int64_t NotEqualOf(int64_t a, int64_t b) { return a != b; }
int64_t LessOf(int64_t a, int64_t b) { return a < b; }
int64_t LessEqualOf(int64_t a, int64_t b) { return a <= b; }
int64_t GreaterOf(int64_t a, int64_t b) { return a > b; }
int64_t GreaterEqualOf(int64_t a, int64_t b) { return a >= b; }

constexpr Operation kCompareRows[] = {
    {"Equal", 1, 2, 2, InferCompare, LowerCompare<CompareOp::equal>, kPointwiseOfBoth<EqualOf>},
    {"NotEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::not_equal>,
     kPointwiseOfBoth<NotEqualOf>},
    {"Less", 1, 2, 2, InferCompare, LowerCompare<CompareOp::less>, kPointwiseOfBoth<LessOf>},
    {"LessEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::less_equal>,
     kPointwiseOfBoth<LessEqualOf>},
    {"Greater", 1, 2, 2, InferCompare, LowerCompare<CompareOp::greater>,
     kPointwiseOfBoth<GreaterOf>},
    {"GreaterEqual", 1, 2, 2, InferCompare, LowerCompare<CompareOp::greater_equal>,
     kPointwiseOfBoth<GreaterEqualOf>},
};

}  // namespace

std::span<const Operation> CompareOperations() { return kCompareRows; }

}  // namespace weft::ops
