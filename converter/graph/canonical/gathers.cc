// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/canonical.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ir/time_length.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

constexpr int64_t kMaxPositions = 64;  // per frame; each needs an operation
constexpr int64_t kEndOfAxis = std::numeric_limits<int64_t>::max();

bool TakesAllInOrder(const Gathering& gathering, int64_t positions) {
  if (positions == 0 || positions != std::ssize(gathering.indices)) return false;
  int64_t next = 0;
  return std::ranges::all_of(gathering.indices, [&](int64_t index) { return index == next++; });
}

// The index of element j of frame f is `f * hop + j * apart`.
struct Frames {
  int64_t count = 0, positions = 0, hop = 1, apart = 1;
};

std::optional<Frames> FramesIn(const Dims& indices, int64_t positions) {
  const auto all = static_cast<int64_t>(indices.size());
  if (positions < 2 || positions > kMaxPositions || all % positions != 0 || all / positions < 2) {
    return std::nullopt;
  }
  const Frames frames = {all / positions, positions, indices[static_cast<size_t>(positions)],
                         indices[1]};
  if (frames.hop < 1 || frames.apart < 1) return std::nullopt;
  for (int64_t i = 0; i < all; ++i) {
    const int64_t position = i / positions * frames.hop + i % positions * frames.apart;
    if (indices[static_cast<size_t>(i)] != position) return std::nullopt;
  }
  return frames;
}

// Flat indices do not define the length of a frame: it ends where the increments change.
std::optional<Frames> FramesIn(const Dims& indices, const Dims& dims) {
  if (dims.size() == 2) return FramesIn(indices, dims[1]);
  if (dims.size() != 1 || indices[0] != 0) return std::nullopt;
  int64_t positions = 2;
  const auto all = static_cast<int64_t>(indices.size());
  while (positions < all && indices[static_cast<size_t>(positions)] ==
                                indices[static_cast<size_t>(positions - 1)] + indices[1]) {
    ++positions;
  }
  return FramesIn(indices, positions);
}

class GatherLowering {
 public:
  GatherLowering(ir::Graph& graph, ir::Node& node, size_t axis)
      : graph_(graph), node_(node), axis_(static_cast<int64_t>(axis)), data_(node.inputs[0]) {}

  void Repeat(int64_t repeats) {
    Dims dims = TypeOf(data_).dims, tiled(dims.size() + 1, 1);
    tiled[static_cast<size_t>(axis_) + 1] = repeats;
    dims.insert(dims.begin() + axis_ + 1, 1);
    const ir::Source apart = Reshaped(data_, dims);
    const auto rank = static_cast<int64_t>(tiled.size());
    const ir::Source repeats_of = NewInts(graph_, node_, {ElementType::i64, {rank}}, tiled);
    BecomeReshaped(NewOperation(graph_, node_, "Tile", 1, {apart, repeats_of}));
  }

  void Join(const Frames& frames) {
    const int64_t length = TypeOf(data_).dims[static_cast<size_t>(axis_)];
    const std::optional<Border> border = BorderOf(graph_, *data_.node);
    if (border || frames.count * frames.hop == length) return JoinCausal(frames, border);
    JoinRows(frames, length);
  }

 private:
  ir::Source Reshaped(const ir::Source& source, const Dims& dims) {
    const ir::Source reshaped = NewReshape(graph_, node_, source, dims);
    reshaped.node->outputs[0].type = {TypeOf(source).type, dims};
    return reshaped;
  }
  void BecomeReshaped(const ir::Source& source) {
    const Dims dims = node_.outputs[0].type.dims;
    BecomeReshape(graph_, node_, source, dims);
  }

  // Returns every `hop`-th element starting at `first`, as [..., frames, 1, ...]. Elements before
  // the first one come from the border.
  ir::Source PositionOf(int64_t first, int64_t hop) {
    ir::Source source = data_;
    if (first < 0) source = NewBorder(graph_, data_, fill_, axis_, -first, /*shifts=*/true);
    Dims dims = TypeOf(data_).dims;
    if (hop > 1) {
      int64_t& extent = dims[static_cast<size_t>(axis_)];
      extent /= hop;
      source =
          NewSlice(graph_, node_, source, {{first < 0 ? 0 : first}, {kEndOfAxis}, {hop}, {axis_}});
      source.node->outputs[0].type = {TypeOf(data_).type, dims};
    }
    dims.insert(dims.begin() + axis_ + 1, 1);
    return Reshaped(source, dims);
  }

  // Frames that look back. Takes over a border before the data, as far as each of their elements
  // does.
  void JoinCausal(const Frames& frames, const std::optional<Border>& border) {
    int64_t border_positions = 0;
    if (border) {
      ir::Node& pad = *data_.node;
      Dims others = border->begin, ends = border->end;
      std::swap(border_positions, others[static_cast<size_t>(axis_)]);
      const Dims none(others.size(), 0);
      if (others != none || ends != none || border_positions < 0) return;
      fill_ = FillOf(pad, *border);
      data_ = pad.inputs[0];
    }
    if (frames.count * frames.hop != TypeOf(data_).dims[static_cast<size_t>(axis_)]) return;
    if ((frames.positions - 1) * frames.apart - border_positions >= frames.hop) return;
    std::vector<ir::Source> parts;
    for (int64_t position = 0; position < frames.positions; ++position) {
      parts.push_back(PositionOf(position * frames.apart - border_positions, frames.hop));
    }
    BecomeReshaped(Joined(std::move(parts)));
  }

  // Frames of consecutive elements inside of the data, as TensorFlow's signal.frame makes them: the
  // axis becomes rows of `hop` elements, and a frame the elements of several rows, of which all but
  // the first are ahead of it.
  void JoinRows(const Frames& frames, int64_t length) {
    const int64_t rows = (frames.positions + frames.hop - 1) / frames.hop;
    const bool is_of_rows =
        length % frames.hop == 0 && frames.count + rows - 1 <= length / frames.hop;
    if (frames.apart != 1 || !is_of_rows) return;
    const auto axis = static_cast<size_t>(axis_);
    Dims dims = TypeOf(data_).dims;
    dims[axis] = length / frames.hop;
    dims.insert(dims.begin() + axis_ + 1, frames.hop);
    const ir::Source all = Reshaped(data_, dims);
    std::vector<ir::Source> parts;
    for (int64_t row = 0; row < rows; ++row) {
      parts.push_back(NewPart(graph_, node_, all, axis_, row, frames.count));
    }
    const ir::Source joined = Joined(std::move(parts));
    BecomeReshaped(NewPart(graph_, node_, joined, axis_ + 1, 0, frames.positions));
  }

  ir::Source Joined(std::vector<ir::Source> parts) {
    const std::string axis = std::to_string(axis_ + 1);
    return NewOperation(graph_, node_, "Concat", 1, std::move(parts), {{"axis", axis}});
  }

  ir::Graph& graph_;
  ir::Node& node_;
  const int64_t axis_;
  ir::Source data_;
  BorderFill fill_;
};

// Returns the step between the indices, if all steps are equal and positive.
std::optional<int64_t> StepOf(const Dims& indices) {
  if (indices.size() < 2 || indices[1] <= indices[0]) return std::nullopt;
  const int64_t step = indices[1] - indices[0];
  for (size_t i = 1; i < indices.size(); ++i) {
    if (indices[i] - indices[i - 1] != step) return std::nullopt;
  }
  return step;
}

void BecomeSliceOf(ir::Graph& graph, ir::Node& node, const Gathering& gathering, int64_t step) {
  const auto axis = static_cast<int64_t>(gathering.axis);
  const SliceBounds bounds = {
      {gathering.indices.front()}, {gathering.indices.back() + 1}, {step}, {axis}};
  const ir::Source slice = NewSlice(graph, node, node.inputs[0], bounds);
  slice.node->outputs[0].type = node.outputs[0].type;
  ir::HandOver(graph, {&node, 0}, slice);
}

// Converts indices 0, 0, ..., 0, 1, 2, ... up to the end, or up to the extent of the axis: a border
// that repeats the first element. Returns false for others.
bool TakeBorder(ir::Graph& graph, ir::Node& node, const Gathering& gathering) {
  const int64_t extent = TypeOf(node.inputs[0]).dims[gathering.axis];
  const int64_t repeats = std::ranges::count(gathering.indices, 0) - 1;
  int64_t next = -repeats;
  const bool follows = std::ranges::all_of(
      gathering.indices, [&](int64_t index) { return index == std::max<int64_t>(next++, 0); });
  const bool shifts = next == extent - repeats, adds = next == extent;
  if (repeats < 1 || !follows || !(shifts || adds)) return false;
  const BorderFill fill = {.number = std::nullopt, .repeats = true};
  const auto axis = static_cast<int64_t>(gathering.axis);
  BecomeBorder(graph, node, ir::Source(node.inputs[0]), fill, axis, repeats, shifts);
  return true;
}

void LowerConstantGather(ir::Graph& graph, ir::Node& node) {
  const std::optional<Gathering> gathering = GatheringOf(graph, node);
  if (!gathering || node.inputs[0].node->constant) return;
  const bool is_flat = TypeOf(node.inputs[1]).dims.size() == 1;
  const std::optional<int64_t> step = is_flat ? StepOf(gathering->indices) : std::nullopt;
  if (step) return BecomeSliceOf(graph, node, *gathering, *step);
  if (is_flat && TakeBorder(graph, node, *gathering)) return;
  if (gathering->indices.size() < 4) return;
  GatherLowering lowering(graph, node, gathering->axis);
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  const auto repeats = RepeatsIn(gathering->indices, TypeOf(node.inputs[0]).dims[gathering->axis]);
  if (repeats) return lowering.Repeat(*repeats);
  if (const auto frames = FramesIn(gathering->indices, dims)) lowering.Join(*frames);
}

// Replaces one output of a Split.
void SplitToSlice(ir::Graph& graph, ir::Node& split, uint32_t port) {
  const ir::Source data = split.inputs[0], part = {&split, port};
  const size_t axis = ops::WrappedAxis(IntsOf(split.inputs[1]).front(), TypeOf(data).dims.size());
  int64_t begin = 0;
  for (uint32_t i = 0; i < port; ++i) begin += split.outputs[i].type.dims[axis];
  ir::HandOver(
      graph, part,
      NewPart(graph, split, data, static_cast<int64_t>(axis), begin, TypeOf(part).dims[axis]));
}

// Replaces a Gather of all elements. The extents of the axes may depend on the number of steps
// (ir/time_length.h), so the pattern copies them, or computes the largest.
void TakeAllInOrder(ir::Graph& graph, ir::Node& node, size_t axis) {
  const ir::Source data = node.inputs[0];
  const size_t index_rank = TypeOf(node.inputs[1]).dims.size();
  if (index_rank == 0) {
    return Become(node, "Squeeze", 1, {data, NewInts(graph, node, {static_cast<int64_t>(axis)})});
  }
  Dims pattern = node.outputs[0].type.dims;
  const bool has_elements = std::ranges::find(pattern, 0) == pattern.end();
  const size_t known = ir::IsOpen(data, axis) ? axis : axis + index_rank;
  const auto after = pattern.begin() + static_cast<std::ptrdiff_t>(known);
  std::fill(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  if (index_rank == 1) std::ranges::fill(pattern, 0);
  if (index_rank > 1 && has_elements && after != pattern.end()) {
    *std::max_element(after, pattern.end()) = -1;
  }
  BecomeReshape(graph, node, data, pattern);
  node.attributes["special_zero"] = "true";
}

// Returns true for indices 0 to T - 1 of an axis of T elements, or a * T + b of both.
bool NumbersAllOpen(const ir::Source& indices, const ir::Source& data, size_t axis) {
  ir::Source range = SkipReshapes(indices);
  while (range.node->operation != nullptr && ops::TraitsOf(*range.node).converts) {
    range = SkipReshapes(range.node->inputs[0]);
  }
  if (!IsCalled(*range.node, "Range") || !ir::IsOpen(range, 0) || !ir::IsOpen(data, axis)) {
    return false;
  }
  const ir::OutputPort &numbers = range.node->outputs[0], &all = data.node->outputs[data.port];
  return IntsOf(range.node->inputs[0]) == Dims{0} && IntsOf(range.node->inputs[2]) == Dims{1} &&
         numbers.type.dims[0] == all.type.dims[axis] && numbers.doubled[0] == all.doubled[axis];
}

}  // namespace

void OpenGathersToReshapes(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (!IsCalled(*node, "Gather")) continue;
    const Quiet<ops::NodeScope> scope(graph, *node);
    const std::optional<Dims> axis = scope.Ints(2);
    if (!axis || axis->size() != 1 || scope.attributes.Int("batch_dims", 0) != 0) continue;
    const size_t along = ops::WrappedAxis(axis->front(), scope.rank(0));
    const bool is_all = NumbersAllOpen(node->inputs[1], node->inputs[0], along);
    if (is_all) TakeAllInOrder(graph, *node, along);
  }
}

void SplitsToSlices(ir::Graph& graph) {
  std::map<ir::Node*, std::set<uint32_t>> read;
  const std::vector<ir::Node*> order = ir::Topological(graph);
  for (const ir::Node* node : order) {
    for (const ir::Source& source : node->inputs) read[source.node].insert(source.port);
  }
  for (ir::Node* node : order) {
    const bool is_variadic = IsCalled(*node, "VariadicSplit");
    if (!is_variadic && !IsCalled(*node, "Split")) continue;
    const std::set<uint32_t> ports = read[node];
    if (!node->inputs[1].node->constant || !(is_variadic || ports.size() == 1)) continue;
    for (const uint32_t port : ports) SplitToSlice(graph, *node, port);
  }
}

void WholeGathersToReshapes(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) WholeGathersToReshapes(*body.graph);
    const std::optional<Gathering> gathering = GatheringOf(graph, *node);
    if (!gathering) continue;
    const ir::Source data = node->inputs[0];
    if (!TakesAllInOrder(*gathering, TypeOf(data).dims[gathering->axis])) continue;
    TakeAllInOrder(graph, *node, gathering->axis);
  }
}

void LowerConstantGathers(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) LowerConstantGather(graph, *node);
}

}  // namespace weft::graph
