// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/period.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int kMaxDepth = 2000;              // nested calls
constexpr size_t kMaxRoots = 256;            // values of a copy that are read after it
constexpr int64_t kMaxSeriesElements = 256;  // elements of a constant that differs between copies

}  // namespace

std::vector<Positions> PositionsIn(const ValueTable& values, int64_t min) {
  std::map<std::tuple<int, int64_t, int64_t>, std::map<int64_t, int>> begins;
  for (int value = 0; value < values.size(); ++value) {
    const Value& slice = values[value];
    if (slice.kind != Value::Kind::kSlice) continue;
    begins[{slice.inputs[0], slice.axis, slice.part}][slice.begin] = value;
  }
  std::vector<Positions> all;
  for (const auto& [key, slices] : begins) {
    Positions positions;
    std::tie(positions.input, positions.axis, positions.part) = key;
    positions.first = slices.begin()->first;
    for (const auto& [begin, value] : slices) {
      const int64_t offset = begin - positions.first;
      if (offset % positions.part == 0) positions.parts[offset / positions.part] = value;
    }
    if (std::ssize(positions.parts) >= min) all.push_back(std::move(positions));
  }
  std::ranges::stable_sort(all, [](const Positions& a, const Positions& b) {
    return std::pair(-std::ssize(a.parts), a.input) < std::pair(-std::ssize(b.parts), b.input);
  });
  return all;
}

Timeline::Timeline(const ValueTable& values, const std::vector<Positions>& all, size_t at,
                   bool backward, bool together)
    : count(all[at].parts.rbegin()->first + 1), copies(static_cast<size_t>(values.size()), -1) {
  Add(all[at], backward);
  Spread(values);
  if (!together) return;
  const std::vector<int64_t> alone = copies;
  for (size_t other = 0; other < all.size(); ++other) {
    const bool as_often = other != at && all[other].parts.rbegin()->first + 1 == count;
    if (as_often && alone[static_cast<size_t>(all[other].input)] < 0) Add(all[other], backward);
  }
  Spread(values);
}

void Timeline::Add(const Positions& positions, bool backward) {
  for (const auto& [part, value] : positions.parts) {
    copies[static_cast<size_t>(value)] = backward ? count - 1 - part : part;
  }
  ++visited;
}

void Timeline::Spread(const ValueTable& values) {
  for (int value = 0; value < values.size(); ++value) {
    int64_t& copy = copies[static_cast<size_t>(value)];
    for (const int input : values[value].inputs) copy = std::max(copy, Of(input));
  }
}

ValueReaders ReadersOf(const ValueTable& values) {
  ValueReaders readers(static_cast<size_t>(values.size()));
  for (int value = 0; value < values.size(); ++value) {
    for (const int input : values[value].inputs) {
      readers[static_cast<size_t>(input)].push_back(value);
    }
  }
  for (const ir::Node* node : values.nodes()) {
    if (!node->outputs.empty() && !ir::IsAssign(*node)) continue;
    for (const ir::Source& source : node->inputs) {
      readers[static_cast<size_t>(values.Of(source))].push_back(kNoValue);
    }
  }
  return readers;
}

namespace {

// Compares a copy with the copy before it, value by value.
class PeriodSearch {
 public:
  PeriodSearch(const ValueTable& values, const ValueReaders& readers, const Timeline& timeline,
               int64_t copy)
      : values_(values), readers_(readers), timeline_(timeline), copy_(copy) {
    period_.copy = copy;
  }

  std::optional<Period> Run();

 private:
  // A value with readers after its copy, and the corresponding value of the copy before.
  struct Root {
    int value = kNoValue, before = kNoValue;
    int body = kNoValue;
  };

  std::vector<int> RootsAt(int64_t copy) const;
  bool IsReadLater(int value, int64_t copy) const;
  void MatchRoots();
  int Match(int value, int before);
  int MatchUncached(int value, int before);
  int MatchSlices(int value, int before);
  int MatchInputs(int value, int before);
  int AddState(int value, int before);
  int AddBody(BodyValue value);
  void FindSuccessors();
  void FindOutputs();
  void DropUnused();
  bool DependsOnState(int body) const;

  const ValueTable& values_;
  const ValueReaders& readers_;
  const Timeline& timeline_;
  const int64_t copy_;
  // Initially false: two layers with weights of equal shape must each match their own weights.
  bool takes_series_ = false;
  int depth_ = 0;
  Period period_;
  std::vector<Root> roots_;
  std::map<std::pair<int, int>, int> matched_;
  std::map<std::pair<int, int>, size_t> states_;
};

std::optional<Period> PeriodSearch::Run() {
  MatchRoots();
  takes_series_ = true;
  std::erase_if(matched_, [](const auto& match) { return match.second == kNoValue; });
  MatchRoots();
  FindSuccessors();
  FindOutputs();
  DropUnused();
  if (period_.states.empty()) return std::nullopt;
  return std::move(period_);
}

void PeriodSearch::MatchRoots() {
  const std::vector<int> all = RootsAt(copy_ - 1), here = RootsAt(copy_);
  if (std::max(all.size(), here.size()) > kMaxRoots) return;
  for (const int value : here) {
    if (std::ranges::count(roots_, value, &Root::value) > 0) continue;
    for (const int before : all) {
      const bool may_match = values_[value].form == values_[before].form &&
                             values_[value].kind == values_[before].kind &&
                             std::ranges::count(roots_, before, &Root::before) == 0;
      const int body = may_match ? Match(value, before) : kNoValue;
      if (body == kNoValue) continue;
      roots_.push_back({value, before, body});
      break;
    }
  }
}

bool PeriodSearch::IsReadLater(int value, int64_t copy) const {
  return std::ranges::any_of(readers_[static_cast<size_t>(value)], [&](int reader) {
    return reader == kNoValue || timeline_.Of(reader) > copy;
  });
}

// Values of a copy that are read after it.
std::vector<int> PeriodSearch::RootsAt(int64_t copy) const {
  std::vector<int> roots;
  // readers_ lacks constants that were added later.
  for (size_t at = 0; at < readers_.size(); ++at) {
    const int value = static_cast<int>(at);
    if (timeline_.Of(value) == copy && IsReadLater(value, copy)) roots.push_back(value);
  }
  return roots;
}

int PeriodSearch::Match(int value, int before) {
  const auto found = matched_.find({value, before});
  if (found != matched_.end()) return found->second;
  if (depth_ >= kMaxDepth) return kNoValue;
  ++depth_;
  const int body = MatchUncached(value, before);
  --depth_;
  matched_[{value, before}] = body;
  return body;
}

int PeriodSearch::MatchUncached(int value, int before) {
  const Value &a = values_[value], &b = values_[before];
  const int64_t time = timeline_.Of(value), time_before = timeline_.Of(before);
  if (!(a.type.type == b.type.type)) return kNoValue;
  if (value == before) {
    if (time >= 0) return kNoValue;
    return AddBody({.kind = BodyValue::Kind::kInvariant, .type = a.type, .value = value});
  }
  if (a.kind == Value::Kind::kSlice && b.kind == Value::Kind::kSlice) {
    const int body = MatchSlices(value, before);
    if (body != kNoValue) return body;
  }
  if (time >= 0 && time < copy_) return AddState(value, before);
  if (time != (time_before < 0 ? -1 : time_before + 1)) return kNoValue;
  if (a.kind != b.kind) return kNoValue;
  if (a.kind == Value::Kind::kConstant) {
    const int64_t count = ElementCount(a.type.dims).value_or(0);
    if (!takes_series_ || !(a.type == b.type) || count == 0 || count > kMaxSeriesElements)
      return kNoValue;
    return AddBody({.kind = BodyValue::Kind::kSeries, .type = a.type, .value = value});
  }
  return MatchInputs(value, before);
}

int PeriodSearch::MatchSlices(int value, int before) {
  const Value &a = values_[value], &b = values_[before];
  const int64_t step = a.begin - b.begin;
  const bool same_axis = a.inputs == b.inputs && a.axis == b.axis && a.part == b.part;
  if (!same_axis || (step != a.part && step != -a.part)) return kNoValue;
  if (timeline_.Of(a.inputs[0]) >= 0) return kNoValue;
  return AddBody({.kind = BodyValue::Kind::kSliced,
                  .type = a.type,
                  .value = a.inputs[0],
                  .axis = a.axis,
                  .part = a.part,
                  .begin = a.begin - step * copy_,
                  .step = step});
}

int PeriodSearch::MatchInputs(int value, int before) {
  const Value &a = values_[value], &b = values_[before];
  const bool computed = a.kind == Value::Kind::kOperation || a.kind == Value::Kind::kReshape ||
                        a.kind == Value::Kind::kSlice;
  const bool alike = computed && a.type == b.type && a.form == b.form && a.port == b.port &&
                     a.axis == b.axis && a.begin == b.begin && a.part == b.part &&
                     a.inputs.size() == b.inputs.size();
  if (!alike) return kNoValue;
  BodyValue body = {.kind = BodyValue::Kind::kOperation, .type = a.type, .value = value};
  if (a.kind == Value::Kind::kReshape) body.kind = BodyValue::Kind::kReshape;
  if (a.kind == Value::Kind::kSlice) body.kind = BodyValue::Kind::kPart;
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    body.inputs.push_back(Match(a.inputs[i], b.inputs[i]));
    if (body.inputs.back() == kNoValue) return kNoValue;
  }
  return AddBody(std::move(body));
}

int PeriodSearch::AddState(int value, int before) {
  if (timeline_.Of(before) >= timeline_.Of(value)) return kNoValue;
  const auto [found, added] = states_.try_emplace({value, before}, period_.states.size());
  if (!added) return period_.states[found->second].parameter;
  const int parameter = AddBody({.kind = BodyValue::Kind::kState,
                                 .type = values_[value].type,
                                 .value = value,
                                 .state = found->second});
  period_.states.push_back({.parameter = parameter, .value = value});
  return parameter;
}

int PeriodSearch::AddBody(BodyValue value) {
  period_.values.push_back(std::move(value));
  return static_cast<int>(period_.values.size()) - 1;
}

bool PeriodSearch::DependsOnState(int body) const {
  std::vector<int> open = {body};
  std::set<int> seen;
  while (!open.empty()) {
    const BodyValue& value = period_.values[static_cast<size_t>(open.back())];
    open.pop_back();
    if (value.kind == BodyValue::Kind::kState) return true;
    for (const int input : value.inputs) {
      if (seen.insert(input).second) open.push_back(input);
    }
  }
  return false;
}

// The next value of a state is the root that corresponds to it, or a state that is one copy
// younger.
void PeriodSearch::FindSuccessors() {
  std::map<int, int> bodies;  // by the value in the copy before
  for (const Root& root : roots_) bodies.emplace(root.before, root.body);
  for (const auto& [pair, state] : states_) {
    bodies.emplace(pair.second, period_.states[state].parameter);
  }
  for (BodyState& state : period_.states) {
    const auto found = bodies.find(state.value);
    if (found != bodies.end()) state.next = found->second;
  }
}

// Finds readers that join the values of consecutive copies.
void PeriodSearch::FindOutputs() {
  for (const Root& root : roots_) {
    if (!DependsOnState(root.body)) continue;
    BodyOutput output = {.body = root.body};
    for (const int reader : readers_[static_cast<size_t>(root.value)]) {
      if (reader == kNoValue || output.reader != kNoValue) continue;
      const ir::Node* node = values_[reader].source.node;
      if (node == nullptr || !ops::TraitsOf(*node).joins) continue;
      const std::vector<int>& inputs = values_[reader].inputs;
      const auto at = std::ranges::find(inputs, root.value) - inputs.begin();
      const auto before = std::ranges::find(inputs, root.before) - inputs.begin();
      if (before == std::ssize(inputs) || at == before) continue;
      output.reader = reader;
      output.at = at;
      output.step = at - before;
    }
    output.is_read_beyond =
        output.reader != kNoValue ||
        std::ranges::any_of(readers_[static_cast<size_t>(root.value)], [&](int reader) {
          return reader == kNoValue || timeline_.Of(reader) > copy_ + 1;
        });
    period_.outputs.push_back(output);
  }
}

// Removes outputs that depend, directly or indirectly, on a state without a successor, then states
// that no output depends on.
void PeriodSearch::DropUnused() {
  std::vector<bool> open(period_.values.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t at = 0; at < open.size(); ++at) {
      const BodyValue& value = period_.values[at];
      bool is_open = std::ranges::any_of(
          value.inputs, [&](int input) { return open[static_cast<size_t>(input)]; });
      if (value.kind == BodyValue::Kind::kState) {
        const int next = period_.states[value.state].next;
        is_open = next == kNoValue || open[static_cast<size_t>(next)];
      }
      changed = changed || (is_open && !open[at]);
      open[at] = open[at] || is_open;
    }
  }
  std::erase_if(period_.outputs,
                [&](const BodyOutput& output) { return open[static_cast<size_t>(output.body)]; });
  KeepNeeded(period_);
}

// Orders the required values of a body, inputs first.
class NeededValues {
 public:
  explicit NeededValues(Period& period) : period_(period), moved_(period.values.size(), kNoValue) {}

  void Run() {
    for (BodyOutput& output : period_.outputs) Visit(output.body);
    for (size_t i = 0; i < reached_.size(); ++i) Visit(period_.states[reached_[i]].next);
    std::vector<BodyState> states;
    for (const size_t state : reached_) {
      BodyState kept = period_.states[state];
      kept.parameter = moved_[static_cast<size_t>(kept.parameter)];
      kept.next = moved_[static_cast<size_t>(kept.next)];
      kept_[static_cast<size_t>(kept.parameter)].state = states.size();
      states.push_back(kept);
    }
    for (BodyOutput& output : period_.outputs) {
      output.body = moved_[static_cast<size_t>(output.body)];
    }
    period_.states = std::move(states);
    period_.values = std::move(kept_);
  }

 private:
  void Visit(int body) {
    if (moved_[static_cast<size_t>(body)] != kNoValue) return;
    BodyValue value = period_.values[static_cast<size_t>(body)];
    if (value.kind == BodyValue::Kind::kState) reached_.push_back(value.state);
    for (int& input : value.inputs) {
      Visit(input);
      input = moved_[static_cast<size_t>(input)];
    }
    moved_[static_cast<size_t>(body)] = static_cast<int>(kept_.size());
    kept_.push_back(std::move(value));
  }

  Period& period_;
  std::vector<int> moved_;
  std::vector<BodyValue> kept_;
  std::vector<size_t> reached_;  // states, in the order of their first visit
};

}  // namespace

std::optional<Period> PeriodAt(const ValueTable& values, const ValueReaders& readers,
                               const Timeline& timeline, int64_t copy) {
  return PeriodSearch(values, readers, timeline, copy).Run();
}

void KeepNeeded(Period& period) { NeededValues(period).Run(); }

}  // namespace weft::graph
