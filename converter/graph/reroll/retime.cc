// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/retime.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace weft::graph {
namespace {

// Body values that only the next copy needs.
using Group = std::set<int>;

class Retiming {
 public:
  using MayMove = std::function<bool(int body)>;

  // `takes_leaves`: slices and series of constants move together with the values.
  Retiming(const ValueTable& values, Period& period, MayMove may_move, bool takes_leaves)
      : values_(values),
        period_(period),
        may_move_(std::move(may_move)),
        takes_leaves_(takes_leaves) {}

  bool Run(bool moves_when_equal) {
    bool changed = false;
    for (Group free = FreeValues(); !free.empty();) {
      const Group group = TakeGroup(free);
      if (!Pays(group, moves_when_equal)) continue;
      Move(group);
      changed = true;
    }
    if (changed) KeepNeeded(period_);
    return changed;
  }

 private:
  const BodyValue& At(int body) const { return period_.values[static_cast<size_t>(body)]; }
  int64_t BytesOf(int body) const { return DenseBytes(At(body).type).value_or(0); }
  bool IsInvariant(int body) const { return At(body).kind == BodyValue::Kind::kInvariant; }
  bool GoesAlong(int body) const {
    const BodyValue::Kind kind = At(body).kind;
    const bool is_leaf = kind == BodyValue::Kind::kSliced || kind == BodyValue::Kind::kSeries;
    return IsInvariant(body) || (takes_leaves_ && is_leaf);
  }
  int LateLeaf(int body, int before);
  std::optional<size_t> StateOf(int next) const;
  std::vector<std::vector<int>> Readers() const;
  Group FreeValues() const;
  Group TakeGroup(Group& free) const;
  Group BoundaryOf(const Group& group) const;
  bool Pays(const Group& group, bool moves_when_equal) const;
  void Move(const Group& group);
  int Late(int body, int before, const Group& group, std::map<int, int>& late);
  int ParameterOf(int body, int before);
  void Replace(int body, int by);

  const ValueTable& values_;
  Period& period_;
  const MayMove may_move_;
  const bool takes_leaves_;
};

std::optional<size_t> Retiming::StateOf(int next) const {
  const auto found = std::ranges::find(period_.states, next, &BodyState::next);
  if (found == period_.states.end()) return std::nullopt;
  return static_cast<size_t>(found - period_.states.begin());
}

std::vector<std::vector<int>> Retiming::Readers() const {
  std::vector<std::vector<int>> readers(period_.values.size());
  for (size_t at = 0; at < readers.size(); ++at) {
    for (const int input : period_.values[at].inputs) {
      readers[static_cast<size_t>(input)].push_back(static_cast<int>(at));
    }
  }
  return readers;
}

// Values computed only from computed values and invariants, and read only by such values.
Group Retiming::FreeValues() const {
  const std::vector<std::vector<int>> readers = Readers();
  Group free;
  for (size_t at = 0; at < period_.values.size(); ++at) {
    const int body = static_cast<int>(at);
    const bool reads_computed = std::ranges::all_of(
        At(body).inputs, [&](int input) { return GoesAlong(input) || At(input).computed(); });
    if (At(body).computed() && reads_computed && may_move_(body)) free.insert(body);
  }
  const auto is_kept = [&](int body) {
    return std::ranges::any_of(readers[static_cast<size_t>(body)],
                               [&](int reader) { return !free.contains(reader); });
  };
  while (std::erase_if(free, is_kept) > 0) {
  }
  return free;
}

// Removes from `free` one group of connected values.
Group Retiming::TakeGroup(Group& free) const {
  const std::vector<std::vector<int>> readers = Readers();
  Group group;
  std::vector<int> open = {*free.begin()};
  while (!open.empty()) {
    const int body = open.back();
    open.pop_back();
    if (free.erase(body) == 0) continue;
    group.insert(body);
    const std::vector<int>&inputs = At(body).inputs, &more = readers[static_cast<size_t>(body)];
    open.insert(open.end(), inputs.begin(), inputs.end());
    open.insert(open.end(), more.begin(), more.end());
  }
  return group;
}

Group Retiming::BoundaryOf(const Group& group) const {
  Group boundary;
  for (const int body : group) {
    for (const int input : At(body).inputs) {
      if (!GoesAlong(input) && !group.contains(input)) boundary.insert(input);
    }
  }
  return boundary;
}

// Compares the bytes of the states that are removed and added. If they are equal, the move pays if
// the new states are needed for another reason.
bool Retiming::Pays(const Group& group, bool moves_when_equal) const {
  int64_t saved = 0;
  for (const BodyState& state : period_.states) {
    if (group.contains(state.next)) saved += BytesOf(state.next);
  }
  if (saved == 0) return false;
  bool is_needed = moves_when_equal;
  const std::vector<std::vector<int>> readers = Readers();
  for (const int input : BoundaryOf(group)) {
    is_needed = is_needed || std::ranges::any_of(readers[static_cast<size_t>(input)],
                                                 [&](int body) { return !group.contains(body); });
    is_needed = is_needed || !may_move_(input) || StateOf(input);
    if (!StateOf(input)) saved -= BytesOf(input);
  }
  return saved > 0 || (saved == 0 && is_needed);
}

// The parameter of the state with the next value `body`; `before` is its value in the copy before.
int Retiming::ParameterOf(int body, int before) {
  if (const std::optional<size_t> known = StateOf(body)) return period_.states[*known].parameter;
  const int parameter = static_cast<int>(period_.values.size());
  BodyValue leaf;
  leaf.kind = BodyValue::Kind::kState;
  leaf.type = At(body).type;
  leaf.value = before;
  leaf.state = period_.states.size();
  period_.values.push_back(std::move(leaf));
  period_.states.push_back({.parameter = parameter, .next = body, .value = before});
  period_.outputs.push_back({.body = body});  // keeps the value although no operation joins it
  return parameter;
}

// The slice or series constant of the copy before.
int Retiming::LateLeaf(int body, int before) {
  BodyValue leaf = At(body);
  if (leaf.kind == BodyValue::Kind::kSeries) leaf.value = before;
  leaf.begin -= leaf.step;
  const auto is_same = [&](const BodyValue& other) {
    return other.kind == BodyValue::Kind::kSliced && other.kind == leaf.kind &&
           other.value == leaf.value && other.axis == leaf.axis && other.begin == leaf.begin &&
           other.step == leaf.step && other.part == leaf.part;
  };
  const auto known = std::ranges::find_if(period_.values, is_same);
  if (known == period_.values.end()) {
    period_.values.push_back(std::move(leaf));
    return static_cast<int>(period_.values.size()) - 1;
  }
  return static_cast<int>(known - period_.values.begin());
}

// The same value at the beginning of the next copy.
int Retiming::Late(int body, int before, const Group& group, std::map<int, int>& late) {
  if (IsInvariant(body)) return body;
  if (GoesAlong(body)) return LateLeaf(body, before);
  if (!group.contains(body)) return ParameterOf(body, before);
  const auto known = late.find(body);
  if (known != late.end()) return known->second;
  BodyValue moved = At(body);
  moved.value = before;
  for (size_t i = 0; i < moved.inputs.size(); ++i) {
    moved.inputs[i] = Late(moved.inputs[i], values_[before].inputs[i], group, late);
  }
  period_.values.push_back(std::move(moved));
  return late[body] = static_cast<int>(period_.values.size()) - 1;
}

void Retiming::Replace(int body, int by) {
  for (BodyValue& value : period_.values) std::ranges::replace(value.inputs, body, by);
  for (BodyState& state : period_.states) {
    if (state.next == body) state.next = by;
  }
  for (BodyOutput& output : period_.outputs) {
    if (output.body == body) output.body = by;
  }
}

void Retiming::Move(const Group& group) {
  std::map<int, int> late;
  const std::vector<BodyState> states = period_.states;
  for (const BodyState& state : states) {
    if (group.contains(state.next)) {
      Replace(state.parameter, Late(state.next, state.value, group, late));
    }
  }
  std::erase_if(period_.states, [&](const BodyState& state) { return group.contains(state.next); });
  for (size_t i = 0; i < period_.states.size(); ++i) {
    period_.values[static_cast<size_t>(period_.states[i].parameter)].state = i;
  }
  std::erase_if(period_.outputs,
                [&](const BodyOutput& output) { return group.contains(output.body); });
}

}  // namespace

bool Retime(const ValueTable& values, Period& period) {
  std::set<int> kept;
  for (const BodyOutput& output : period.outputs) {
    if (output.is_read_beyond) kept.insert(output.body);
  }
  const auto may_move = [kept](int body) { return !kept.contains(body); };
  return Retiming(values, period, may_move, /*takes_leaves=*/false).Run(/*moves_when_equal=*/false);
}

// Body values that copy `copy` cannot have, because an axis has no slice for it, and that nothing
// reads after the loop.
std::set<int> Beyond(const ValueTable& values, const Period& period, int64_t copy) {
  std::set<int> beyond;
  for (size_t at = 0; at < period.values.size(); ++at) {
    const BodyValue& value = period.values[at];
    bool is_beyond =
        std::ranges::any_of(value.inputs, [&](int input) { return beyond.contains(input); });
    if (value.kind == BodyValue::Kind::kSliced) {
      const int64_t dim = values[value.value].type.dims[static_cast<size_t>(value.axis)];
      const int64_t begin = value.begin + value.step * copy;
      is_beyond = begin < 0 || begin + value.part > dim;
    }
    if (is_beyond) beyond.insert(static_cast<int>(at));
  }
  for (const BodyOutput& output : period.outputs) {
    if (output.is_read_beyond) beyond.erase(output.body);
  }
  return beyond;
}

bool RetimeByLast(const ValueTable& values, Period& period, const Copies& copies, int64_t count) {
  const int known = static_cast<int>(period.values.size());
  std::set<int> beyond;
  if (copies.last() + 1 < count) beyond = Beyond(values, period, copies.last() + 1);
  const auto may_move = [&, known](int body) {
    return beyond.contains(body) || (body < known && copies.At(copies.last(), body) == kNoValue);
  };
  return Retiming(values, period, may_move, /*takes_leaves=*/true).Run(/*moves_when_equal=*/true);
}

}  // namespace weft::graph
