// SPDX-License-Identifier: Apache-2.0
// Broadcasting of operands with different shapes: the auto_broadcast attribute, the shape rule it
// implies, and the shortest nest of loops over the operands that covers the output. Shared by the
// families that combine tensors element by element.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_BROADCAST_H_
#define WEFT_CONVERTER_OPS_SUPPORT_BROADCAST_H_

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// The operands of a binary operation.
inline constexpr size_t kBoth[] = {0, 1};

// Output dims of inputs `operands` under the node's auto_broadcast; reports an error that names two
// incompatible shapes. Under pdpd the first operand has the output's shape and the others are
// broadcast to it.
std::optional<Dims> BroadcastDims(InferScope& scope, std::span<const size_t> operands);

// The dims of input i with ones inserted, so that they align with `out` axis by axis. Valid after
// BroadcastDims has accepted the shapes.
Dims AlignedDims(const NodeScope& scope, size_t i, const Dims& out);

// A nest of loops over `dims`. Operand k advances by strides[k], in elements; a stride of 0
// repeats.
struct StridedNest {
  Dims dims;
  std::vector<Dims> strides;
};

// The nest of minimum rank, at least 1: axes of extent 1 are dropped, and adjacent axes are merged
// if all operands permit. `aligned` holds one shape per operand, of the rank of `out`.
StridedNest CollapsedNest(const Dims& out, std::span<const Dims> aligned);
// As above, from the strides of each operand along `dims`.
StridedNest JoinedNest(const Dims& dims, std::span<const Dims> strides);

// NumPy's broadcast of two compatible shapes, and the alignment of ranks that precedes it.
Dims BroadcastOf(const Dims& a, const Dims& b);
Dims WithLeadingOnes(Dims dims, size_t rank);

// Writes `values` to a fixed-length array of 32-bit numbers of a step; unused elements stay zero.
// `what` names a value that does not fit.
template <typename Array>
void WriteDims(Array* array, const Dims& values, std::string_view what = "dimension or stride") {
  for (size_t i = 0; i < values.size(); ++i) {
    array->Mutate(Narrow<uint16_t>(i, "rank"), Narrow32(values[i], what));
  }
}

// Writes a nest of two operands.
template <typename Params>
void WriteNest(Params& params, const StridedNest& nest) {
  params.mutate_rank(Narrow32(nest.dims.size(), "rank"));
  WriteDims(params.mutable_dims(), nest.dims);
  WriteDims(params.mutable_a_strides(), nest.strides[0]);
  WriteDims(params.mutable_b_strides(), nest.strides[1]);
}

// Returns true if the node's inputs `operands` have one element type and it is in `allowed`; else
// reports the inputs and their types.
bool CheckElements(InferScope& scope, std::span<const size_t> operands,
                   std::initializer_list<ElementType> allowed);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_BROADCAST_H_
