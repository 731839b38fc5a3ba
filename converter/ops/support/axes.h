// SPDX-License-Identifier: Apache-2.0
// Relations between the axes of the inputs and outputs of an operation. The axes of a group
// correspond: the operation processes each of their positions independently of the others. Slices,
// windows and sums along an axis have relations of their own below. Streaming uses the relations to
// find the time axis of every tensor.
//
// The axis rule of an operation is defined next to its shape rule and named in its table row
// (Traits::axes). Rules only read inferred shapes and constant inputs. They change nothing and
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

// Axes of equal extent that correspond position by position. If a group contains only an output
// axis, the operation broadcasts one value along this axis.
using AxisGroup = std::vector<PortAxis>;

// The output contains exactly the positions [begin, end) of an axis of input 0, in order.
struct Selection {
  int64_t axis = 0, begin = 0, end = 0;
};

// An axis of input 0 and output 0 along which the operation is causal. It computes each block of
// `give` output positions from the next block of `take` input positions and the `past` positions
// before that block. It reads no later positions.
struct Delay {
  int64_t axis = 0, past = 0, take = 1, give = 1;
  // Number of taps of a window, and distance between neighbouring taps in positions.
  int64_t taps = 1, dilation = 1;
  double fill = 0;       // initial value of all elements of the past
  bool repeats = false;  // the past initially repeats the first position
  bool shifts = false;   // the output is the input delayed by `past` positions
  // Attributes to change when the past is prepended to the input, such as the padding.
  std::map<std::string, std::string> attributes = {};
};

// Windows along axis `axis` of input 0, with any padding, that compute the same axis of output 0.
// Output position i reads the `extent` input positions from i * stride - begin[at()] on.
//
// If `spread` is set (transposed convolution), input position i contributes to the `extent` output
// positions from i * stride on. The first begin[at()] output positions are then removed.
struct Windows {
  int64_t axis = 0, extent = 1, stride = 1;
  bool spread = false;
  Dims begin = {}, end = {};  // padding of all axes with windows
  int64_t first_axis = 2;     // the first of these axes
  // The number with which the operation pads; nullopt if padding has another effect.
  std::optional<double> fill = 0;
  size_t at() const { return static_cast<size_t>(axis - first_axis); }
};

// A running sum: each output position is the sum of the input positions up to it. If `exclusive` is
// set, the sum excludes the position itself.
struct RunningSum {
  int64_t axis = 0;
  bool exclusive = false;
};

// Blocks of `positions` consecutive positions of an axis of output 0 and of the axes in its group.
// A streaming model computes complete blocks in each run.
struct Together {
  int64_t axis = 0, positions = 1;
};

// Axis 0 of input 0 consists of `in` blocks and that of output 0 of `out` blocks, one after the
// other. The operation processes each position of a block independently of the other positions.
struct Blocks {
  int64_t in = 1, out = 1;
};

// The relations between the axes of one node.
struct AxisRelation {
  std::vector<AxisGroup> groups;
  Together together;
  // Inputs from 1 on select positions of input 0, as in a slice or a gather.
  bool selects = false;
  std::vector<Selection> selections;
  // For each axis of input 0, the position ranges that a slice copies (Run in movement.h). A gather
  // of one position has complete axes here, and the position is in `selections`. Empty if unknown
  // and for other operations.
  std::vector<Runs> runs;
  // If the operation splits input 0 along one axis: for each output, its positions on that axis.
  std::vector<Selection> parts;
  std::vector<Delay> delays;
  std::vector<Windows> windows;
  std::optional<RunningSum> sum;
  std::optional<Blocks> blocks;
  // The output has the elements of input 0 in the same order, but other dims. An axis is preserved
  // if the reshape neither merges nor splits it.
  bool reshapes = false;
  // If `reshapes` is set: for each axis of input 0, the output axis that gets a run-time extent if
  // that axis has one; -1 if no output axis does.
  std::vector<int64_t> followed;
  // Input 1 holds the extents of the last output axes, as in Broadcast. Its last element is the
  // extent of the last axis.
  bool stretches = false;
  // Axes of input 0 over which floats are summed, one flag per axis. If `keeps_order` is not set,
  // the accumulation order may depend on the extents of axes that are not summed.
  std::vector<bool> summed;
  bool keeps_order = false;
  // For error messages: why an axis without a group cannot be the time axis.
  std::string reason = "may combine time steps";
};

// The argument of an axis rule: gives access to the node and stores its relation.
class AxisScope : public NodeScope {
 public:
  using NodeScope::NodeScope;
  const Dims& in(size_t i) const { return input_dims(i); }
  const Dims& out(size_t i) const { return node().outputs[i].type.dims; }
  static int64_t At(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }

  // Adds a group of axis `from` of input i and axis `to` of output j, and returns true. Returns
  // false and adds no group if their extents differ.
  bool Pair(size_t i, int64_t from, size_t j, int64_t to);
  // Groups axis `to` of output 0 with the axes at `from_end`, counted from the last one, of those
  // inputs that have the same extent there.
  void GroupFromEnd(int64_t from_end, int64_t to, std::span<const size_t> inputs);
  // Calls Pair for each axis of input i and the axis of output j with the same index. Skips the
  // axes whose flag in `but` is set.
  void Same(size_t i, size_t j, const std::vector<bool>& but = {});

  AxisRelation relation;
};

// Returns the relation that the axis rule of the node computes; without a rule, a relation without
// groups. The shapes of the node must have been inferred.
AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node);

// Shared rules.
//
// Pointwise operations: each output axis forms a group with the aligned input axes of equal extent.
void PointwiseAxes(AxisScope& scope);
// Pairs each axis of input 0 with the axis of output 0 with the same index.
void SameAxes(AxisScope& scope);
// Reshapes: the output has the elements of input 0 in the same order, but other dims.
void ReshapedAxes(AxisScope& scope);

// Returns traits that contain only the axis rule `axes`.
constexpr Traits Apart(void (*axes)(AxisScope&)) { return {.axes = axes}; }
// Returns traits of an operation with the axis rule `axes`. Its inputs from 1 on set the output
// shape or bounds. `replaced_in` is the first later opset with another meaning; 0 if none.
constexpr Traits ShapedBy(void (*axes)(AxisScope&), int replaced_in = 0) {
  return {
      .axes = axes, .steering = Steering::kShape, .steered_from = 1, .replaced_in = replaced_in};
}

// Return one flag per axis of input 0. NamedAxes sets the flags of the axes that constant input
// `input` lists; OnlyAxis sets the flag of `axis`. Negative axes count from the end.
std::vector<bool> NamedAxes(const NodeScope& scope, size_t input);
std::vector<bool> OnlyAxis(const NodeScope& scope, int64_t axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_AXES_H_
