// SPDX-License-Identifier: Apache-2.0
// What an operation does to the axes of its tensors: which of them are one axis whose places it
// works on apart from each other, so that a time axis runs through them, and which it mixes. The
// rule of an operation stands beside its shape rule and is named by its row (Traits::axes). Rules
// read inferred shapes and constant inputs, change nothing and add no fault.
#ifndef WEFT_CONVERTER_OPS_AXES_H_
#define WEFT_CONVERTER_OPS_AXES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/movement.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// One axis of one tensor at a node: of an input or of an output.
struct PortAxis {
  bool output = false;
  size_t port = 0;
  int64_t axis = 0;
  bool operator==(const PortAxis&) const = default;
};

// Axes of equal extent that are one axis. A group of an output's axis alone is an axis along which
// the operation repeats one value.
using AxisGroup = std::vector<PortAxis>;

// Places [begin, end) of an axis of input 0, in order, are all that the output has of it.
struct Selection {
  int64_t axis = 0, begin = 0, end = 0;
};

// An axis of input 0 and of output 0 along which the operation looks back and not ahead: every
// `give` places of the output are made of the next `take` places of the input and `past` before
// those.
struct Delay {
  int64_t axis = 0, past = 0, take = 1, give = 1;
  // Of a window: its places, and how far they lie apart.
  int64_t taps = 1, dilation = 1;
  double fill = 0;       // what the past begins as
  bool repeats = false;  // it begins as the first place of all, again and again
  bool shifts = false;   // the output is the input, `past` places later
  // Those of the operation once its past stands before its input.
  std::map<std::string, std::string> attributes = {};
};

// Windows along an axis of input 0, wherever they lie, that make places of the same axis of output
// 0: place i of it of `extent` places of the input from i * stride - begin[axis - 2] on. Where they
// spread, each place of the input goes to `extent` of the output from i * stride on, the first of
// which are left out.
struct Windows {
  int64_t axis = 0, extent = 1, stride = 1;
  bool spread = false;
  Dims begin = {}, end = {};  // padding of all axes of space
};

// Each place of the output is the sum of the input's places up to it, or before it.
struct RunningSum {
  int64_t axis = 0;
  bool exclusive = false;
};

// Places of an axis of output 0, and of its group, that can only be cut off together.
struct Together {
  int64_t axis = 0, places = 1;
};

struct AxisRelation {
  std::vector<AxisGroup> groups;
  Together together;
  // Inputs from 1 on say which places of input 0 it takes: these, and of each axis those of `runs`.
  bool selects = false;
  std::vector<Selection> selections;
  std::vector<Runs> runs;  // where there are selections, or delays
  // Of what cuts input 0 into its outputs: the places that each holds, the other axes whole.
  std::vector<Selection> parts;
  std::vector<Delay> delays;
  std::vector<Windows> windows;
  std::optional<RunningSum> sum;
  // The elements of input 0 in the same order under other dims: an axis that stays apart goes on.
  bool reshapes = false;
  // Of what reshapes: for each axis of input 0 the axis of the output that begins with its places,
  // however many these are; -1: none does.
  std::vector<int64_t> followed;
  // Input 1 says how far the output's axes stretch, one number each, lined up at the last axis.
  bool stretches = false;
  // Axes of input 0 that floats are summed over, in an order that depends on what stands inside.
  std::vector<bool> summed;
  bool keeps_order = false;  // of these sums, whatever the extents of the axes that are kept
  std::string reason = "may combine time steps";  // what happens along the axes of no group
};

// What a rule sees of its node, and the relation that it makes.
class AxisScope : public NodeScope {
 public:
  using NodeScope::NodeScope;
  const Dims& in(size_t i) const { return input_dims(i); }
  const Dims& out(size_t i) const { return node().outputs[i].type.dims; }
  static int64_t At(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }

  // Axis `from` of input i is axis `to` of output j; false, and no group, where the extents differ.
  bool Pair(size_t i, int64_t from, size_t j, int64_t to);
  // Each axis of input i is the same axis of output j, `but` those that are set.
  void Same(size_t i, size_t j, const std::vector<bool>& but = {});

  AxisRelation relation;
};

AxisRelation RelationOf(const ir::Graph& graph, ir::Node& node);

// Shared rules. Every operand whose axis has the output's extent is part of the group.
void PointwiseAxes(AxisScope& scope);
// Each axis of input 0 is the same axis of output 0.
void SameAxes(AxisScope& scope);
// The elements of input 0 under other dims.
void ReshapedAxes(AxisScope& scope);

// Of an operation that works on axes apart, as the rule says.
constexpr Traits Apart(void (*axes)(AxisScope&)) { return {.axes = axes}; }
// And whose inputs from 1 on decide its shape or bounds.
constexpr Traits ShapedBy(void (*axes)(AxisScope&), int replaced_in = 0) {
  return {
      .axes = axes, .steering = Steering::kShape, .steered_from = 1, .replaced_in = replaced_in};
}

// One flag per axis of input 0: set for those that a constant input names; for one alone.
std::vector<bool> NamedAxes(const NodeScope& scope, size_t input);
std::vector<bool> OnlyAxis(const NodeScope& scope, int64_t axis);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_AXES_H_
