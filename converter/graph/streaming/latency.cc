// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/canonical/borders.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/canonical/shifts.h"
#include "converter/graph/double_length.h"
#include "converter/graph/infer.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/late_edits.h"
#include "converter/graph/streaming/late_loops.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/starts.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int64_t kNever = -1;               // the value at the end is not that of the last step
constexpr const char* kLatency = "latency";  // attribute of a Result, in steps

// Positive and negative zero are different numbers.
uint64_t BitsOf(double number) { return std::bit_cast<uint64_t>(number); }

int64_t RoundedUp(int64_t positions, int64_t to) { return (positions + to - 1) / to * to; }

class Waiting {
 public:
  Waiting(ir::Graph& graph, TimeMap map, Faults& faults)
      : graph_(graph), faults_(faults), map_(std::move(map)), times_(map_.axes) {}

  // Returns false if latency does not help.
  bool Run() {
    if (!CountSteps()) return false;
    for (ir::Node* node : times_.nodes()) Measure(*node);
    if (!CanShrink()) return false;
    for (ir::Node* node : times_.nodes()) {
      const size_t before = faults_.lines().size();
      if (Visit(*node)) continue;
      if (faults_.lines().size() == before) {
        RefuseToCut(graph_, *node, "it " + times_.Relation(node).reason, faults_);
      }
      SetLate(*node, 0);
    }
    if (!faults_.ok() || !knows_all_) return false;
    for (const Held& held : held_) HoldStates(graph_, *held.time_loop, held.late, held.steps);
    return true;
  }
  int64_t steps() const { return steps_; }
  bool waits() const { return waits_; }  // true if any tensor needs latency

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  static Key KeyOf(const ir::Source& source) { return {source.node, source.port}; }

  bool CountSteps();
  void Measure(ir::Node& node);
  bool Visit(ir::Node& node);
  bool VisitResult(ir::Node& result);
  bool VisitTimeLoop(const TimeLoop& time_loop);
  bool VisitWindows(ir::Node& node, const ops::Windows& windows);
  bool ReadsAfterEnd(ir::Node& node, const ops::Windows& windows, int64_t extent, int64_t late);
  bool RefuseAfterEnd(ir::Node& node, int64_t first, int64_t late);
  bool VisitBorder(ir::Node& node, const Border& border);
  bool VisitCrop(ir::Node& node, const Selection& crop);
  bool EndsWithAll(const ir::Source& source, int64_t late);
  bool VisitLast(ir::Node& node, const Selection& last);
  bool VisitDelay(ir::Node& node, const Delay& delay);
  bool VisitReshape(ir::Node& node);
  bool VisitGroups(ir::Node& node);
  bool VisitWithoutTime(ir::Node& node);
  bool IsInGroup(ir::Node& node, const PortAxis& at) const;
  bool FitConstant(ir::Node& node, int64_t late);

  const TimeAxis* TimeAt(const ir::Node& node, size_t input) const {
    return times_.Of(node.inputs[input]);
  }
  bool HasOnlyTimeAt(const ir::Node& node, size_t input) const;
  int64_t Rate(const ir::Source& source) const { return times_.Of(source)->chunk; }
  int64_t Positions(const ir::Source& source) const { return steps_ * Rate(source); }
  int64_t OldExtent(const ir::Source& source) { return Known(extents_, source); }
  int64_t Late(const ir::Source& source) { return Known(late_, source); }
  int64_t Known(const std::map<Key, int64_t>& numbers, const ir::Source& source);
  void SetLate(ir::Node& node, int64_t late);
  void Resize(ir::Node& node);
  void Adopt(const ir::Source& made, const ir::Source& like, int64_t late);
  ir::Source Shifted(const ir::Source& source, int64_t positions, double fill);
  ir::Source Aligned(const ir::Source& source, int64_t late);
  ir::Source Masked(const ir::Source& source, double fill);
  bool CanShrink();

  ir::Graph& graph_;
  Faults& faults_;
  TimeMap map_;
  TimeAxes& times_;  // of the map
  int64_t steps_ = 0;
  bool waits_ = false;
  bool knows_all_ = true;
  std::map<Key, int64_t> extents_;  // before the changes
  std::map<Key, int64_t> late_;     // of tensors with time, in their positions
  std::map<Key, int64_t> after_;    // of tensors without time that depend on them, in steps
  std::set<Key> order_free_;        // tensors with time and equal steps
  std::map<Key, uint64_t> blank_;   // number at the positions before the first step
  struct Held {
    const TimeLoop* time_loop;
    int64_t late, steps;
  };
  std::vector<Held> held_;  // delayed time loops
  std::map<std::tuple<Key, int64_t, uint64_t>, ir::Source> shifted_;
  std::map<std::pair<Key, uint64_t>, ir::Source> masked_;
};

// Sets the number of steps, which must be equal for all inputs. Incomplete steps are ignored.
bool Waiting::CountSteps() {
  std::set<int64_t> counts;
  for (ir::Node* parameter : graph_.parameters) {
    const ir::Source source = {parameter, 0};
    if (times_.Of(source) != nullptr) counts.insert(times_.Extent(source) / Rate(source));
  }
  if (counts.size() != 1) return false;
  steps_ = *counts.begin();
  return steps_ > 1;
}

void Waiting::Measure(ir::Node& node) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const ir::Source source = {&node, port};
    if (times_.Of(source) != nullptr) extents_[KeyOf(source)] = times_.Extent(source);
  }
}

// Constants that depend on a length are found by recomputation for one more step (lengths.h).
// Returns false if a tensor whose shape is read has more positions than the steps, because it might
// keep its length.
bool Waiting::CanShrink() {
  return std::ranges::none_of(graph_.nodes, [&](const std::unique_ptr<ir::Node>& node) {
    if (node->constant || !ops::TraitsOf(*node).shape_only) return false;
    const ir::Source& source = node->inputs[0];
    return times_.Of(source) != nullptr && OldExtent(source) > Positions(source);
  });
}

// An unknown number counts as 0, and the conversion fails.
int64_t Waiting::Known(const std::map<Key, int64_t>& numbers, const ir::Source& source) {
  const auto found = numbers.find(KeyOf(source));
  knows_all_ = knows_all_ && found != numbers.end();
  return found == numbers.end() ? 0 : found->second;
}

bool Waiting::HasOnlyTimeAt(const ir::Node& node, size_t input) const {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != input && TimeAt(node, i) != nullptr) return false;
  }
  return true;
}

void Waiting::Resize(ir::Node& node) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const TimeAxis* time = times_.Of({&node, port});
    if (time == nullptr) continue;
    node.outputs[port].type.dims[static_cast<size_t>(time->axis)] = Positions({&node, port});
  }
}

void Waiting::SetLate(ir::Node& node, int64_t late) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const ir::Source source = {&node, port};
    if (times_.Of(source) == nullptr) continue;
    late_[KeyOf(source)] = late;
    waits_ = waits_ || late != 0 || OldExtent(source) != Positions(source);
    if (late <= Positions(source) - Rate(source)) continue;
    RefuseToCut(graph_, node,
                fmt::format("it looks ahead over {} of {} steps",
                            RoundedUp(late, Rate(source)) / Rate(source), steps_),
                faults_);
    break;
  }
  Resize(node);
}

void Waiting::Adopt(const ir::Source& made, const ir::Source& like, int64_t late) {
  times_.Set(made, *times_.Of(like), *made.node);
  late_[KeyOf(made)] = late;
}

// `fill` is zero unless the model defines another number.
ir::Source Waiting::Shifted(const ir::Source& source, int64_t positions, double fill) {
  if (positions == 0) return source;
  const auto [found, added] = shifted_.try_emplace({KeyOf(source), positions, BitsOf(fill)});
  if (!added) return found->second;
  const ir::Source shift = NewShift(graph_, source, times_.Of(source)->axis, positions, fill);
  found->second = shift;
  const int64_t late = Late(source);
  Adopt(shift, source, late + positions);
  if (late == 0) blank_[KeyOf(shift)] = BitsOf(fill);
  return shift;
}

// A tensor with equal steps needs no delay.
ir::Source Waiting::Aligned(const ir::Source& source, int64_t late) {
  if (order_free_.contains(KeyOf(source))) return source;
  return Shifted(source, late - Late(source), 0);
}

// Returns the tensor with `fill` at positions before the model's first step.
ir::Source Waiting::Masked(const ir::Source& source, double fill) {
  const auto blank = blank_.find(KeyOf(source));
  const bool is_blank = blank != blank_.end() && blank->second == BitsOf(fill);
  if (Late(source) == 0 || is_blank) return source;
  const auto [found, added] = masked_.try_emplace({KeyOf(source), BitsOf(fill)});
  if (!added) return found->second;
  const ir::Source masked = NewMasked(graph_, source, times_.Of(source)->axis, Late(source), fill);
  found->second = masked;
  Adopt(masked, source, Late(source));
  return masked;
}

bool Waiting::Visit(ir::Node& node) {
  if (node.constant) return true;
  if (ir::IsParameter(node)) {
    SetLate(node, 0);
    return true;
  }
  if (ir::IsResult(node)) return VisitResult(node);
  if (!HasTime(times_, node)) return VisitWithoutTime(node);
  const auto is_after = [&](const ir::Source& source) { return after_.contains(KeyOf(source)); };
  if (std::ranges::any_of(node.inputs, is_after)) {
    RefuseToCut(graph_, node, "it depends on the final step of the sequence", faults_);
    return false;
  }
  if (const TimeLoop* time_loop = map_.LoopOf(node)) return VisitTimeLoop(*time_loop);
  const AxisRelation& relation = times_.Relation(&node);
  const TimeAxis* first = TimeAt(node, 0);
  if (first == nullptr || node.inputs[0].node->constant) return VisitGroups(node);
  if (relation.reshapes) return times_.Of({&node, 0}) != nullptr && VisitReshape(node);
  const auto along = [&](const auto& what) { return what.axis == first->axis; };
  const auto windows = std::ranges::find_if(relation.windows, along);
  if (windows != relation.windows.end()) return VisitWindows(node, *windows);
  const std::optional<Border> border = BorderOf(graph_, node);
  if (border && !border->repeats) return VisitBorder(node, *border);
  if (relation.sum && along(*relation.sum)) return VisitDelay(node, {first->axis, 1});
  const auto delay = std::ranges::find_if(relation.delays, along);
  if (delay != relation.delays.end()) return VisitDelay(node, *delay);
  if (const auto crop = times_.CropOf(node)) return VisitCrop(node, *crop);
  const auto last = std::ranges::find_if(relation.selections, along);
  if (last != relation.selections.end()) return VisitLast(node, *last);
  return VisitGroups(node);
}

// Propagates the latency of values without time.
bool Waiting::VisitWithoutTime(ir::Node& node) {
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

bool Waiting::VisitResult(ir::Node& result) {
  ir::Source& source = result.inputs[0];
  const auto after = after_.find(KeyOf(source));
  if (after != after_.end() && after->second == kNever) {
    RefuseToCut(graph_, result, "it depends on where the sequence ends", faults_);
    return false;
  }
  if (after != after_.end()) result.attributes[kLatency] = std::to_string(after->second);
  if (times_.Of(source) == nullptr) return true;
  const int64_t rate = Rate(source), late = RoundedUp(Late(source), rate);
  const ir::Source aligned = Aligned(source, late);
  aligned.node->outputs[aligned.port].names = source.node->outputs[source.port].names;
  source = aligned;
  result.attributes[kLatency] = std::to_string(late / rate);
  return true;
}

// All inputs are delayed to the same step, which is the first one of the time loop.
bool Waiting::VisitTimeLoop(const TimeLoop& time_loop) {
  ir::Node& node = *time_loop.node;
  const int64_t per_step = map_.IterationsPerStep(time_loop);
  const auto chunk_of = [&](const PortAxis& at) -> int64_t {
    const auto stride = std::ranges::find(time_loop.strides, at, &Stride::at);
    return stride == time_loop.strides.end() ? 0 : stride->chunk;
  };
  int64_t late = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = TimeAt(node, i);
    if (time == nullptr) continue;
    const int64_t chunk = chunk_of({false, i, time->axis});
    if (chunk == 0) return false;
    if (node.inputs[i].node->constant) continue;
    late = std::max(late, RoundedUp(Late(node.inputs[i]), chunk * per_step) / chunk);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = TimeAt(node, i);
    if (time == nullptr) continue;
    const int64_t positions = late * chunk_of({false, i, time->axis});
    if (!node.inputs[i].node->constant) {
      node.inputs[i] = Aligned(node.inputs[i], positions);
    } else if (!FitConstant(*node.inputs[i].node, positions)) {
      return false;
    }
  }
  for (const Stride& stride : time_loop.strides) {
    if (stride.at.output) late_[{&node, Narrow32(stride.at.port, "output")}] = late * stride.chunk;
  }
  const Stride& first = time_loop.strides[0];
  const bool is_whole = EndsWithAll(TensorAt(node, first.at), late * first.chunk);
  for (const Carried& state : time_loop.states) {
    if (!state.output) continue;
    after_[{&node, Narrow32(*state.output, "output")}] = is_whole ? late / per_step : kNever;
  }
  Resize(node);
  const int64_t steps = steps_ * per_step;
  if (!SetSteps(graph_, time_loop, steps)) return false;
  if (late > 0) held_.push_back({&time_loop, late, steps});
  return true;
}

// If the model sliced off the end, padding after it would be read instead of the sliced elements.
bool Waiting::ReadsAfterEnd(ir::Node& node, const ops::Windows& windows, int64_t extent,
                            int64_t late) {
  const int64_t begin = windows.begin[windows.at()];
  const int64_t stride = windows.stride;
  const int64_t first = windows.spread
                            ? extent * stride - begin
                            : RoundedUp(extent + begin + 1 - windows.extent, stride) / stride;
  return RefuseAfterEnd(node, std::max<int64_t>(first, 0), late);
}

// Refuses a node whose output depends on elements after the end, starting at position `first`.
bool Waiting::RefuseAfterEnd(ir::Node& node, int64_t first, int64_t late) {
  const ir::Source out = {&node, 0};
  if (first >= OldExtent(out) || first + late >= Positions(out)) return false;
  RefuseToCut(graph_, node, "it reads padding where later steps were sliced off", faults_);
  return true;
}

bool Waiting::VisitWindows(ir::Node& node, const ops::Windows& windows) {
  ir::Source& data = node.inputs[0];
  if (!HasOnlyTimeAt(node, 0) || times_.Of({&node, 0}) == nullptr) return false;
  const size_t at = windows.at();
  ops::Windows after = windows;
  const int64_t begin = windows.begin[at], stride = windows.stride, extent = OldExtent(data);
  int64_t late = 0;
  if (windows.spread) {
    late = Late(data) * stride + begin;
    after.begin[at] = 0;
    after.end[at] = windows.extent - stride;
    if (after.end[at] < 0) return false;
  } else {
    const int64_t ahead = Late(data) + windows.extent - stride - begin;
    late = ahead > 0 ? RoundedUp(ahead, stride) / stride : 0;
    const int64_t past = begin + late * stride - Late(data);
    if (past < 0) data = Aligned(data, Late(data) - past);
    after.begin[at] = std::max<int64_t>(past, 0);
    after.end[at] = 0;
  }
  if (ReadsAfterEnd(node, windows, extent, late)) return false;
  if (!SetWindows(graph_, node, after, begin != 0)) return false;
  SetLate(node, late);
  const AxisRelation relation = ops::RelationOf(graph_, node);
  const Delay* delay = DelayAlong(relation, windows.axis);
  if (delay == nullptr) return false;
  if (delay->repeats && Late(data) > 0) return false;  // the first position is unknown
  const bool reads_before = windows.spread ? delay->past > 0 : begin > 0;
  if (reads_before) data = Masked(data, delay->fill);
  return true;
}

// The border before the first element also replaces positions while the data is delayed.
bool Waiting::VisitBorder(ir::Node& node, const Border& border) {
  const TimeAxis* time = TimeAt(node, 0);
  if (!HasOnlyTimeAt(node, 0)) return false;
  const auto at = static_cast<size_t>(time->axis);
  const int64_t begin = border.begin[at];
  ir::Source data = node.inputs[0];
  if (begin > 0) data = Masked(data, border.fill);
  const int64_t late = Late(data) - begin, after = OldExtent(node.inputs[0]) + begin;
  data = Shifted(data, std::max<int64_t>(-late, 0), border.fill);
  Dims begins = border.begin, ends = border.end;
  begins[at] = ends[at] = 0;
  const TensorType row = TypeOf(node.inputs[1]);
  node.inputs[0] = data;
  node.inputs[1] = NewInts(graph_, node, row, begins);
  node.inputs[2] = NewInts(graph_, node, row, ends);
  if (border.end[at] > 0 && RefuseAfterEnd(node, after, std::max<int64_t>(late, 0))) return false;
  SetLate(node, std::max<int64_t>(late, 0));
  if (begins == ends && std::ranges::count(begins, 0) == std::ssize(begins)) {
    PassOn(graph_, node, data);
  }
  return true;
}

bool Waiting::VisitCrop(ir::Node& node, const Selection& crop) {
  if (!HasOneRunEach(times_.Relation(&node))) return false;
  const ir::Source data = node.inputs[0];
  SetLate(node, Late(data) + crop.begin);
  CutTo(graph_, node, times_.Relation(&node).runs, {crop.axis, 0, Positions(data)});
  return true;
}

// Returns true if the last position belongs to the last step, or to the last step so far of a
// delayed tensor.
bool Waiting::EndsWithAll(const ir::Source& source, int64_t late) {
  const int64_t extent = OldExtent(source);
  return extent == Positions(source) || extent + late == Positions(source);
}

// Selects positions of the last step, or of the first one, which is known before all others.
bool Waiting::VisitLast(ir::Node& node, const Selection& last) {
  const ir::Source data = node.inputs[0];
  const int64_t rate = Rate(data), back = OldExtent(data) - last.begin;
  if (!HasOneRunEach(times_.Relation(&node))) return false;
  if (back > rate) {
    const bool is_first = last.end <= rate, is_known = is_first && Late(data) == 0;
    if (is_known) CutTo(graph_, node, times_.Relation(&node).runs, last);
    if (is_first && !is_known) {
      RefuseToCut(graph_, node, "it selects the first step of a delayed tensor", faults_);
    }
    return is_known;
  }
  const int64_t late = RoundedUp(Late(data), rate);
  if (!EndsWithAll(data, Late(data))) return false;
  node.inputs[0] = Aligned(data, late);
  after_[{&node, 0}] = late / rate;
  const int64_t begin = Positions(data) - back;
  CutTo(graph_, node, times_.Relation(&node).runs,
        {last.axis, begin, begin + last.end - last.begin});
  return true;
}

bool Waiting::VisitDelay(ir::Node& node, const Delay& delay) {
  ir::Source& data = node.inputs[0];
  const bool selects = times_.Relation(&node).selects && OldExtent(data) != Positions(data);
  if (!HasOnlyTimeAt(node, 0) || times_.Of({&node, 0}) == nullptr || selects) return false;
  if (delay.repeats && Late(data) > 0) return false;  // the first position is unknown
  data = Aligned(data, RoundedUp(Late(data), delay.take));
  const int64_t late = Late(data) / delay.take * delay.give;
  if (delay.past > 0) data = Masked(data, delay.fill);
  SetLate(node, late);
  if (times_.Relation(&node).stretches) {
    SetBroadcastExtent(graph_, node, times_.Of({&node, 0})->axis, Positions({&node, 0}));
  }
  return true;
}

bool Waiting::VisitReshape(ir::Node& node) {
  ir::Source data = node.inputs[0];
  const int64_t in = Rate(data), out = Rate({&node, 0});
  if (in > out) data = Aligned(data, RoundedUp(Late(data), in / out));
  SetLate(node, Late(data) * out / in);
  if (order_free_.contains(KeyOf(data))) order_free_.insert({&node, 0});
  const bool was_moved = node.attributes.contains(kMoved);
  BecomeReshape(graph_, node, data, node.outputs[0].type.dims);
  if (was_moved) node.attributes[kMoved] = "true";
  return true;
}

bool Waiting::IsInGroup(ir::Node& node, const PortAxis& at) const {
  return std::ranges::any_of(times_.Relation(&node).groups, [&](const AxisGroup& group) {
    const auto is_time = [&](const PortAxis& to) {
      const TimeAxis* time = to.output ? times_.Of(TensorAt(node, to)) : nullptr;
      return time != nullptr && time->axis == to.axis;
    };
    return std::ranges::find(group, at) != group.end() && std::ranges::any_of(group, is_time);
  });
}

// Processes each position independently: all inputs need the same delay.
bool Waiting::VisitGroups(ir::Node& node) {
  const std::vector<bool>& summed = times_.Relation(&node).summed;
  const bool sums = std::ranges::find(summed, true) != summed.end();
  // A sum over a single position may have another order.
  if (sums && TimeAt(node, 0) != nullptr && OldExtent(node.inputs[0]) <= Rate(node.inputs[0]))
    return false;
  int64_t late = 0;
  bool alike = true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = TimeAt(node, i);
    if (time == nullptr) continue;
    if (!IsInGroup(node, {false, i, time->axis})) return false;
    alike = alike && !IsOpenNumbering(*node.inputs[i].node);
    if (node.inputs[i].node->constant || order_free_.contains(KeyOf(node.inputs[i]))) continue;
    alike = false;
    late = std::max(late, Late(node.inputs[i]));
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (TimeAt(node, i) == nullptr) continue;
    ir::Source& source = node.inputs[i];
    if (!source.node->constant) {
      source = Aligned(source, late);
    } else if (!FitConstant(*source.node, late)) {
      return false;
    }
  }
  SetLate(node, late);
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (times_.Of({&node, port}) == nullptr) continue;
    if (alike) order_free_.insert({&node, port});
  }
  const AxisRelation& relation = times_.Relation(&node);
  if (relation.stretches && times_.Of({&node, 0}) != nullptr) {
    SetBroadcastExtent(graph_, node, times_.Of({&node, 0})->axis, Positions({&node, 0}));
  }
  if (relation.selects && TimeAt(node, 0) != nullptr && TakesItsRuns(relation)) {
    CutTo(graph_, node, relation.runs, {TimeAt(node, 0)->axis, 0, Positions(node.inputs[0])});
  }
  return true;
}

// Adapts a constant with one reader: equal steps are repeated, a numbering starts earlier by the
// delay, and other numbers move.
bool Waiting::FitConstant(ir::Node& node, int64_t late) {
  const ir::Source source = {&node, 0};
  const int64_t axis = times_.Of(source)->axis, positions = Positions(source);
  const int64_t rate = Rate(source);
  const int64_t extent = DimsOf(source)[static_cast<size_t>(axis)];
  for (const int64_t chunk : {int64_t{1}, rate}) {
    const TimeAxis time = {axis, 1, chunk};
    if (extent % chunk != 0 || !IsAlikeAtEveryStep(*node.constant, time, extent / chunk)) continue;
    if (late % chunk != 0) break;
    RepeatStep(*node.constant, time, positions / chunk);
    node.outputs[0].type = node.constant->type;
    return true;
  }
  const std::optional<Numbering> numbering = NumberingAlong(*node.constant, axis);
  if (numbering &&
      Renumber(node, *numbering, numbering->first - late * numbering->step, positions)) {
    return true;
  }
  if (IsLateMask(node)) {
    DelayLateMask(graph_, node, axis, late, positions);
    return true;
  }
  if (DelayPositions(node, {axis, 1, rate}, late, positions)) return true;
  RefuseToCut(graph_, node, "its value differs from step to step", faults_);
  return false;
}

}  // namespace

std::optional<int64_t> AddLookaheadLatency(const Rewritten& rewritten, const TimeSeeds& seeds,
                                           const Folding& folding, Faults& faults) {
  ir::Graph& graph = rewritten.graph;
  StartsToChoices(graph, seeds);
  if (const auto map = MapAhead(graph, seeds)) {
    for (FilledWindow window : rewritten.filled) {
      if (DelayOverTime(map->axes, *window.node) == nullptr) TakeBack(window);
    }
    JoinBorders(graph, map->axes);
  }
  std::optional<TimeMap> map = MapAhead(graph, seeds);
  if (!map) return std::nullopt;
  Faults found;
  Waiting waiting(graph, std::move(*map), found);
  const bool can_wait = waiting.Run();
  if (!waiting.waits()) return std::nullopt;
  for (const std::string& line : found.lines()) faults.Add(line);
  if (!can_wait) return std::nullopt;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::OutputPort& port : node->outputs) port.declared = true;
  }
  Faults discarded;
  Folding of_copy = folding.OfCopy();
  // Shapes of T steps are no longer valid for 2 * T.
  const bool is_valid = DoubleLength::IsNeeded(graph) ||
                        InferAndFold(graph, {.check_declared = false}, of_copy, discarded);
  if (!is_valid || !KeepStarts(graph, rewritten.started)) return std::nullopt;
  return waiting.steps();
}

int64_t LatencyOf(const ir::Node& result) {
  const auto found = result.attributes.find(kLatency);
  return found == result.attributes.end() ? 0 : std::stoll(found->second);
}

}  // namespace weft::graph
