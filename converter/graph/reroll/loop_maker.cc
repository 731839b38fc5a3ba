// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/loop_maker.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/reroll/uses.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"

namespace weft::graph {

ir::Source BodyMaker::Input(const TensorType& type, const ir::Source& outside,
                            const ir::Node& like) {
  ir::Node* parameter = NewParameter(body(), like);
  parameter->outputs[0].type = type;
  parameter->outputs[0].declared = true;
  const auto known = std::ranges::find(loop_.inputs, outside);
  const auto input = static_cast<size_t>(known - loop_.inputs.begin());
  if (known == loop_.inputs.end()) ir::AddInput(loop_, outside);
  map().inputs.push_back({.parameter = parameter, .input = input});
  return {parameter, 0};
}

ir::Source BodyMaker::Computed(const Value& made, const ir::Node& like,
                               const std::vector<ir::Source>& inputs) {
  if (made.kind != Value::Kind::kOperation) {
    const ir::Source moved =
        made.kind == Value::Kind::kReshape
            ? NewReshape(body(), like, inputs[0], made.type.dims)
            : NewSlice(body(), like, inputs[0],
                       {{made.begin}, {made.begin + made.part}, {1}, {made.axis}});
    moved.node->outputs[0].type = made.type;
    return moved;
  }
  std::vector<Port> ports;
  for (const ir::Source& input : inputs) ports.emplace_back(input.node, input.port);
  ir::Node*& node = nodes_[{made.form, std::move(ports)}];
  if (node == nullptr) {
    body().nodes.push_back(ir::CopyOf(*made.source.node));
    node = body().nodes.back().get();
    node->inputs = inputs;
    for (ir::OutputPort& output : node->outputs) {
      output.names.clear();
      output.declared = false;
    }
    node->declared_inputs.clear();
  }
  return {node, made.port};
}

namespace {

class LoopMaker {
 public:
  LoopMaker(ir::Graph& graph, const ValueTable& values, const Period& period, const Copies& copies)
      : graph_(graph),
        values_(values),
        period_(period),
        copies_(copies),
        uses_(UsesOf(graph, values, period, copies)) {}

  Gain GainOf() const;
  void Run();

 private:
  using ScanKey = std::tuple<int, int64_t, bool>;  // body value, axis, backward

  const BodyValue& At(int body) const { return period_.values[static_cast<size_t>(body)]; }
  ir::Source Inside(int body) const { return inside_[static_cast<size_t>(body)]; }
  ir::Graph& body() { return maker_->body(); }
  ir::PortMap& map() { return maker_->map(); }

  bool IsWhole(const Use& use) const;
  bool IsLast(const Use& use) const { return use.count == 1 && use.first == copies_.last(); }
  bool CanStore(int series) const;
  bool CanStoreSeries() const;
  const ir::Node& Like(int body) const;
  void MakeBody();
  ir::Source MakeLeaf(int at);
  ir::Source MakeSliced(const BodyValue& value, const ir::Node& like);
  ir::Source MakeSeries(int at, const ir::Node& like);
  ir::Source MakeNode(int at);
  ir::Source Outside(int value, const TensorType& type);
  void CloseStates();
  ir::Node* ResultOf(int body);
  ir::Source ScanOf(const Use& use);
  ir::Source LastOf(int body);
  ir::Source SourceOf(const Use& use);
  void Redirect(const Use& use, const ir::Source& source);

  ir::Graph& graph_;
  const ValueTable& values_;
  const Period& period_;
  const Copies& copies_;
  const Uses uses_;
  ir::Node* loop_ = nullptr;
  std::optional<BodyMaker> maker_;
  std::vector<ir::Source> inside_;    // by body value
  std::map<int, ir::Node*> results_;  // by body value
  std::map<ScanKey, ir::Source> scans_;
  std::map<int, ir::Source> lasts_;
};

void LoopMaker::Run() {
  loop_ = NewTensorIterator(graph_, Like(period_.states[0].next));
  maker_.emplace(*loop_);
  MakeBody();
  CloseStates();
  // Starts with the last inputs of a reader, so that the indices of the others stay valid.
  for (const Use& use : std::views::reverse(uses_.uses)) Redirect(use, SourceOf(use));
}

bool LoopMaker::IsWhole(const Use& use) const {
  return use.count > 1 && static_cast<int64_t>(use.count) == copies_.trips();
}

// Each use that extracts elements from the joined values of all iterations costs a step.
Gain LoopMaker::GainOf() const {
  if (!uses_.possible || uses_.uses.empty() || !CanStoreSeries()) return {};
  int64_t cost = 0;
  for (const Use& use : uses_.uses) {
    if (!IsWhole(use) && !IsLast(use)) ++cost;
  }
  const bool is_clean = cost == 0;
  for (const BodyValue& value : period_.values) {
    if (value.kind != BodyValue::Kind::kOperation) continue;
    if (!ops::TraitsOf(*values_[value.value].source.node).free) ++cost;
  }
  return {2 * cost <= uses_.operations ? uses_.operations - cost : 0, is_clean};
}

// Returns true if storing the constants of all copies one by one is worthwhile. If most of them are
// equal, the file would grow.
bool LoopMaker::CanStore(int series) const {
  std::set<int> distinct;
  for (int64_t copy = copies_.first(); copy <= copies_.last(); ++copy) {
    distinct.insert(copies_.At(copy, series));
  }
  const bool is_number = ElementCount(At(series).type.dims) == 1;
  const bool grows = 2 * copies_.trips() > 3 * std::ssize(distinct);
  return !distinct.contains(kNoValue) && (is_number || !grows);
}

bool LoopMaker::CanStoreSeries() const {
  for (size_t at = 0; at < period_.values.size(); ++at) {
    const bool is_series = period_.values[at].kind == BodyValue::Kind::kSeries;
    if (is_series && !CanStore(static_cast<int>(at))) return false;
  }
  return true;
}

// The layer that represents a body value in messages.
const ir::Node& LoopMaker::Like(int body) const {
  for (int value = At(body).value;;) {
    const Value& found = values_[value];
    if (found.source.node != nullptr) return *found.source.node;
    value = found.inputs[0];
  }
}

void LoopMaker::MakeBody() {
  for (size_t i = 0; i < period_.values.size(); ++i) {
    const int at = static_cast<int>(i);
    inside_.push_back(At(at).computed() ? MakeNode(at) : MakeLeaf(at));
  }
}

// A value from before the loop with the dims of the body's state.
ir::Source LoopMaker::Outside(int value, const TensorType& type) {
  const Value& found = values_[value];
  ir::Source source = found.source;
  if (source.node == nullptr) source = NewConstant(graph_, *loop_, *found.constant);
  return found.type.dims == type.dims ? source : NewBroadcast(graph_, *loop_, source, type.dims);
}

ir::Source LoopMaker::MakeLeaf(int at) {
  const BodyValue& value = At(at);
  const ir::Node& like = Like(at);
  if (value.kind == BodyValue::Kind::kSliced) return MakeSliced(value, like);
  if (value.kind == BodyValue::Kind::kSeries) return MakeSeries(at, like);
  if (value.kind == BodyValue::Kind::kState) {
    return maker_->Input(value.type, Outside(copies_.Initial(value.state), value.type), like);
  }
  const Value& found = values_[value.value];
  if (found.constant) return NewConstant(body(), like, *found.constant);
  return maker_->Input(value.type, found.source, like);
}

ir::Source LoopMaker::MakeSliced(const BodyValue& value, const ir::Node& like) {
  const ir::Source parameter = maker_->Input(value.type, values_[value.value].source, like);
  const int64_t dim = values_[value.value].type.dims[static_cast<size_t>(value.axis)];
  const int64_t a = value.begin + value.step * copies_.first();
  const int64_t b = value.begin + value.step * copies_.last();
  const int64_t begin = std::min(a, b), after_end = std::max(a, b) + value.part - dim - 1;
  ir::ChunkRange range = ir::WholeRange(value.axis, value.part, value.step < 0);
  range.start = range.backward() ? after_end : begin;
  range.end = range.backward() ? begin : after_end;
  map().inputs.back().range = range;
  return parameter;
}

// One row per iteration.
ir::Source LoopMaker::MakeSeries(int at, const ir::Node& like) {
  std::vector<std::byte> bytes;
  for (int64_t copy = copies_.first(); copy <= copies_.last(); ++copy) {
    const std::span<const std::byte> row = values_[copies_.At(copy, at)].constant->bytes;
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  TensorType type = At(at).type;
  type.dims.insert(type.dims.begin(), copies_.trips());
  const ir::Source all = NewConstant(graph_, *loop_, ir::OwnedConstant(type, std::move(bytes)));
  type.dims[0] = 1;
  const ir::Source row = maker_->Input(type, all, like);
  map().inputs.back().range = ir::WholeRange(0, 1, /*backward=*/false);
  return NewReshape(body(), like, row, At(at).type.dims);
}

ir::Source LoopMaker::MakeNode(int at) {
  std::vector<ir::Source> inputs;
  for (const int input : At(at).inputs) inputs.push_back(Inside(input));
  return maker_->Computed(values_[At(at).value], Like(at), inputs);
}

ir::Node* LoopMaker::ResultOf(int body_value) {
  ir::Node*& result = results_[body_value];
  if (result == nullptr) result = NewResult(body(), *loop_, Inside(body_value));
  return result;
}

void LoopMaker::CloseStates() {
  for (const BodyState& state : period_.states) {
    map().InputOf(*Inside(state.parameter).node)->next = ResultOf(state.next);
  }
}

// A scalar is unsqueezed first, because it has no axis to join along.
ir::Source LoopMaker::ScanOf(const Use& use) {
  ir::Source& scan = scans_[{use.body, use.axis, use.backward()}];
  if (scan.node != nullptr) return scan;
  TensorType type = At(use.body).type;
  ir::Node* result = nullptr;
  if (type.dims.empty()) {
    type.dims = {1};
    result = NewResult(body(), *loop_, NewReshape(body(), *loop_, Inside(use.body), {1}));
  } else {
    result = ResultOf(use.body);
  }
  int64_t& dim = type.dims[static_cast<size_t>(use.axis)];
  const size_t output = ir::AddOutput(*loop_, *result);
  map().outputs.back().range = ir::WholeRange(use.axis, dim, use.backward());
  dim *= copies_.trips();
  loop_->outputs.back().type = type;
  scan = {loop_, Narrow32(output, "output")};
  return scan;
}

ir::Source LoopMaker::LastOf(int body_value) {
  ir::Source& last = lasts_[body_value];
  if (last.node == nullptr) {
    const size_t output = ir::AddOutput(*loop_, *ResultOf(body_value));
    loop_->outputs.back().type = At(body_value).type;
    last = {loop_, Narrow32(output, "output")};
  }
  return last;
}

ir::Source LoopMaker::SourceOf(const Use& use) {
  if (IsLast(use)) return LastOf(use.body);
  const ir::Source scan = ScanOf(use);
  if (IsWhole(use)) return scan;
  const Dims& dims = At(use.body).type.dims;
  const int64_t part = dims.empty() ? 1 : dims[static_cast<size_t>(use.axis)];
  const int64_t skipped = use.backward() ? copies_.last() - use.first : use.first - copies_.first();
  const int64_t begin = skipped * part, end = begin + static_cast<int64_t>(use.count) * part;
  const ir::Source slice = NewSlice(graph_, *loop_, scan, {{begin}, {end}, {1}, {use.axis}});
  return dims.empty() ? NewReshape(graph_, *loop_, slice, {}) : slice;
}

void LoopMaker::Redirect(const Use& use, const ir::Source& source) {
  ir::Node& reader = *use.reader;
  std::vector<std::string>& names = source.node->outputs[source.port].names;
  if (use.count > 1) {
    const auto first = reader.inputs.begin() + static_cast<std::ptrdiff_t>(use.input);
    reader.inputs.erase(first + 1, first + static_cast<std::ptrdiff_t>(use.count));
    reader.declared_inputs.clear();
    reader.inputs[use.input] = source;
    if (reader.inputs.size() == 1 && names.empty()) ir::HandOver(graph_, {&reader, 0}, source);
    return;
  }
  const ir::Source before = reader.inputs[use.input];
  if (names.empty()) names = before.node->outputs[before.port].names;
  reader.inputs[use.input] = source;
}

}  // namespace

Gain GainOfLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                const Copies& copies) {
  return LoopMaker(graph, values, period, copies).GainOf();
}

void ReplaceByLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                   const Copies& copies) {
  LoopMaker(graph, values, period, copies).Run();
}

}  // namespace weft::graph
