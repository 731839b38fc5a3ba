// SPDX-License-Identifier: Apache-2.0
// What becomes of an operation whose tensors have their channels behind all other axes: [N, H, W,
// C] in place of [N, C, H, W], and [N, W, C] of [N, C, W]. The rule of an operation stands beside
// its shape rule and is named by its row (Traits::turn). It says which inputs and outputs turn
// together, and what else about the node then changes; no turn changes a bit of what is computed.
// Rules read inferred shapes, change nothing and add no fault.
#ifndef WEFT_CONVERTER_OPS_TURN_H_
#define WEFT_CONVERTER_OPS_TURN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// Attributes that turning writes, of operations that know both orders: the channels of input 0, or
// of output 0, stand last.
inline constexpr const char* kXLast = "x_last";
inline constexpr const char* kYLast = "y_last";

// Tensors of this rank have channels that can go last: axis 1 of three or four.
inline bool HasTurn(size_t rank) { return rank == 3 || rank == 4; }
// For each axis once the channels stand last: which axis it was.
std::vector<size_t> LastOrder(size_t rank);
// Where axis `axis`, negative ones counted from the end, stands then.
int64_t LastPlace(int64_t axis, size_t rank);
// One element per axis, such as extents or pads, in the other order.
Dims ChannelsLast(const Dims& dims);
Dims ChannelsSecond(const Dims& dims);
// Of a tensor of such dims, do elements move when it turns?
bool Moves(const Dims& dims);

// The dims of input 0 and output 0 as the document orders them, whatever kXLast and kYLast say.
Dims DocumentDims(const NodeScope& scope);
// A shape rule's result, in the document's order, as output 0 of such a node has it.
Dims OutputOrder(const NodeScope& scope, Dims dims);

struct Port {
  bool output = false;
  size_t index = 0;
  bool operator==(const Port&) const = default;
};
inline Port In(size_t index) { return {false, index}; }
inline Port Out(size_t index) { return {true, index}; }

// What channels that stand last are to an operation.
enum class LastIs {
  kIndifferent,
  kGood,    // it reads and writes by strides, a little faster along channels
  kBetter,  // its lanes are channels; no reason by itself
  kBest     // likewise, and other orders are slow
};

struct Turn {
  // The ports of each turn together or not at all; those of none stay.
  std::vector<std::vector<Port>> ties;
  LastIs last_is = LastIs::kIndifferent;
  // Of output 0 every extent behind the channels is 1, whatever the inputs' extents: it lies alike
  // in both orders.
  bool makes_one_place = false;
  // What changes when the ports turn that the scope says.
  std::map<std::string, std::string> attributes;
  std::map<size_t, Dims> ints;      // constant inputs, of one axis; behind the last one: another
  std::map<size_t, Dims> operands;  // inputs that turn alone, seen under these dims
  std::optional<Dims> reshape;      // it becomes the Reshape to these
};

class TurnScope : public NodeScope {
 public:
  // Nothing turns.
  TurnScope(const ir::Graph& graph, ir::Node& node, Faults& faults);
  // Flags for inputs and outputs.
  void SetTurned(std::vector<bool> inputs, std::vector<bool> outputs);

  const Dims& dims(Port port) const;
  // Its type has channels that can go last, and is known.
  bool MayTurn(Port port) const;
  bool turns(Port port) const { return (port.output ? outputs_ : inputs_)[port.index]; }
  // Unless one of them cannot.
  void Tie(std::vector<Port> ports);
  // Constant input i, a list of axes of a tensor of `rank`, with their places in it.
  void MoveAxes(size_t i, size_t rank);
  // Constant input i with one number for each axis.
  void MoveNumbers(size_t i);

  Turn turn;

 private:
  std::vector<bool> inputs_, outputs_;
};

// What the node's row says.
Turn TurnOf(TurnScope& scope);

// Shared rules. Inputs and outputs of an operation without axes; lower ranks line up with them.
void PointwiseTurn(TurnScope& scope);
// Input 0 and output 0, of the same dims.
void SameTurn(TurnScope& scope);
// Ties input 0 to output 0, which has those axes of it that are kept, in their order; false where
// they end up in none of the two orders.
bool TieKept(TurnScope& scope, const std::vector<bool>& kept);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_TURN_H_
