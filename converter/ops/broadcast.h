// SPDX-License-Identifier: Apache-2.0
// How operands of different shapes meet: the auto_broadcast attribute, the shape rule it implies,
// and the shortest walk over the operands that covers the output. Shared by every family that
// combines tensors element by element.
#ifndef WEFT_CONVERTER_OPS_BROADCAST_H_
#define WEFT_CONVERTER_OPS_BROADCAST_H_

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// Operands of an operation of two inputs.
inline constexpr size_t kBoth[] = {0, 1};

// Output dims of inputs `operands` under the node's auto_broadcast; a fault names two shapes that
// do not agree. Under pdpd the first operand has the output's shape and the others stretch to it.
std::optional<Dims> BroadcastDims(InferScope& scope, std::span<const size_t> operands);

// The dims of input i with ones put in, so that they line up with `out` axis by axis. Valid after
// BroadcastDims has accepted the shapes.
Dims AlignedDims(const NodeScope& scope, size_t i, const Dims& out);

// A nest of loops over `dims`; operand k advances by strides[k], in elements, 0 where it repeats.
struct Walk {
  Dims dims;
  std::vector<Dims> strides;
};

// Axes of one element are dropped and neighbours joined wherever all operands agree, so the rank is
// as low as it can be; it is never 0. `aligned` holds one shape per operand, of out's rank.
Walk CollapsedWalk(const Dims& out, std::span<const Dims> aligned);
// As above, by the strides of each operand along `dims`.
Walk JoinedWalk(const Dims& dims, std::span<const Dims> strides);

// NumPy's broadcast of two shapes that agree, and the alignment it begins with.
Dims BroadcastOf(const Dims& a, const Dims& b);
Dims WithLeadingOnes(Dims dims, size_t rank);

// Steps hold 32-bit numbers in arrays of fixed length; unused places stay zero.
template <typename Array>
void WriteDims(Array* array, const Dims& values, std::string_view what = "dimension or stride") {
  for (size_t i = 0; i < values.size(); ++i) {
    array->Mutate(Narrow<uint16_t>(i, "rank"), Narrow32(values[i], what));
  }
}

// True when the node's inputs `operands` have one element type and it is among `allowed`; else
// faults say which input is what.
bool CheckElements(InferScope& scope, std::span<const size_t> operands,
                   std::initializer_list<ElementType> allowed);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_BROADCAST_H_
