// SPDX-License-Identifier: Apache-2.0
// Converts operations to channels-last: [N, H, W, C] instead of [N, C, H, W], and [N, W, C] instead
// of [N, C, W]. The rule of an operation is next to its shape rule and is named in its row
// (Traits::turn). It lists the inputs and outputs that must be permuted together, and the other
// changes to the node. Results are bit-identical. Rules read inferred shapes, change nothing and
// report no error.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_PERMUTATION_H_
#define WEFT_CONVERTER_OPS_SUPPORT_PERMUTATION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// Attributes of operations that support both orders, set by the permutation: input 0, or output 0,
// is channels-last.
inline constexpr const char* kXLast = "x_last";
inline constexpr const char* kYLast = "y_last";

// Returns true if tensors of this rank can be channels-last: 3 or 4, with the channels on axis 1.
inline bool HasChannelAxis(size_t rank) { return rank == 3 || rank == 4; }
// The permutation to channels-last: the original axis for each new axis.
std::vector<size_t> LastOrder(size_t rank);
// Position of `axis` after the permutation; negative axes count from the end.
int64_t LastPosition(int64_t axis, size_t rank);
// Permutes a list with one element per axis, such as extents or pads, to channels-last and back.
Dims ChannelsLast(const Dims& dims);
Dims ChannelsSecond(const Dims& dims);
// Returns true if the permutation changes the element order of a tensor with these dims.
bool Moves(const Dims& dims);

// The dims of input 0 in the order of the OpenVINO specification, whatever kXLast says.
Dims SpecDims(const NodeScope& scope);
// Converts the result of a shape rule, in the order of the specification, to the order of output 0.
Dims OutputOrder(const NodeScope& scope, Dims dims);

struct Port {
  bool output = false;
  size_t index = 0;
  bool operator==(const Port&) const = default;
};
inline Port In(size_t index) { return {false, index}; }
inline Port Out(size_t index) { return {true, index}; }

// How much an operation gains from channels-last tensors.
enum class LastIs {
  kIndifferent,
  kGood,    // strided reads and writes, slightly faster along channels
  kBetter,  // its vector lanes are channels; not a sufficient reason to permute
  kBest     // its vector lanes are channels, and other orders are slow
};

struct Permutation {
  // Ports of one group are permuted together or not at all; ports in no group keep their order.
  std::vector<std::vector<Port>> ties;
  LastIs last_is = LastIs::kIndifferent;
  // All extents of output 0 after the channels are 1, whatever the inputs' extents: both orders
  // have the same memory layout.
  bool makes_one_position = false;
  // Changes to the node for the permuted ports that the scope reports.
  std::map<std::string, std::string> attributes;
  std::map<size_t, Dims> ints;      // new 1-D constant inputs; may add an input at the end
  std::map<size_t, Dims> operands;  // inputs that are permuted separately, viewed with these dims
  std::optional<Dims> reshape;      // the node becomes a Reshape to these dims
};

class PermuteScope : public NodeScope {
 public:
  // Initially no port is permuted.
  PermuteScope(const ir::Graph& graph, ir::Node& node, Faults& faults);
  // Sets which inputs and outputs are permuted.
  void SetPermuted(std::vector<bool> inputs, std::vector<bool> outputs);

  const Dims& dims(Port port) const;
  // Returns true if the port can be channels-last: its rank and type allow it, it is not empty, and
  // it is not a constant input.
  bool CanPermute(Port port) const;
  bool is_permuted(Port port) const { return (port.output ? outputs_ : inputs_)[port.index]; }
  // Adds a group of ports that are permuted together, if all of them can be.
  void Tie(std::vector<Port> ports);
  // Updates constant input i, a list of axes of a tensor of `rank`, to their new positions.
  void MoveAxes(size_t i, size_t rank);
  // Permutes constant input i, which has one number per axis.
  void MoveNumbers(size_t i);

  Permutation permutation;

 private:
  std::vector<bool> inputs_, outputs_;
};

// Applies the rule in the node's row.
Permutation PermutationRuleOf(PermuteScope& scope);

// Shared rules. Elementwise operations; inputs of lower rank are aligned to the last axis.
void PointwisePermutation(PermuteScope& scope);
// Operations whose input 0 and output 0 have the same dims.
void SamePermutation(PermuteScope& scope);
// Operations whose output 0 has the `kept` axes of input 0, in their order. Returns false if the
// permuted axes match neither order.
bool TieKept(PermuteScope& scope, const std::vector<bool>& kept);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_PERMUTATION_H_
