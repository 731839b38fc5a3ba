// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN as cells and as sequences. A sequence is lowered as a loop over cells; the
// hoisting pass moves loop-invariant steps out of it.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/cell.h"
#include "converter/ops/support/loop.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using program::kNone;
using program::ValueId;

// Input indices of a recurrent operation.
struct Layout {
  CellKind kind;
  bool sequence;
  bool merged;  // LSTMCell of the oldest form: one matrix [4 * hidden, inputs + hidden]
  size_t lengths, w, r, b;
  size_t peepholes() const { return b + 1; }  // of the first version of an LSTM
};

template <CellKind kKind, bool kSequence>
Layout LayoutOf(const NodeScope& scope) {
  const size_t after_states = 1 + StateCount(kKind);
  Layout layout{kKind, kSequence, false, after_states, 0, 0, 0};
  layout.w = after_states + (kSequence ? 1 : 0);
  layout.merged =
      kKind == CellKind::kLstm && !kSequence && scope.input_count() == 5 && scope.rank(4) == 1;
  layout.r = layout.merged ? layout.w : layout.w + 1;
  layout.b = layout.r + 1;
  return layout;
}

// Everything that shapes and attributes define, read by the shape rule and by the lowering.
struct Recurrent {
  Layout layout;
  CellShape cell;         // of the first direction
  CellShape second_cell;  // of the second one: other activations
  int64_t directions = 1, steps = 1;
  bool backward_only = false;

  const CellShape& CellOf(int64_t direction) const { return direction == 0 ? cell : second_cell; }
};

void CheckDims(NodeScope& scope, size_t input, std::string_view what, const Dims& must) {
  if (scope.input_dims(input) != must) {
    scope.Fault("input {} ({}) is {}; must be {}", input, what, ToString(scope.input_type(input)),
                ToString(must));
  }
}

// Checks W, R and B against the cell; for a sequence their first axis is the directions.
void CheckWeights(NodeScope& scope, const Recurrent& recurrent) {
  const Layout& layout = recurrent.layout;
  const CellShape& cell = recurrent.cell;
  const int64_t gates = GateCount(layout.kind) * cell.hidden;
  const int64_t biases = cell.linear_before_reset ? gates + cell.hidden : gates;
  const auto with_lead = [&](Dims dims) {
    if (layout.sequence) dims.insert(dims.begin(), recurrent.directions);
    return dims;
  };
  if (layout.merged) {
    CheckDims(scope, layout.w, "weights", {gates, cell.inputs + cell.hidden});
  } else {
    CheckDims(scope, layout.w, "W", with_lead({gates, cell.inputs}));
    CheckDims(scope, layout.r, "R", with_lead({gates, cell.hidden}));
  }
  if (scope.has_input(layout.b)) CheckDims(scope, layout.b, "B", with_lead({biases}));
  if (layout.merged && scope.constant(layout.w) == nullptr) {
    scope.FaultComputed(layout.w, "merged weights");
  }
}

void ReadDirection(NodeScope& scope, Recurrent& recurrent) {
  if (!recurrent.layout.sequence) return;
  static constexpr std::array<std::string_view, 3> kAllowed = {"forward", "reverse",
                                                               "bidirectional"};
  const std::string direction = scope.attributes.Choice("direction", "forward", kAllowed);
  recurrent.directions = direction == "bidirectional" ? 2 : 1;
  recurrent.backward_only = direction == "reverse";
}

Recurrent Read(NodeScope& scope, const Layout& layout) {
  Recurrent recurrent;
  recurrent.layout = layout;
  CellShape& cell = recurrent.cell;
  cell.kind = layout.kind;
  ReadDirection(scope, recurrent);
  const int64_t x_rank = layout.sequence ? 3 : 2;
  if (scope.rank(0) != x_rank || scope.rank(1) != x_rank) {
    scope.Fault("X is {} and the hidden state {}; both must have rank {}",
                ToString(scope.input_type(0)), ToString(scope.input_type(1)), x_rank);
    return recurrent;
  }
  cell.batch = scope.input_dims(0).front();
  cell.inputs = scope.input_dims(0).back();
  cell.hidden = scope.attributes.Int("hidden_size", scope.input_dims(1).back());
  // Keeps the sizes of gate products in range.
  constexpr int64_t kMaxHidden = std::numeric_limits<int32_t>::max();
  if (cell.hidden < 0 || cell.hidden > kMaxHidden) {
    scope.Fault("hidden_size is {}; must be from 0 to {}", cell.hidden, kMaxHidden);
    return recurrent;
  }
  recurrent.steps = layout.sequence ? scope.input_dims(0)[1] : 1;
  cell.linear_before_reset =
      layout.kind == CellKind::kGru && scope.attributes.Bool("linear_before_reset", false);
  recurrent.second_cell = cell;
  ReadActivations(scope, 0, recurrent.directions, cell);
  if (recurrent.directions == 2) ReadActivations(scope, 1, 2, recurrent.second_cell);
  const Dims state = layout.sequence ? Dims{cell.batch, recurrent.directions, cell.hidden}
                                     : Dims{cell.batch, cell.hidden};
  CheckDims(scope, 1, "hidden state", state);
  if (layout.kind == CellKind::kLstm) CheckDims(scope, 2, "cell state", state);
  if (layout.sequence) CheckDims(scope, layout.lengths, "sequence lengths", {cell.batch});
  if (recurrent.steps < 1)
    scope.Fault("the time axis has length {}; must be at least 1", recurrent.steps);
  CheckWeights(scope, recurrent);
  return recurrent;
}

// Zero peepholes, as written by the ONNX frontend and old frontends, count as absent.
bool HasPeepholes(const NodeScope& scope, const Layout& layout) {
  if (layout.kind != CellKind::kLstm || !scope.has_input(layout.peepholes())) return false;
  const std::optional<std::vector<double>> values = scope.Numbers(layout.peepholes());
  return !values || std::ranges::any_of(*values, [](double value) { return value != 0; });
}

void CheckFirstVersion(NodeScope& scope, const Recurrent& recurrent) {
  const Layout& layout = recurrent.layout;
  if (scope.has_input(layout.peepholes())) {
    Dims dims = {3 * recurrent.cell.hidden};
    if (layout.sequence) dims.insert(dims.begin(), recurrent.directions);
    CheckDims(scope, layout.peepholes(), "P", dims);
  }
  if (scope.attributes.Bool("input_forget", false)) {
    scope.Fault("input_forget is true; must be false, because coupled gates are not supported");
  }
  // OpenVINO ignores the attribute and assumes this gate order.
  constexpr std::string_view kGateOrders[] = {"fico"};
  scope.attributes.Choice("weights_format", kGateOrders[0], kGateOrders);
}

template <CellKind kKind, bool kSequence>
void InferRecurrent(InferScope& scope) {
  const Recurrent recurrent = Read(scope, LayoutOf<kKind, kSequence>(scope));
  if (kKind == CellKind::kLstm) CheckFirstVersion(scope, recurrent);
  if (scope.failed()) return;
  const CellShape& cell = recurrent.cell;
  const ElementType type = scope.input_element(0);
  if (!kSequence) {
    for (size_t i = 0; i < StateCount(kKind); ++i)
      scope.SetOutput(i, type, {cell.batch, cell.hidden});
    return;
  }
  scope.SetOutput(0, type, {cell.batch, recurrent.directions, recurrent.steps, cell.hidden});
  for (size_t i = 1; i <= StateCount(kKind); ++i) {
    scope.SetOutput(i, type, {cell.batch, recurrent.directions, cell.hidden});
  }
}

// Part `index` of `count` equal parts.
CodedFloats PartOf(const ir::Constant& constant, int64_t index, int64_t count) {
  const CodedFloats all = CodedFloatsOf(constant);
  const size_t size = all.floats.size() / static_cast<size_t>(count);
  return all.Part(size * static_cast<size_t>(index), size);
}

CellWeights WeightsOf(LowerScope& scope, const Recurrent& recurrent, int64_t direction) {
  const Layout& layout = recurrent.layout;
  const CellShape& cell = recurrent.cell;
  const auto gates = static_cast<size_t>(GateCount(layout.kind) * cell.hidden);
  CellWeights weights;
  if (scope.has_input(layout.b)) {
    weights.b = PartOf(*scope.constant(layout.b), direction, recurrent.directions).floats;
  } else {
    weights.b.assign(gates + (cell.linear_before_reset ? static_cast<size_t>(cell.hidden) : 0),
                     0.0f);
  }
  if (!layout.merged) {
    weights.w = PartOf(*scope.constant(layout.w), direction, recurrent.directions);
    weights.r = PartOf(*scope.constant(layout.r), direction, recurrent.directions);
    return weights;
  }
  const auto columns = [&](int64_t first, int64_t count) {
    return [first, count, width = cell.inputs + cell.hidden](const std::vector<float>& both) {
      std::vector<float> part;
      for (auto row = both.begin(); row != both.end(); row += width) {
        part.insert(part.end(), row + first, row + first + count);
      }
      return part;
    };
  };
  const CodedFloats both = CodedFloatsOf(*scope.constant(layout.w));
  weights.w = both.Arranged(columns(0, cell.inputs));
  weights.r = both.Arranged(columns(cell.inputs, cell.hidden));
  return weights;
}

// The part of a run-time input that belongs to one direction.
ValueId DirectionOf(LowerScope& scope, const Recurrent& recurrent, size_t input,
                    int64_t direction) {
  const ValueId all = scope.input(input);
  TensorType type = scope.builder.value(all).type;
  if (recurrent.layout.sequence) type.dims.erase(type.dims.begin());
  const int64_t bytes = scope.builder.value(all).bytes / recurrent.directions;
  return scope.builder.View(all, direction * bytes, std::move(type));
}

PackedCell PackedMatrices(LowerScope& scope, const Recurrent& recurrent, int64_t direction) {
  const Layout& layout = recurrent.layout;
  const bool biased = scope.has_input(layout.b);
  if (scope.constant(layout.w) != nullptr && scope.constant(layout.r) != nullptr &&
      (!biased || scope.constant(layout.b) != nullptr)) {
    return Pack(scope.builder, recurrent.cell, WeightsOf(scope, recurrent, direction));
  }
  return Gather(scope.builder, recurrent.cell, DirectionOf(scope, recurrent, layout.w, direction),
                DirectionOf(scope, recurrent, layout.r, direction),
                biased ? DirectionOf(scope, recurrent, layout.b, direction) : kNone);
}

PackedCell PackedWeights(LowerScope& scope, const Recurrent& recurrent, int64_t direction) {
  PackedCell packed = PackedMatrices(scope, recurrent, direction);
  if (HasPeepholes(scope, recurrent.layout)) {
    packed.peepholes = DirectionOf(scope, recurrent, recurrent.layout.peepholes(), direction);
  }
  return packed;
}

template <CellKind kKind>
void LowerCell(LowerScope& scope) {
  const Recurrent recurrent = Read(scope, LayoutOf<kKind, false>(scope));
  const PackedCell packed = PackedWeights(scope, recurrent, 0);
  std::vector<ValueId> states;
  for (size_t i = 0; i < StateCount(kKind); ++i) states.push_back(scope.input(1 + i));
  states = EmitCell(scope.builder, recurrent.cell, packed, scope.input(0), states);
  for (size_t i = 0; i < states.size(); ++i) scope.SetOutput(i, states[i]);
}

// Lowers one sequence, one direction after the other.
class SequenceLowering {
 public:
  SequenceLowering(LowerScope& scope, const Recurrent& recurrent)
      : scope_(scope), builder_(scope.builder), recurrent_(recurrent), cell_(recurrent.cell) {}

  void Run() {
    PrepareInput();
    PrepareMask();
    PrepareOutputs();
    for (int64_t direction = 0; direction < recurrent_.directions; ++direction)
      RunDirection(direction);
    if (y_ != kNone) scope_.SetOutput(0, y_);
    for (size_t i = 0; i < finals_.size(); ++i) scope_.SetOutput(1 + i, finals_[i]);
  }

 private:
  bool backward(int64_t direction) const { return recurrent_.backward_only || direction == 1; }
  TensorType FloatType(Dims dims) const { return {ElementType::f32, std::move(dims)}; }

  // Transposes the input to time-major, once for both directions.
  void PrepareInput();
  // mask[t, b] = t < lengths[b]; omitted if every length is known to equal the extent of the axis.
  void PrepareMask();
  void PrepareOutputs();
  void RunDirection(int64_t direction);
  ValueId InitialState(size_t state, int64_t direction);
  ValueId Select(ValueId mask, ValueId yes, ValueId no);
  void Position(ValueId scan, const std::vector<ValueId>& lasts, int64_t direction);

  LowerScope& scope_;
  program::Builder& builder_;
  const Recurrent& recurrent_;
  const CellShape& cell_;
  ValueId x_ = kNone, mask_ = kNone, any_ = kNone, zeros_ = kNone;
  const bool gathers_ = scope_.IsUsed(0);
  ValueId y_ = kNone, whole_ = kNone;
  std::vector<ValueId> finals_;
};

void SequenceLowering::PrepareInput() {
  x_ = scope_.input(0);
  const int64_t batch = cell_.batch, steps = recurrent_.steps, inputs = cell_.inputs;
  const TensorType time_first = FloatType({steps, batch, inputs});
  if (batch == 1) {
    x_ = builder_.View(x_, 0, time_first);
    return;
  }
  const ValueId moved = builder_.Scratch(time_first);
  builder_.CopyStrided(x_, moved, {steps, batch, inputs}, {inputs, steps * inputs, 1}, 0,
                       {batch * inputs, inputs, 1}, 0);
  x_ = moved;
}

void SequenceLowering::PrepareMask() {
  const size_t input = recurrent_.layout.lengths;
  const std::optional<Dims> known = scope_.Ints(input);
  const auto whole = [&](int64_t length) { return length == recurrent_.steps; };
  if (known && std::all_of(known->begin(), known->end(), whole)) return;
  const int64_t steps = recurrent_.steps, batch = cell_.batch;
  const ValueId times = IndexSequence(builder_, scope_.input_element(input), steps);
  const ValueId lengths = scope_.input(input);
  mask_ = builder_.Scratch({ElementType::boolean, {steps, batch}});
  EmitCompare(builder_, format::CompareOp::less, {times, {steps, 1}}, {lengths, {1, batch}}, mask_);
  // mask[0, b] = 0 < lengths[b]: a row of length 0 ends in zeros, not in its initial state.
  any_ = builder_.View(mask_, 0, {ElementType::boolean, {cell_.batch}});
  zeros_ = builder_.WeightsOf<float>({ElementType::f32, {1}}, {0.0f});
}

void SequenceLowering::PrepareOutputs() {
  const int64_t directions = recurrent_.directions;
  for (size_t i = 0; i < StateCount(cell_.kind); ++i) {
    finals_.push_back(directions == 1
                          ? kNone
                          : builder_.Scratch(FloatType({cell_.batch, directions, cell_.hidden})));
  }
  if (directions == 1 || !gathers_) return;
  const TensorType type = FloatType({cell_.batch, directions, recurrent_.steps, cell_.hidden});
  if (cell_.batch != 1) {
    y_ = builder_.Scratch(type);
    return;
  }
  // One buffer for both directions: the halo of the forward state precedes it, that of the backward
  // state follows it.
  whole_ = builder_.Scratch(FloatType({2 * recurrent_.steps + 2, cell_.hidden}));
  y_ = builder_.View(whole_, cell_.hidden * int64_t{sizeof(float)}, type);
}

ValueId SequenceLowering::InitialState(size_t state, int64_t direction) {
  const ValueId all = scope_.input(1 + state);
  const TensorType type = FloatType({cell_.batch, cell_.hidden});
  const int64_t row = recurrent_.directions * cell_.hidden;
  if (recurrent_.directions == 1) return builder_.View(all, 0, type);
  if (cell_.batch == 1) {
    return builder_.View(all, direction * cell_.hidden * int64_t{sizeof(float)}, type);
  }
  const ValueId own = builder_.Scratch(type);
  builder_.CopyStrided(all, own, {cell_.batch, cell_.hidden}, {row, 1}, direction * cell_.hidden,
                       {cell_.hidden, 1}, 0);
  return own;
}

ValueId SequenceLowering::Select(ValueId mask, ValueId yes, ValueId no) {
  const Dims dims = {cell_.batch, cell_.hidden};
  const ValueId y = builder_.Scratch(FloatType(dims));
  EmitSelect(builder_, {mask, {cell_.batch, 1}}, {yes, dims},
             {no, no == zeros_ ? Dims{1, 1} : dims}, {y, dims});
  return y;
}

void SequenceLowering::RunDirection(int64_t direction) {
  const size_t states = StateCount(cell_.kind);
  const PackedCell packed = PackedWeights(scope_, recurrent_, direction);
  LoopSpec spec;
  spec.trips = recurrent_.steps;
  spec.sliced.push_back({x_, 0, 1, backward(direction)});
  if (mask_ != kNone) spec.sliced.push_back({mask_, 0, 1, backward(direction)});
  for (size_t i = 0; i < states; ++i) {
    spec.carried.push_back({InitialState(i, direction), i});
    spec.lasts.push_back({i, builder_.value(spec.carried.back().initial).type});
  }
  // After the end of a row its output is zero while its state stays unchanged, so that they are
  // separate results.
  const size_t scanned = mask_ == kNone ? 0 : states;
  const TensorType gathered = FloatType({recurrent_.steps, cell_.batch, cell_.hidden});
  if (gathers_) spec.scans.push_back({scanned, 0, backward(direction), gathered});
  if (whole_ != kNone && mask_ == kNone) {
    spec.scans[0].whole = whole_;
    spec.scans[0].base_bytes =
        (1 + direction * recurrent_.steps) * cell_.hidden * int64_t{sizeof(float)};
  }
  const auto body = [&](const Iteration& iteration) {
    const ValueId x = builder_.View(iteration.slices[0], 0, FloatType({cell_.batch, cell_.inputs}));
    std::vector<ValueId> results =
        EmitCell(builder_, recurrent_.CellOf(direction), packed, x, iteration.states);
    if (mask_ == kNone) return results;
    const ValueId y = gathers_ ? Select(iteration.slices[1], results[0], zeros_) : kNone;
    for (size_t i = 0; i < states; ++i) {
      results[i] = Select(iteration.slices[1], results[i], iteration.states[i]);
    }
    if (gathers_) results.push_back(y);
    return results;
  };
  const LoopResults out = LowerLoop(builder_, spec, body);
  Position(gathers_ ? out.scans[0] : kNone, out.lasts, direction);
}

void SequenceLowering::Position(ValueId scan, const std::vector<ValueId>& lasts,
                                int64_t direction) {
  const int64_t batch = cell_.batch, steps = recurrent_.steps, hidden = cell_.hidden;
  const int64_t directions = recurrent_.directions;
  for (size_t i = 0; i < lasts.size(); ++i) {
    const ValueId last = mask_ == kNone ? lasts[i] : Select(any_, lasts[i], zeros_);
    if (directions == 1) {
      finals_[i] = builder_.View(last, 0, FloatType({batch, 1, hidden}));
    } else {
      builder_.CopyStrided(last, finals_[i], {batch, hidden}, {hidden, 1}, 0,
                           {directions * hidden, 1}, direction * hidden);
    }
  }
  if (!gathers_) return;
  if (directions == 1 && batch == 1) {
    y_ = builder_.View(scan, 0, FloatType({1, 1, steps, hidden}));
    return;
  }
  if (whole_ != kNone && mask_ == kNone) return;  // gathered where it belongs
  if (y_ == kNone) y_ = builder_.Scratch(FloatType({batch, 1, steps, hidden}));
  builder_.CopyStrided(scan, y_, {batch, steps, hidden}, {hidden, batch * hidden, 1}, 0,
                       {directions * steps * hidden, hidden, 1}, direction * steps * hidden);
}

template <CellKind kKind>
void LowerSequence(LowerScope& scope) {
  const Recurrent recurrent = Read(scope, LayoutOf<kKind, true>(scope));
  SequenceLowering(scope, recurrent).Run();
}

// The rows of a batch are independent in a cell.
void CellAxes(AxisScope& scope) {
  const bool two_states = scope.node().outputs.size() == 2;
  AxisGroup group = {{false, 0, 0}, {false, 1, 0}, {true, 0, 0}};
  if (two_states) group.insert(group.end(), {{false, 2, 0}, {true, 1, 0}});
  scope.relation.groups.push_back(std::move(group));
  scope.relation.reason = "has time in its inputs or weights";
}

// The rows of a batch are independent in a sequence; each has one entry in the lengths.
void SequenceAxes(AxisScope& scope) {
  scope.Pair(0, 1, 0, 2);
  const size_t states = scope.node().operation->traits.sequence_states;
  AxisGroup rows = {{false, 0, 0}, {false, 1 + states, 0}, {true, 0, 0}};
  for (size_t i = 1; i <= states; ++i) rows.insert(rows.end(), {{false, i, 0}, {true, i, 0}});
  scope.relation.groups.push_back(std::move(rows));
  scope.relation.reason = "has time in its states or weights, or iterates over another axis";
}

constexpr Traits kCell = {.axes = CellAxes, .heavy = true, .multiplied = 2};
constexpr Traits kExtensionCell = {
    .axes = CellAxes, .heavy = true, .multiplied = 2, .is_extension = true};
constexpr Traits Iterates(size_t states, std::string_view cell) {
  return {.axes = SequenceAxes,
          .sequence_states = states,
          .cell = cell,
          .heavy = true,
          .multiplied = 1};
}

constexpr Operation kRecurrentRows[] = {
    {"LSTMCell", 1, 5, 7, InferRecurrent<CellKind::kLstm, false>, LowerCell<CellKind::kLstm>,
     kCell},
    {"LSTMCell", 4, 5, 6, InferRecurrent<CellKind::kLstm, false>, LowerCell<CellKind::kLstm>,
     kCell},
    {"GRUCell", 3, 4, 5, InferRecurrent<CellKind::kGru, false>, LowerCell<CellKind::kGru>,
     kExtensionCell},
    {"RNNCell", 1, 4, 5, InferRecurrent<CellKind::kRnn, false>, LowerCell<CellKind::kRnn>,
     kExtensionCell},
    {"LSTMSequence", 1, 6, 8, InferRecurrent<CellKind::kLstm, true>, LowerSequence<CellKind::kLstm>,
     Iterates(2, "LSTMCell")},
    {"LSTMSequence", 5, 7, 7, InferRecurrent<CellKind::kLstm, true>, LowerSequence<CellKind::kLstm>,
     Iterates(2, "LSTMCell")},
    {"GRUSequence", 5, 6, 6, InferRecurrent<CellKind::kGru, true>, LowerSequence<CellKind::kGru>,
     Iterates(1, "GRUCell")},
    {"RNNSequence", 5, 6, 6, InferRecurrent<CellKind::kRnn, true>, LowerSequence<CellKind::kRnn>,
     Iterates(1, "RNNCell")},
};

}  // namespace

std::span<const Operation> RecurrentOperations() { return kRecurrentRows; }

}  // namespace weft::ops
