// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/uses.h"

#include <map>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

class UseSearch {
 public:
  UseSearch(const ir::Graph& graph, const ValueTable& values, const Period& period,
            const Copies& copies)
      : graph_(graph), values_(values), period_(period), copies_(copies) {}

  Uses Run() {
    FindMade();
    for (ir::Node* node : values_.nodes()) {
      if (!IsMade(*node)) {
        AddUsesOf(*node);
      } else if (!ops::TraitsOf(*node).free) {
        ++found_.operations;
      }
    }
    found_.possible = NeedsNothingOfItsOwn();
    return std::move(found_);
  }

 private:
  struct Position {
    int64_t copy = 0;
    int body = kNoValue;
  };

  std::vector<bool> TakesOnly() const;
  void FindMade();
  const Position* PositionOf(const ir::Source& source) const;
  bool IsMade(const ir::Node& node) const;
  void AddUsesOf(ir::Node& node);
  size_t RunFrom(const ir::Node& node, size_t input, int64_t& step) const;
  bool NeedsNothingOfItsOwn() const;

  const ir::Graph& graph_;
  const ValueTable& values_;
  const Period& period_;
  const Copies& copies_;
  std::map<int, Position> made_;  // by value number
  Uses found_;
};

// Values that are only slices or reshapes of the loop's inputs; the outer graph can compute them as
// well.
std::vector<bool> UseSearch::TakesOnly() const {
  std::vector<bool> takes(period_.values.size());
  for (size_t at = 0; at < takes.size(); ++at) {
    const BodyValue& value = period_.values[at];
    const bool is_read =
        value.kind == BodyValue::Kind::kSliced || value.kind == BodyValue::Kind::kInvariant;
    const bool moves =
        value.kind == BodyValue::Kind::kPart || value.kind == BodyValue::Kind::kReshape;
    takes[at] = is_read || (moves && takes[static_cast<size_t>(value.inputs[0])]);
  }
  return takes;
}

void UseSearch::FindMade() {
  const std::vector<bool> takes_only = TakesOnly();
  for (int64_t copy = copies_.first(); copy <= copies_.last(); ++copy) {
    for (size_t at = 0; at < period_.values.size(); ++at) {
      const int body = static_cast<int>(at), value = copies_.At(copy, body);
      if (!period_.values[at].computed() || takes_only[at] || value == kNoValue) continue;
      // A simplified copy may contain constants and ports.
      const bool is_node = !values_[value].constant && values_[value].kind != Value::Kind::kOther;
      if (is_node) made_.try_emplace(value, Position{copy, body});
    }
  }
}

const UseSearch::Position* UseSearch::PositionOf(const ir::Source& source) const {
  const auto found = made_.find(values_.Of(source));
  return found == made_.end() ? nullptr : &found->second;
}

bool UseSearch::IsMade(const ir::Node& node) const {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (PositionOf({const_cast<ir::Node*>(&node), port}) != nullptr) return true;
  }
  return false;
}

// Number of inputs, from this one on, that hold the same body value in consecutive copies.
size_t UseSearch::RunFrom(const ir::Node& node, size_t input, int64_t& step) const {
  if (!ops::TraitsOf(node).joins) return 1;
  const Position* first = PositionOf(node.inputs[input]);
  size_t count = 1;
  while (input + count < node.inputs.size()) {
    const Position* position = PositionOf(node.inputs[input + count]);
    if (position == nullptr || position->body != first->body) break;
    const int64_t distance = position->copy - first->copy;
    if (count == 1 && (distance == 1 || distance == -1)) step = distance;
    if (distance != step * static_cast<int64_t>(count)) break;
    ++count;
  }
  return count;
}

void UseSearch::AddUsesOf(ir::Node& node) {
  for (size_t input = 0; input < node.inputs.size();) {
    const Position* position = PositionOf(node.inputs[input]);
    if (position == nullptr) {
      ++input;
      continue;
    }
    Use use = {.reader = &node, .input = input, .body = position->body, .first = position->copy};
    use.count = RunFrom(node, input, use.step);
    if (use.count > 1) {
      const int64_t axis = Quiet<ops::Attributes>(graph_, node).Int("axis", 0);
      use.axis = axis + (axis < 0 ? std::ssize(TypeOf(node.inputs[input]).dims) : 0);
    }
    input += use.count;
    found_.uses.push_back(use);
  }
}

// Returns true if no value that the loop reads depends on a value that it computes.
bool UseSearch::NeedsNothingOfItsOwn() const {
  std::vector<bool> depends(static_cast<size_t>(values_.size()), false);
  for (int value = 0; value < values_.size(); ++value) {
    const auto at = static_cast<size_t>(value);
    depends[at] = made_.contains(value);
    for (const int input : values_[value].inputs) {
      depends[at] = depends[at] || depends[static_cast<size_t>(input)];
    }
  }
  const auto is_outside = [&](int value) {
    if (value == kNoValue || depends[static_cast<size_t>(value)]) return false;
    return values_[value].constant || values_[value].source.node != nullptr;
  };
  for (const BodyValue& value : period_.values) {
    const bool is_read =
        value.kind == BodyValue::Kind::kInvariant || value.kind == BodyValue::Kind::kSliced;
    if (is_read && !is_outside(value.value)) return false;
  }
  for (size_t state = 0; state < period_.states.size(); ++state) {
    if (!is_outside(copies_.Initial(state))) return false;
  }
  return true;
}

}  // namespace

Uses UsesOf(const ir::Graph& graph, const ValueTable& values, const Period& period,
            const Copies& copies) {
  return UseSearch(graph, values, period, copies).Run();
}

}  // namespace weft::graph
