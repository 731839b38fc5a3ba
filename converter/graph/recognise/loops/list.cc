// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/loops/list.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "converter/base/parse_number.h"
#include "converter/graph/recognise/loops/scalars.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// The direction of an index along an axis.
enum class Direction { kForward, kBackward };

// Returns the direction of an index 0, 1, 2, ... or `length` - 1, `length` - 2, ... that covers an
// axis of `length`. A forward index may end before the end of the axis.
std::optional<Direction> DirectionOf(const ir::Node& loop, ir::Source index, int64_t trips,
                                     int64_t length, int64_t offset = 0) {
  if (trips > length) return std::nullopt;
  bool forward = true, backward = trips == length;
  LoopScalars scalars(loop);
  for (int64_t i = 0; i < trips && (forward || backward);) {
    const LoopScalars::Run run = scalars.TakeRun(index);
    const int64_t count = std::min(run.iterations, trips - i);
    const auto moves = [&](int64_t first, int64_t step) {
      return run.first == first + offset && (count == 1 || run.step == step);
    };
    forward = forward && moves(i, 1);
    backward = backward && moves(length - 1 - i, -1);
    i += count;
  }
  if (forward) return Direction::kForward;
  return backward ? std::optional(Direction::kBackward) : std::nullopt;
}

// Returns the index, among the loop's inputs, of an input that no iteration changes.
std::optional<size_t> InvariantInput(const ir::Body& body, const ir::Node& parameter) {
  const ir::BodyInput* input = body.map.InputOf(parameter);
  const bool invariant = input != nullptr && input->is(ir::BodyInput::Kind::kInvariant);
  return invariant ? input->input : std::nullopt;
}

ir::ChunkRange RangeOf(int64_t axis, int64_t part, Direction direction) {
  return ir::WholeRange(axis, part, direction == Direction::kBackward);
}

// An element along an axis that a node reads from one of the body's inputs.
struct Pick {
  ir::Source data, index;
  bool keeps_axis = false;
  int64_t axis = 0;
};

bool IsScalar(ir::Source source) { return TypeOf(source).dims.empty(); }

std::optional<Pick> PickOfGather(const ir::Node& node) {
  const std::optional<int64_t> axis =
      node.inputs.size() == 3 ? IntOf(node.inputs[2]) : std::nullopt;
  if (!axis || AttributeOf(node, "batch_dims") != 0) return std::nullopt;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  if (dims.size() > 1 || (dims.size() == 1 && dims[0] != 1)) return std::nullopt;
  return Pick{node.inputs[0], node.inputs[1], dims.size() == 1, *axis};
}

// data[i] or data[i : i + 1]; all other axes are complete.
std::optional<Pick> PickOfSlice(const ir::Node& node, const ir::Node& loop, int64_t trips) {
  if (node.inputs.size() > 3 && IntOf(node.inputs[3]) != 1) return std::nullopt;
  for (const char* key : {"begin_mask", "new_axis_mask", "ellipsis_mask"}) {
    if (AttributeOf(node, key) != 0) return std::nullopt;
  }
  const bool shrinks = AttributeOf(node, "shrink_axis_mask") == 1;
  if (!shrinks && AttributeOf(node, "end_mask") != 0) return std::nullopt;
  const Dims& dims = TypeOf(node.inputs[1]).dims;
  if (dims != Dims{1}) return std::nullopt;
  if (shrinks) return Pick{node.inputs[0], node.inputs[1], false};
  const std::optional<Direction> begin = DirectionOf(loop, node.inputs[1], trips, trips);
  const std::optional<Direction> end = DirectionOf(loop, node.inputs[2], trips, trips, 1);
  if (!begin || begin != end) return std::nullopt;
  return Pick{node.inputs[0], node.inputs[1], true};
}

std::optional<Pick> PickOf(const ir::Node& node, const ir::Node& loop, int64_t trips) {
  if (node.constant) return std::nullopt;
  if (node.type == "Gather") return PickOfGather(node);
  if (node.type == "StridedSlice") return PickOfSlice(node, loop, trips);
  return std::nullopt;
}

// All sliced inputs of a loop must have the same number of chunks. Returns true if an already
// sliced input is known to have `chunks` of them.
bool HasChunks(const ir::Node& loop, const ir::BodyInput& input, int64_t chunks) {
  const Dims& dims = TypeOf(loop.inputs[*input.input]).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = input.range->axis + (input.range->axis < 0 ? rank : 0);
  if (!input.range->whole() || axis < 0 || axis >= rank) return false;
  const Dims& chunk = input.parameter->outputs[0].type.dims;
  const auto position = static_cast<size_t>(axis);
  return position < chunk.size() && chunk[position] > 0 &&
         chunk[position] * chunks == dims[position];
}

bool AgreesWithOtherSlices(const ir::Node& loop, int64_t chunks) {
  return std::ranges::all_of(loop.bodies[0].map.inputs, [&](const ir::BodyInput& input) {
    return !input.range || HasChunks(loop, input, chunks);
  });
}

bool TakeAsSlice(ir::Node& loop, ir::Node& node, const Pick& pick, int64_t trips) {
  ir::Body& body = loop.bodies[0];
  const std::optional<size_t> input = InvariantInput(body, *pick.data.node);
  if (!input) return false;
  Dims dims = TypeOf(loop.inputs[*input]).dims;
  const int64_t axis = pick.axis < 0 ? pick.axis + std::ssize(dims) : pick.axis;
  if (axis < 0 || axis >= std::ssize(dims)) return false;
  int64_t& length = dims[static_cast<size_t>(axis)];
  if (length < 1 || !AgreesWithOtherSlices(loop, length)) return false;
  const std::optional<Direction> direction = DirectionOf(loop, pick.index, trips, length);
  if (!direction) return false;
  ir::Graph& graph = *body.graph;
  ir::Node* slice = NewParameter(graph, node);
  length = 1;
  slice->outputs[0].type = {TypeOf(pick.data).type, dims};
  slice->outputs[0].declared = true;
  ir::AddSlice(loop, *input, *slice, RangeOf(axis, 1, *direction));
  ir::Source taken{slice, 0};
  if (!pick.keeps_axis) {
    taken = NewSqueeze(graph, node, taken, axis);
    taken.node->outputs[0] = {node.outputs[0].type, node.outputs[0].declared, {}};
  }
  HandOver(graph, {&node, 0}, taken);
  return true;
}

// Returns all nodes that the Results except one, and `added`, depend on.
std::set<const ir::Node*> NeededBut(const ir::Graph& graph, const ir::Node* left_out,
                                    ir::Source added) {
  std::set<const ir::Node*> needed;
  AddNeeded(needed, added.node);
  for (const ir::Node* result : graph.results) {
    if (result != left_out) AddNeeded(needed, result);
  }
  for (const ir::Node* sink : graph.sinks) AddNeeded(needed, sink);
  return needed;
}

// Returns the list before a Broadcast that expands its elements.
const ir::Node* ListAfter(ir::Source data) {
  while (data.node->type == "Broadcast" && !data.node->constant) data = data.node->inputs[0];
  return data.node;
}

// The value that an iteration writes to a list, and the direction.
struct ListUpdate {
  ir::Source element;
  bool lacks_axis = false;  // the element lacks the axis of the list
  int64_t axis = 0;
  int64_t part = 1;
  Direction direction = Direction::kForward;
  bool only_last = false;  // each iteration replaces the complete list
};

// Writes element i of a list with one element per iteration, or the only element of a list.
std::optional<ListUpdate> UpdateByScatter(const ir::Node& loop, const ir::Node& update,
                                          const ir::Node& list, const Dims& initial,
                                          const Count& count) {
  if (update.type != "ScatterUpdate" || update.inputs.size() != 4 || !count.exact) {
    return std::nullopt;
  }
  if (ListAfter(update.inputs[0]) != &list || IntOf(update.inputs[3]) != 0) {
    return std::nullopt;
  }
  // Without an iteration the list would keep its initial value.
  if (initial.empty() || IntOf(loop.inputs[1]).value_or(0) == 0) return std::nullopt;
  const bool scalar = IsScalar(update.inputs[1]);
  if (initial[0] == 1 && count.trips > 1 && IntOf(update.inputs[1]) == 0) {
    return ListUpdate{update.inputs[2], scalar, 0, 1, Direction::kForward, true};
  }
  if (initial[0] != count.trips) return std::nullopt;
  const std::optional<Direction> direction =
      DirectionOf(loop, update.inputs[1], count.trips, count.trips);
  if (!direction) return std::nullopt;
  return ListUpdate{update.inputs[2], scalar, 0, 1, *direction};
}

// The axis of a Concat, counted from the front; nullopt if it is invalid.
std::optional<int64_t> AxisOfConcat(const ir::Node& node, int64_t rank) {
  const auto attribute = node.attributes.find("axis");
  if (attribute == node.attributes.end()) return std::nullopt;
  const std::optional<int64_t> axis = ParseNumber<int64_t>(attribute->second);
  if (!axis || *axis < -rank || *axis >= rank) return std::nullopt;
  return *axis < 0 ? *axis + rank : axis;
}

// The elements of a list before or after the one that an update replaces.
struct KeptPart {
  const ir::Node* slice = nullptr;

  // Returns true if the slice has exactly these elements in the current iteration.
  bool Is(LoopScalars& scalars, const Dims& dims, size_t axis, int64_t begin, int64_t end) const {
    if (slice == nullptr) return begin == end;
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto from = scalars.Element(slice->inputs[1], i);
      const auto to = scalars.Element(slice->inputs[2], i);
      if (scalars.Element(slice->inputs[3], i) != 1 || !from || !to || *to < 0) return false;
      if (*from != (i == axis ? begin : 0)) return false;
      if (std::min(*to, dims[i]) != (i == axis ? end : dims[i])) return false;
    }
    return true;
  }
};

// Joins the elements before i, a new element and the elements after i.
std::optional<ListUpdate> UpdateByJoin(const ir::Node& loop, const ir::Node& update,
                                       const ir::Node& list, const Dims& initial,
                                       const Count& count) {
  const auto rank = static_cast<int64_t>(initial.size());
  if (update.type != "Concat" || !count.exact || rank == 0) return std::nullopt;
  if (IntOf(loop.inputs[1]).value_or(0) == 0) return std::nullopt;
  const std::optional<int64_t> axis = AxisOfConcat(update, rank);
  KeptPart before, after;
  std::optional<ir::Source> element;
  for (const ir::Source& part : update.inputs) {
    const ir::Node* node = part.node;
    const bool is_kept = node->type == "Slice" && !node->constant && node->inputs.size() == 4 &&
                         node->inputs[0].node == &list;
    if (!is_kept && element) return std::nullopt;
    KeptPart& kept = element ? after : before;
    if (is_kept && kept.slice != nullptr) return std::nullopt;
    if (is_kept) kept.slice = node;
    if (!is_kept) element = part;
  }
  if (!axis || !element || (before.slice == nullptr && after.slice == nullptr)) {
    return std::nullopt;
  }
  const auto at = static_cast<size_t>(*axis);
  const Dims& dims = TypeOf(*element).dims;
  const int64_t length = initial[at];
  if (dims.size() != initial.size() || dims[at] != 1) return std::nullopt;
  const bool only_last = length == 1 && count.trips > 1;
  if (!only_last && length != count.trips) return std::nullopt;
  bool forward = true, backward = !only_last;
  LoopScalars scalars(loop);
  for (int64_t i = 0; i < count.trips && (forward || backward); ++i, scalars.Advance()) {
    const auto replaces = [&](int64_t position) {
      return before.Is(scalars, initial, at, 0, position) &&
             after.Is(scalars, initial, at, position + 1, length);
    };
    forward = forward && replaces(only_last ? 0 : i);
    backward = backward && replaces(length - 1 - i);
  }
  if (!forward && !backward) return std::nullopt;
  return ListUpdate{*element, false, *axis, 1, forward ? Direction::kForward : Direction::kBackward,
                    only_last};
}

// Concatenates one part to a list that is initially empty.
std::optional<ListUpdate> UpdateByConcat(const ir::Node& update, const ir::Node& list,
                                         const Dims& initial, const Count& count) {
  if (update.type != "Concat" || update.inputs.size() != 2) return std::nullopt;
  const bool after = update.inputs[0].node == &list;
  if (!after && (update.inputs[1].node != &list || !count.exact)) return std::nullopt;
  const ir::Source element = update.inputs[after ? 1 : 0];
  const Dims& dims = TypeOf(element).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const std::optional<int64_t> axis = AxisOfConcat(update, rank);
  if (!axis || initial.size() != dims.size()) return std::nullopt;
  const int64_t part = dims[static_cast<size_t>(*axis)];
  if (initial[static_cast<size_t>(*axis)] != 0 || part < 1) return std::nullopt;
  return ListUpdate{element, false, *axis, part,
                    after ? Direction::kForward : Direction::kBackward};
}

// Replaces a state by a scan output if it is a list that the body only fills.
bool GatherList(ir::Node& loop, ir::BodyInput& state, const Count& count) {
  ir::Body& body = loop.bodies[0];
  ir::Node* result = state.next;
  const ir::Node* list = state.parameter;
  if (result == nullptr || !state.input || state.range) return false;
  const Dims& initial = TypeOf(loop.inputs[*state.input]).dims;
  const ir::Node& node = *result->inputs[0].node;
  std::optional<ListUpdate> update = UpdateByScatter(loop, node, *list, initial, count);
  if (!update) update = UpdateByJoin(loop, node, *list, initial, count);
  if (!update) update = UpdateByConcat(node, *list, initial, count);
  if (!update || NeededBut(*body.graph, result, update->element).contains(list)) return false;
  if (std::ranges::count(body.map.inputs, result, &ir::BodyInput::next) != 1) return false;
  for (const ir::BodyOutput& output : body.map.outputs) {
    if (output.result == result && output.range) return false;
  }
  ir::Source row = update->element;
  if (update->lacks_axis) {
    row = NewUnsqueeze(*body.graph, node, update->element, 0);
    ir::OutputPort& port = row.node->outputs[0];
    port = update->element.node->outputs[update->element.port];
    port.names.clear();
    port.type.dims.insert(port.type.dims.begin(), 1);
  }
  result->inputs[0] = row;
  for (ir::BodyOutput& output : body.map.outputs) {
    if (output.result != result || update->only_last) continue;
    output.range = RangeOf(update->axis, update->part, update->direction);
  }
  state.next = nullptr;
  return true;
}

// Returns true if a carried i32 or i64 equals the number of the iteration.
bool CountsIterations(const ir::Node& loop, const ir::BodyInput& state, int64_t trips) {
  const ElementType type = TypeOf(loop.inputs[*state.input]).type;
  if (type != ElementType::i32 && type != ElementType::i64) return false;
  return DirectionOf(loop, {state.parameter, 0}, trips, trips) == Direction::kForward;
}

}  // namespace

bool RecogniseSlices(ir::Node& loop, int64_t trips) {
  bool changed = false;
  for (ir::Node* node : ir::Topological(*loop.bodies[0].graph)) {
    const std::optional<Pick> pick = PickOf(*node, loop, trips);
    if (pick) changed = TakeAsSlice(loop, *node, *pick, trips) || changed;
  }
  return changed;
}

bool RecogniseLists(ir::Node& loop, const Count& count) {
  bool changed = false;
  for (ir::BodyInput& state : loop.bodies[0].map.inputs) {
    changed = GatherList(loop, state, count) || changed;
  }
  return changed;
}

bool RecogniseCounters(ir::Node& loop, int64_t trips) {
  std::vector<ir::BodyInput>& inputs = loop.bodies[0].map.inputs;
  const bool counted =
      std::ranges::any_of(inputs, [](const ir::BodyInput& input) { return !input.input; });
  if (counted || trips < 2) return false;
  for (ir::BodyInput& state : inputs) {
    if (state.next == nullptr || state.range || !CountsIterations(loop, state, trips)) continue;
    state.parameter->outputs[0].type = TypeOf(loop.inputs[*state.input]);
    state.input.reset();
    state.next = nullptr;
    return true;
  }
  return false;
}

}  // namespace weft::graph
