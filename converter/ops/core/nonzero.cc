// SPDX-License-Identifier: Apache-2.0
// NonZero: the coordinates of the nonzero elements, one row per axis. The output has space for all
// elements; its run-time length is the number of nonzero elements.
#include "converter/ops/core/nonzero.h"

#include "converter/base/narrow.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

// A scalar is searched as one element with one coordinate.
Dims SearchedDims(const NodeScope& scope) {
  return scope.rank(0) == 0 ? Dims{1} : scope.input_dims(0);
}

void InferNonZero(InferScope& scope) {
  const ElementType type = IndexTypeOf(scope, "output_type");
  if (!HasByteElements(scope, 0)) return;
  const Dims dims = SearchedDims(scope);
  const int64_t max = ElementCount(dims).value_or(0);
  scope.SetOutput(0, type, {std::ssize(dims), max});
  if (max > 0) scope.mutable_node().outputs[0].run_time_extent = {1, &scope.node(), 1};
  if (scope.constant(0) != nullptr) scope.IgnoreDeclared();  // it declares the folded shape
}

void LowerNonZero(LowerScope& scope) {
  const Dims dims = SearchedDims(scope);
  const int64_t max = ElementCount(dims).value_or(0);
  const program::ValueId positions = scope.NewOutput(0);
  if (max == 0) return;
  const program::ValueId count = scope.builder.Scratch({ElementType::i32, {}});
  EmitNonZeroIndices(scope.builder, 1, dims, max, scope.input(0), positions, count);
  scope.SetLength(count);
}

void NonZeroAxes(AxisScope& scope) { scope.relation.reason = "selects time steps by their values"; }

constexpr Operation kNonZeroRows[] = {
    {"NonZero", 3, 1, 1, InferNonZero, LowerNonZero, Apart(NonZeroAxes)},
};

}  // namespace

std::span<const Operation> NonZeroOperations() { return kNonZeroRows; }

void EmitNonZeroIndices(program::Builder& builder, int64_t batch, const Dims& dims, int64_t max,
                        program::ValueId x, program::ValueId positions, program::ValueId counts) {
  format::PositionsParams params;
  params.mutate_batch(Narrow32(batch, "batch"));
  params.mutate_rank(Narrow32(dims.size(), "rank"));
  WriteDims(params.mutable_dims(), dims);
  params.mutate_max(Narrow32(max, "most"));
  params.mutate_type(builder.type(x));
  params.mutate_index_type(builder.type(positions));
  builder.Emit(params, {x}, {positions, counts});
}

}  // namespace weft::ops
