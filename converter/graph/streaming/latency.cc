// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/early.h"
#include "converter/graph/streaming/late_edits.h"
#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

constexpr const char* kFlattened = "its time axis is flattened into a batch";
constexpr const char* kRepeatsDelayed =
    "the border before its first step repeats the first step of a delayed tensor";
constexpr int64_t kNever = -1;  // the value at the end is not that of the last step

int64_t Quotient(int64_t positions, int64_t of) { return (positions + of - 1) / of; }

class Measuring {
 public:
  Measuring(const Rewritten& rewritten, const TimeMap& map)
      : graph_(rewritten.graph),
        attentions_(rewritten.attentions),
        map_(map),
        times_(map.axes),
        is_open_(rewritten.folding != nullptr) {}

  std::optional<Latency> Run(Faults& faults) {
    if (!CountSteps() || !CanShrink()) return std::nullopt;
    for (ir::Node* node : times_.nodes()) {
      has_reason_ = false;
      if (Measure(*node)) continue;
      if (!has_reason_) Refuse(*node, "it " + times_.Relation(node).reason);
      SetLate(*node, 0);
    }
    if (latency_.is_needed) {
      for (const std::string& line : faults_.lines()) faults.Add(line);
    }
    return faults_.ok() && knows_all_ ? std::optional(std::move(latency_)) : std::nullopt;
  }

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  static Key KeyOf(const ir::Source& source) { return {source.node, source.port}; }

  bool CountSteps();
  bool CanShrink() const;
  bool Measure(ir::Node& node);
  bool MeasureWithTime(DelayedNode& at);
  bool MeasureWithoutTime(ir::Node& node);
  bool MeasureResult(DelayedNode& at);
  bool MeasureTimeLoop(DelayedNode& at);
  bool MeasureWindows(DelayedNode& at, const ops::Windows& windows);
  bool MeasureBorder(DelayedNode& at);
  bool MeasureOnePart(DelayedNode& at);
  bool MeasurePast(DelayedNode& at, const Delay& delay);
  bool MeasurePointwise(DelayedNode& at);
  bool AttendsInTime(ir::Node& node);

  // A node reads the positions of `source` before (i + 1) * take + ahead for its block i. Returns
  // by how many blocks it must be delayed.
  int64_t Blocks(const ir::Source& source, int64_t take, int64_t ahead = 0) {
    if (source.node->constant) return 0;
    return std::max<int64_t>(Quotient(Late(source) + ahead, take), 0);
  }
  // Returns the delay of a tensor. An unknown delay counts as 0, and the conversion fails.
  int64_t Late(const ir::Source& source) {
    const auto found = latency_.tensors.find(KeyOf(source));
    knows_all_ = knows_all_ && found != latency_.tensors.end();
    return found == latency_.tensors.end() ? 0 : found->second;
  }
  void SetLate(ir::Node& node, int64_t late);
  bool Align(DelayedNode& at, size_t input, int64_t late);
  bool ReadsAfterEnd(ir::Node& node, int64_t first, int64_t late);
  bool EndsWithAll(const ir::Source& source, int64_t late) const;
  bool SharesTime(ir::Node& node, const PortAxis& port) const;
  const TimeAxis* TimeAt(const ir::Node& node, size_t input) const {
    return times_.Of(node.inputs[input]);
  }
  bool HasTimeAfterFirst(const ir::Node& node) const {
    return std::any_of(node.inputs.begin() + 1, node.inputs.end(),
                       [&](const ir::Source& source) { return times_.Of(source) != nullptr; });
  }
  bool IsFree(const ir::Source& source) const { return order_free_.contains(KeyOf(source)); }
  int64_t Rate(const ir::Source& source) const { return times_.Of(source)->chunk; }
  int64_t Positions(const ir::Source& source) const { return latency_.steps * Rate(source); }
  // The positions that the tensor has, in each row of a batch that is flattened into the time axis.
  int64_t Extent(const ir::Source& source) const {
    return times_.Extent(source) / times_.Of(source)->outer;
  }
  bool Refuse(const ir::Node& node, const std::string& what) {
    RefuseToCut(graph_, node, what, faults_);
    has_reason_ = true;
    return false;
  }

  const ir::Graph& graph_;
  const std::vector<CausalAttention>& attentions_;
  const TimeMap& map_;
  const TimeAxes& times_;  // of the map
  const bool is_open_;     // time has T steps
  Faults faults_;
  Latency latency_;
  bool knows_all_ = true;
  bool has_reason_ = false;       // the current node was refused with a reason
  std::map<Key, int64_t> after_;  // of tensors without time that depend on them, in steps
  std::set<Key> order_free_;      // tensors with time and equal steps
};

// Sets the number of steps, which must be equal for all inputs. Incomplete steps are ignored.
bool Measuring::CountSteps() {
  std::set<int64_t> counts;
  for (ir::Node* parameter : graph_.parameters) {
    const ir::Source source = {parameter, 0};
    if (times_.Of(source) != nullptr) counts.insert(Extent(source) / Rate(source));
  }
  latency_.steps = counts.size() == 1 ? *counts.begin() : 0;
  return latency_.steps > 1;
}

// Returns false if a tensor of dynamic length whose shape is read has more positions than the
// steps, because values computed from it would keep its length.
bool Measuring::CanShrink() const {
  if (!is_open_) return true;
  return std::ranges::none_of(graph_.nodes, [&](const std::unique_ptr<ir::Node>& node) {
    if (node->constant || !ops::TraitsOf(*node).shape_only) return false;
    const ir::Source& source = node->inputs[0];
    return times_.Of(source) != nullptr && Extent(source) > Positions(source);
  });
}

void Measuring::SetLate(ir::Node& node, int64_t late) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const ir::Source source = {&node, port};
    if (times_.Of(source) == nullptr) continue;
    const int64_t positions = Positions(source), rate = Rate(source);
    latency_.tensors[KeyOf(source)] = late;
    latency_.is_needed = latency_.is_needed || late != 0 || Extent(source) != positions;
    if (late <= positions - rate) continue;
    Refuse(node,
           fmt::format("it looks ahead over {} of {} steps", Quotient(late, rate), latency_.steps));
    break;
  }
}

// Delays an input. Returns false if it is a constant that cannot be delayed.
bool Measuring::Align(DelayedNode& at, size_t input, int64_t late) {
  const ir::Source& source = at.node->inputs[input];
  if (IsFree(source)) return true;
  if (times_.Of(source)->outer != 1) {
    const bool fits = source.node->constant ? late == 0 && Extent(source) == Positions(source)
                                            : late == Late(source);
    return fits || Refuse(*at.node, kFlattened);
  }
  at.inputs[input] = late;
  if (!source.node->constant || CanDelay(*source.node, *times_.Of(source), late)) return true;
  return Refuse(*source.node, "its value differs from step to step");
}

bool Measuring::Measure(ir::Node& node) {
  if (node.constant) return true;
  if (!ir::IsParameter(node) && !ir::IsResult(node) && !HasTime(times_, node)) {
    return MeasureWithoutTime(node);
  }
  DelayedNode at = {&node};
  at.inputs.resize(node.inputs.size());
  if (!MeasureWithTime(at) || !AttendsInTime(node)) return false;
  latency_.nodes.push_back(std::move(at));
  return true;
}

// Selects the rule of the node.
bool Measuring::MeasureWithTime(DelayedNode& at) {
  ir::Node& node = *at.node;
  if (ir::IsResult(node)) return MeasureResult(at);
  if (ir::IsParameter(node)) {
    SetLate(node, 0);
    return true;
  }
  if (node.inputs.empty()) return false;  // a variable
  at.time_loop = map_.LoopOf(node);
  if (at.time_loop != nullptr) return MeasureTimeLoop(at);
  const AxisRelation& relation = times_.Relation(&node);
  const TimeAxis *first = TimeAt(node, 0), *out = times_.Of({&node, 0});
  if (first == nullptr || node.inputs[0].node->constant) return MeasurePointwise(at);
  const auto along = [&](const auto& what) { return what.axis == first->axis; };
  if (relation.reshapes) {
    if (out == nullptr) return false;
    const int64_t common = std::gcd(first->chunk, out->chunk);
    if (IsFree(node.inputs[0])) order_free_.insert({&node, 0});
    at.kind = DelayKind::kReshape;
    return MeasurePast(at, {.take = first->chunk / common, .give = out->chunk / common});
  }
  if (first->outer != 1) {
    return IsInGroup(relation, {false, 0, first->axis}) ? MeasurePointwise(at)
                                                        : Refuse(node, kFlattened);
  }
  const auto windows = std::ranges::find_if(relation.windows, along);
  if (windows != relation.windows.end()) return out != nullptr && MeasureWindows(at, *windows);
  const std::optional<Border> border = BorderOf(graph_, node);
  if (border && (!border->repeats || border->begin[static_cast<size_t>(first->axis)] == 0)) {
    at.border = *border;
    return out != nullptr && MeasureBorder(at);
  }
  if (relation.sum && along(*relation.sum)) return MeasurePast(at, {.past = 1});
  const auto delay = std::ranges::find_if(relation.delays, along);
  if (delay != relation.delays.end()) return MeasurePast(at, *delay);
  if (const auto slice = times_.CropOf(node)) {
    // The other axes may be selected at run time.
    if (!relation.selects || !HasOneRunEach(relation)) return false;
    at.kind = DelayKind::kSlice;
    at.kept = {slice->axis, 0, Positions(node.inputs[0])};
    SetLate(node, Blocks(node.inputs[0], 1, slice->begin));
    return true;
  }
  const auto part = std::ranges::find_if(relation.selections, along);
  if (part == relation.selections.end()) return MeasurePointwise(at);
  at.kept = *part;
  return MeasureOnePart(at);
}

// The keys of an attention begin at the first step, and its masks have a row for each position.
// Refuses an attention for which that is not so with latency.
bool Measuring::AttendsInTime(ir::Node& node) {
  const auto belongs = [&](const CausalAttention& attention) {
    return (attention.scores == &node || attention.product == &node) &&
           RunsAlong(times_, attention);
  };
  if (std::ranges::none_of(attentions_, belongs)) return true;
  const ir::Source out = {&node, 0};
  const int64_t late = Late(out);
  if (late > 0) {
    return Refuse(node,
                  fmt::format("it attends to tensors that look-ahead delays by {} of {} steps",
                              Quotient(late, Rate(out)), latency_.steps));
  }
  return Extent(out) == Positions(out) ||
         Refuse(node,
                fmt::format("it attends to {} positions of {} steps", Extent(out), latency_.steps));
}

// Propagates the latency of values without time.
bool Measuring::MeasureWithoutTime(ir::Node& node) {
  std::set<int64_t> steps;
  for (const ir::Source& source : node.inputs) {
    const auto found = after_.find(KeyOf(source));
    if (found != after_.end()) steps.insert(found->second);
  }
  if (steps.empty()) return true;
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    after_[{&node, port}] = *steps.begin();
  }
  return steps.size() == 1;
}

bool Measuring::MeasureResult(DelayedNode& at) {
  at.kind = DelayKind::kResult;
  const ir::Source& source = at.node->inputs[0];
  const auto after = after_.find(KeyOf(source));
  if (after != after_.end()) at.steps = after->second;
  if (at.steps == kNever) return Refuse(*at.node, "it depends on where the sequence ends");
  if (times_.Of(source) == nullptr) return true;
  at.steps = Blocks(source, Rate(source));
  return Align(at, 0, at.steps * Rate(source));
}

// All inputs are delayed to the same step, which is the first one of the time loop.
bool Measuring::MeasureTimeLoop(DelayedNode& at) {
  at.kind = DelayKind::kTimeLoop;
  ir::Node& node = *at.node;
  const TimeLoop& loop = *at.time_loop;
  const int64_t per_step = map_.IterationsPerStep(loop);
  at.iterations_per_step = per_step;
  std::map<size_t, int64_t> positions;  // of each input, per step
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = TimeAt(node, i);
    if (time == nullptr) continue;
    const auto stride =
        std::ranges::find(loop.strides, PortAxis{false, i, time->axis}, &Stride::at);
    if (stride == loop.strides.end() || stride->chunk == 0) return false;
    positions[i] = stride->chunk * per_step;
    at.steps = std::max(at.steps, Blocks(node.inputs[i], positions[i]));
  }
  for (const auto& [input, take] : positions) {
    if (!Align(at, input, at.steps * take)) return false;
  }
  const int64_t late = at.steps * per_step;
  for (const Stride& stride : loop.strides) {
    if (!stride.at.output) continue;
    latency_.tensors[{&node, Narrow32(stride.at.port, "output")}] = late * stride.chunk;
  }
  const Stride& first = loop.strides[0];
  const bool is_whole = EndsWithAll(TensorAt(node, first.at), late * first.chunk);
  for (const Carried& state : loop.states) {
    if (!state.output) continue;
    after_[{&node, Narrow32(*state.output, "output")}] = is_whole ? at.steps : kNever;
  }
  return CanSetSteps(loop, latency_.steps * per_step);
}

// If the output depends on elements after the end, starting at position `first`, refuses the node
// and returns true.
bool Measuring::ReadsAfterEnd(ir::Node& node, int64_t first, int64_t late) {
  const ir::Source out = {&node, 0};
  if (first >= Extent(out) || first + late >= Positions(out)) return false;
  return !Refuse(node, "it reads padding where later steps were sliced off");
}

// If the model sliced off the end, padding after it would be read instead of the sliced elements.
bool Measuring::MeasureWindows(DelayedNode& at, const ops::Windows& windows) {
  at.kind = DelayKind::kWindows;
  ir::Node& node = *at.node;
  const ir::Source& data = node.inputs[0];
  const size_t axis = windows.at();
  const int64_t begin = windows.begin[axis], stride = windows.stride, reach = windows.extent;
  const int64_t late = Late(data), extent = Extent(data);
  if (HasTimeAfterFirst(node) || (windows.spread && reach < stride)) return false;
  at.windows = windows;
  at.windows.begin[axis] = 0;
  at.windows.end[axis] = windows.spread ? reach - stride : 0;
  int64_t blocks = late * stride + begin, first = extent * stride - begin;
  if (!windows.spread) {
    blocks = Blocks(data, stride, std::max<int64_t>(reach - stride, 0) - begin);
    first = Quotient(extent + begin + 1 - reach, stride);
    const int64_t past = begin + blocks * stride - late;
    // A window reads at least one position of the data.
    at.windows.begin[axis] = std::min(past, reach - 1);
    if (past >= reach) at.inputs[0] = late + past - (reach - 1);
  }
  if (ReadsAfterEnd(node, std::max<int64_t>(first, 0), blocks)) return false;
  if (!CanSetWindows(node, at.windows)) return false;
  SetLate(node, blocks);
  const bool repeats = AttributeText(node, ops::PadFillOf(windows.axis)) == ops::kRepeatFirst;
  if (repeats && at.inputs[0].value_or(late) > 0) return Refuse(node, kRepeatsDelayed);
  const bool reads_before = windows.spread ? reach > stride : begin > 0;
  if (reads_before) at.fill = windows.fill.value_or(0);
  return true;
}

// The border before the first element also replaces positions while the data is delayed.
bool Measuring::MeasureBorder(DelayedNode& at) {
  at.kind = DelayKind::kBorder;
  ir::Node& node = *at.node;
  if (HasTimeAfterFirst(node)) return false;
  const ir::Source& data = node.inputs[0];
  const auto axis = static_cast<size_t>(TimeAt(node, 0)->axis);
  const int64_t begin = std::exchange(at.border.begin[axis], 0);
  const int64_t end = std::exchange(at.border.end[axis], 0);
  const int64_t late = Blocks(data, 1, -begin);
  if (begin > 0) at.fill = at.border.fill;
  at.inputs[0] = late + begin;
  if (end > 0 && ReadsAfterEnd(node, Extent(data) + begin, late)) return false;
  SetLate(node, late);
  return true;
}

// Returns true if the last position belongs to the last step, or to the last step so far of a
// delayed tensor.
bool Measuring::EndsWithAll(const ir::Source& source, int64_t late) const {
  const int64_t extent = Extent(source);
  return extent == Positions(source) || extent + late == Positions(source);
}

// The first step is known before all others.
bool Measuring::MeasureOnePart(DelayedNode& at) {
  at.kind = DelayKind::kSlice;
  ir::Node& node = *at.node;
  const ir::Source& data = node.inputs[0];
  const int64_t rate = Rate(data), extent = Extent(data);
  if (extent - at.kept.begin > rate) {
    if (FirstStepIn(times_, node) == nullptr) return false;
    return Late(data) == 0 || Refuse(node, "it selects the first step of a delayed tensor");
  }
  if (!HasOneRunEach(times_.Relation(&node))) return false;
  if (!EndsWithAll(data, Late(data))) return false;
  const int64_t steps = after_[{&node, 0}] = Blocks(data, rate);
  at.kept.begin += Positions(data) - extent;
  at.kept.end += Positions(data) - extent;
  return Align(at, 0, steps * rate);
}

// Computes blocks of `give` positions from blocks of `take` positions and the past.
bool Measuring::MeasurePast(DelayedNode& at, const Delay& delay) {
  if (at.kind != DelayKind::kReshape) at.kind = DelayKind::kPointwise;
  ir::Node& node = *at.node;
  const ir::Source& data = node.inputs[0];
  const bool selects = times_.Relation(&node).selects && Extent(data) != Positions(data);
  if (HasTimeAfterFirst(node) || times_.Of({&node, 0}) == nullptr || selects) return false;
  if (delay.repeats && Late(data) > 0) return Refuse(node, kRepeatsDelayed);
  const int64_t blocks = Blocks(data, delay.take);
  if (delay.past > 0) at.fill = delay.fill;
  SetLate(node, blocks * delay.give);
  return Align(at, 0, blocks * delay.take);
}

// Returns true if a group of the axis contains a time axis.
bool Measuring::SharesTime(ir::Node& node, const PortAxis& port) const {
  return std::ranges::any_of(times_.Relation(&node).groups, [&](const AxisGroup& group) {
    const auto is_time = [&](const PortAxis& to) {
      const TimeAxis* time = to.output ? times_.Of(TensorAt(node, to)) : nullptr;
      return time != nullptr && time->axis == to.axis;
    };
    return std::ranges::find(group, port) != group.end() && std::ranges::any_of(group, is_time);
  });
}

// All inputs need the same delay.
bool Measuring::MeasurePointwise(DelayedNode& at) {
  at.kind = DelayKind::kPointwise;
  ir::Node& node = *at.node;
  const AxisRelation& relation = times_.Relation(&node);
  const TimeAxis* first = TimeAt(node, 0);
  const bool sums = std::ranges::find(relation.summed, true) != relation.summed.end();
  // A sum over a single position may have another order.
  if (sums && first != nullptr && Extent(node.inputs[0]) <= first->chunk) return false;
  int64_t late = 0;
  bool is_free = true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Source& source = node.inputs[i];
    if (TimeAt(node, i) == nullptr) continue;
    if (!SharesTime(node, {false, i, TimeAt(node, i)->axis})) return false;
    is_free =
        is_free && (IsFree(source) || (source.node->constant && !IsOpenNumbering(*source.node)));
    late = std::max(late, Blocks(source, 1));
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (TimeAt(node, i) != nullptr && !Align(at, i, late)) return false;
  }
  SetLate(node, late);
  if (relation.selects && first != nullptr && TakesItsRuns(relation)) {
    at.kind = DelayKind::kSlice;
    at.kept = {first->axis, 0, Positions(node.inputs[0])};
  }
  for (uint32_t port = 0; is_free && port < node.outputs.size(); ++port) {
    if (times_.Of({&node, port}) != nullptr) order_free_.insert({&node, port});
  }
  return true;
}

}  // namespace

std::optional<Latency> MeasureLatency(const Rewritten& rewritten, const TimeMap& map,
                                      Faults& faults) {
  return Measuring(rewritten, map).Run(faults);
}

}  // namespace weft::graph
