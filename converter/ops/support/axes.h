// SPDX-License-Identifier: Apache-2.0
// Axis relations of an operation: which axes of its inputs and outputs are the same axis, processed
// independently per position, and which axes it mixes. A time axis can pass through the former. The
// axis rule of an operation is defined next to its shape rule and named in its table row
// (Traits::axes). Rules read inferred shapes and constant inputs only; they change nothing and
// report no error.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_AXES_H_
#define WEFT_CONVERTER_OPS_SUPPORT_AXES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::ops {

// One axis of one input or output of a node.
struct PortAxis {
  bool output = false;
  size_t port = 0;
  int64_t axis = 0;
  bool operator==(const PortAxis&) const = default;
};

// Axes of equal extent that are the same axis. A group that contains only an output axis is an axis
// along which the operation repeats one value.
using AxisGroup = std::vector<PortAxis>;

// The output contains exactly the positions [begin, end) of an axis of input 0, in order.
struct Selection {
  int64_t axis = 0, begin = 0, end = 0;
};

// An axis of input 0 and of output 0 along which the operation looks back but not ahead. Each group
// of `give` output positions is computed from the next `take` input positions and the `past`
// positions before them.
struct Delay {
  int64_t axis = 0, past = 0, take = 1, give = 1;
  // The number of taps of a window and the distance between them.
  int64_t taps = 1, dilation = 1;
  double fill = 0;       // initial content of the past
  bool repeats = false;  // the past initially repeats the first position
  bool shifts = false;   // the output is the input delayed by `past` positions
  // Changed attributes of the operation once its past is prepended to its input.
  std::map<std::string, std::string> attributes = {};
};

// Windows at any offset along an axis of input 0 that compute the same axis of output 0. Output
// position i reads `extent` input positions from i * stride - begin[axis - 2] on. With `spread`
// (transposed), input position i adds to `extent` output positions from i * stride on; the first
// begin[axis - 2] output positions are then dropped.
struct Windows {
  int64_t axis = 0, extent = 1, stride = 1;
  bool spread = false;
  Dims begin = {}, end = {};  // padding of all spatial axes
};

// Each output position is the sum of the input positions up to it; `exclusive` leaves out the
// position itself.
struct RunningSum {
  int64_t axis = 0;
  bool exclusive = false;
};

// Positions of an axis of output 0, and of its group, that can only be removed together.
struct Together {
  int64_t axis = 0, positions = 1;
};

// The relations between the axes of one node.
struct AxisRelation {
  std::vector<AxisGroup> groups;
  Together together;
  // The constant inputs from 1 on select positions of input 0: `selections`, and per axis `runs`.
  bool selects = false;
  std::vector<Selection> selections;
  std::vector<Runs> runs;  // set if there are selections or delays
  // Set if the operation splits input 0 into its outputs: the positions in each output. Other axes
  // are complete.
  std::vector<Selection> parts;
  std::vector<Delay> delays;
  std::vector<Windows> windows;
  std::optional<RunningSum> sum;
  // The output has the elements of input 0 in the same order under other dims. An axis continues if
  // the reshape neither merges nor splits it.
  bool reshapes = false;
  // With `reshapes`: for each axis of input 0 the output axis that begins with its positions,
  // whatever its extent; -1 if there is none.
  std::vector<int64_t> followed;
  // Input 1 holds the extents to which the output's axes are broadcast, aligned at the last axis.
  bool stretches = false;
  // Axes of input 0 over which floats are summed. The accumulation order depends on the inner
  // extents.
  std::vector<bool> summed;
  bool keeps_order = false;  // the order does not depend on the extents of the kept axes
  std::string reason = "may combine time steps";  // why axes without a group cannot be time
};

// The scope of an axis rule: gives access to the node and collects its relation.
class AxisScope : public NodeScope {
 public:
  using NodeScope::NodeScope;
  const Dims& in(size_t i) const { return input_dims(i); }
  const Dims& out(size_t i) const { return node().outputs[i].type.dims; }
  static int64_t At(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }

  // Declares axis `from` of input i and axis `to` of output j the same axis. Returns false and adds
  // no group if their extents differ.
  bool Pair(size_t i, int64_t from, size_t j, int64_t to);
  // Pairs each axis of input i with the same axis of output j, except axes whose flag in `but` is
  // set.
  void Same(size_t i, size_t j, const std::vector<bool>& but = {});

  AxisRelation relation;
};

// Runs the axis rule of a node that inference has accepted.
AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node);

// Shared rules.
//
// Pointwise: every operand axis that has the output's extent joins the group.
void PointwiseAxes(AxisScope& scope);
// Each axis of input 0 is the same axis of output 0.
void SameAxes(AxisScope& scope);
// The output has the elements of input 0 under other dims.
void ReshapedAxes(AxisScope& scope);

// Traits of an operation with the axis rule `axes`.
constexpr Traits Apart(void (*axes)(AxisScope&)) { return {.axes = axes}; }
// Traits of an operation with the axis rule `axes`, whose inputs from 1 on determine its shape or
// bounds.
constexpr Traits ShapedBy(void (*axes)(AxisScope&), int replaced_in = 0) {
  return {
      .axes = axes, .steering = Steering::kShape, .steered_from = 1, .replaced_in = replaced_in};
}

// One flag per axis of input 0. NamedAxes sets the axes listed in constant input `input`; OnlyAxis
// sets `axis` only.
std::vector<bool> NamedAxes(const NodeScope& scope, size_t input);
std::vector<bool> OnlyAxis(const NodeScope& scope, int64_t axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_AXES_H_
