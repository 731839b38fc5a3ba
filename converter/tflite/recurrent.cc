// SPDX-License-Identifier: Apache-2.0
// Recurrent operators in f32, also with int8 weights: sequences and cells of the IR. Their states
// are variable tensors, which keep their values from call to call.
#include <array>
#include <optional>
#include <string_view>

#include "converter/tflite/builder.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/quantised_recurrent.h"

namespace weft::tflite {
namespace {

// Positions of the inputs of one direction. The gates of the file are in the order input, forget,
// cell, output.
struct LstmInputs {
  size_t w = 1, r = 5, peepholes = 9, biases = 12, projection = 16, hidden = 18, cell = 19,
         normalisation = 20;
};
constexpr std::array<size_t, 4> kForgetFirst = {1, 0, 2, 3};  // the order of the IR
constexpr size_t kInputGate = 0, kForgetGate = 1, kGates = 4;

struct CellOptions {
  schema::Activation activation;
  float cell_clip, projection_clip;
};

ir::Source Unsqueezed(Builder& b, ir::Source x, int64_t axis) {
  return b.Add("Unsqueeze", "opset1", {}, {x, b.Ints(std::array{axis})});
}

ir::Source Squeezed(Builder& b, ir::Source x, int64_t axis) {
  return b.Add("Squeeze", "opset1", {}, {x, b.Ints(std::array{axis})});
}

ir::Source Joined(Builder& b, const Sources& parts, int64_t axis) {
  return b.Add("Concat", "opset1", {{"axis", std::to_string(axis)}}, parts);
}

// [batch, time, features] of either order.
ir::Source BatchFirst(Builder& b, ir::Source x, bool is_time_major) {
  constexpr std::array<int64_t, 3> kSwap = {1, 0, 2};
  return is_time_major ? b.Transposed(x, kSwap) : x;
}

// The number of steps, for each sequence of x.
ir::Source LengthsOf(Builder& b, ir::Source x) {
  const ir::Source shape = b.Add("ShapeOf", "opset3", {{"output_type", "i64"}}, {x});
  const auto dim = [&](int64_t axis) {
    return b.Add("Gather", "opset8", {{"batch_dims", "0"}},
                 {shape, b.Ints(std::array{axis}), b.Int(0)});
  };
  return b.Add("Broadcast", "opset3", {{"mode", "numpy"}}, {dim(1), dim(0)});
}

// The name in the IR; empty after a fault.
std::string_view NameOf(Builder& b, schema::Activation activation) {
  if (activation == schema::Activation::tanh) return "tanh";
  if (activation == schema::Activation::relu) return "relu";
  b.Refuse("activation is {}; must be tanh or relu", static_cast<int>(activation));
  return "";
}

bool RequireFloats(Builder& b) {
  if (!IsQuantised(b.InputTensor(0))) return true;
  b.Refuse("has int8 or int16 data; must have f32 data");
  return false;
}

// Adds a fault for each part of a cell that the IR's cell does not have.
void CheckCell(Builder& b, const LstmInputs& at, const CellOptions& options) {
  if (b.Has(at.projection)) return b.Refuse("has a projection; must have none");
  for (size_t i = 0; i < kGates; ++i) {
    if (at.normalisation != 0 && b.Has(at.normalisation + i)) {
      return b.Refuse("has layer normalisation; must have none");
    }
  }
  if (options.cell_clip > 0 || options.projection_clip > 0) {
    b.Refuse("clips its state at {}; must not clip", options.cell_clip);
  }
}

// The parameters of all gates, one after the other. Without an input gate it is 1 minus the forget
// gate, which is the sigmoid of the negated sum.
ir::Source Gates(Builder& b, size_t first, bool has_input_gate) {
  Sources gates;
  for (const size_t gate : kForgetFirst) {
    const bool is_coupled = gate == kInputGate && !has_input_gate;
    const ir::Source one = b.Input(first + (is_coupled ? kForgetGate : gate));
    gates.push_back(is_coupled ? b.Add("Negative", "opset1", {}, {one}) : one);
  }
  return Joined(b, gates, 0);
}

// Peepholes of the forget, input and output gate; nullopt if the cell has none.
std::optional<ir::Source> Peepholes(Builder& b, size_t first, bool has_input_gate) {
  constexpr size_t kPeepForget = 1, kPeepOutput = 2;
  if (!b.Has(first + kPeepForget)) return std::nullopt;
  const ir::Source forget = b.Input(first + kPeepForget);
  const ir::Source input =
      has_input_gate ? b.Input(first) : b.Add("Negative", "opset1", {}, {forget});
  return Joined(b, {forget, input, b.Input(first + kPeepOutput)}, 0);
}

struct SequenceResult {
  ir::Source y, hidden, cell;  // [batch, time, units], [batch, units]
};

SequenceResult Sequence(Builder& b, ir::Source x, const LstmInputs& at, const CellOptions& options,
                        bool is_backward) {
  CheckCell(b, at, options);
  const bool has_input_gate = b.Has(at.w);
  const Tensor& recurrent = b.InputTensor(at.r + kForgetGate);
  const int64_t units = recurrent.dims.empty() ? 0 : recurrent.dims[0];
  const std::string activation(NameOf(b, options.activation));
  const Attributes attributes = {{"hidden_size", std::to_string(units)},
                                 {"direction", is_backward ? "reverse" : "forward"},
                                 {"activations", "sigmoid," + activation + "," + activation}};
  Sources inputs = {x,
                    Unsqueezed(b, b.Variable(at.hidden), 1),
                    Unsqueezed(b, b.Variable(at.cell), 1),
                    LengthsOf(b, x),
                    Unsqueezed(b, Gates(b, at.w, has_input_gate), 0),
                    Unsqueezed(b, Gates(b, at.r, has_input_gate), 0),
                    Unsqueezed(b, Gates(b, at.biases, has_input_gate), 0)};
  const std::optional<ir::Source> peepholes = Peepholes(b, at.peepholes, has_input_gate);
  if (peepholes) inputs.push_back(Unsqueezed(b, *peepholes, 0));
  ir::Node& node =
      b.AddNode("LSTMSequence", peepholes ? "opset1" : "opset5", attributes, inputs, 3);
  const SequenceResult result = {Squeezed(b, {&node, 0}, 1), Squeezed(b, {&node, 1}, 1),
                                 Squeezed(b, {&node, 2}, 1)};
  b.SetVariable(at.hidden, result.hidden);
  b.SetVariable(at.cell, result.cell);
  return result;
}

// h' = act(W x + R h + bias), with inputs from position `at` on.
ir::Source RnnSequence(Builder& b, ir::Source x, size_t at, size_t state,
                       schema::Activation activation, bool is_backward) {
  const Tensor& recurrent = b.InputTensor(at + 1);
  const int64_t units = recurrent.dims.empty() ? 0 : recurrent.dims[0];
  const Attributes attributes = {{"hidden_size", std::to_string(units)},
                                 {"direction", is_backward ? "reverse" : "forward"},
                                 {"activations", std::string(NameOf(b, activation))}};
  const Sources inputs = {x,
                          Unsqueezed(b, b.Variable(state), 1),
                          LengthsOf(b, x),
                          Unsqueezed(b, b.Input(at), 0),
                          Unsqueezed(b, b.Input(at + 1), 0),
                          Unsqueezed(b, b.Input(at + 2), 0)};
  ir::Node& node = b.AddNode("RNNSequence", "opset5", attributes, inputs, 2);
  b.SetVariable(state, Squeezed(b, {&node, 1}, 1));
  return Squeezed(b, {&node, 0}, 1);
}

// Sets one output with both directions, or two outputs.
void SetDirections(Builder& b, ir::Source forward, ir::Source backward, bool merges,
                   bool is_time_major) {
  if (merges) return b.Set(0, BatchFirst(b, Joined(b, {forward, backward}, 2), is_time_major));
  b.Set(0, BatchFirst(b, forward, is_time_major));
  b.Set(1, BatchFirst(b, backward, is_time_major));
}

// Returns true if there are inputs of an auxiliary sequence, after adding a fault.
bool HasAuxiliary(Builder& b, size_t first) {
  for (size_t i = first; i < b.input_count(); ++i) {
    if (!b.Has(i)) continue;
    b.Refuse("has an auxiliary input; must have none");
    return true;
  }
  return false;
}

}  // namespace

void UnidirectionalSequenceLstm(Builder& b) {
  if (QuantisedLstm(b)) return;
  const auto& options = b.Options<schema::UnidirectionalSequenceLSTMOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 3)) return;
  if (options.diagonal_recurrent_tensors()) {
    return b.Refuse("has vectors as recurrent weights; must have matrices");
  }
  const ir::Source x = BatchFirst(b, b.Input(0), options.time_major());
  const SequenceResult result =
      Sequence(b, x, {}, {options.activation(), options.cell_clip(), options.proj_clip()},
               /*is_backward=*/false);
  b.Set(0, BatchFirst(b, result.y, options.time_major()));
}

void Lstm(Builder& b) {
  const auto& options = b.Options<schema::LSTMOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 2)) return;
  if (options.kernel_type() != schema::LstmKernel::full) {
    return b.Refuse("has kernel type basic; must be full");
  }
  const SequenceResult result =
      Sequence(b, Unsqueezed(b, b.Input(0), 1), {},
               {options.activation(), options.cell_clip(), options.proj_clip()},
               /*is_backward=*/false);
  b.Set(0, Squeezed(b, result.y, 1));
}

void BidirectionalSequenceLstm(Builder& b) {
  constexpr LstmInputs kForward = {1, 5, 9, 12, 16, 35, 36, 0};
  constexpr LstmInputs kBackward = {18, 22, 26, 29, 33, 37, 38, 0};
  constexpr size_t kAuxiliary = 39;
  const auto& options = b.Options<schema::BidirectionalSequenceLSTMOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 3) || HasAuxiliary(b, kAuxiliary)) return;
  const ir::Source x = BatchFirst(b, b.Input(0), options.time_major());
  const CellOptions cell = {options.activation(), options.cell_clip(), options.proj_clip()};
  const ir::Source forward = Sequence(b, x, kForward, cell, /*is_backward=*/false).y;
  const ir::Source backward = Sequence(b, x, kBackward, cell, /*is_backward=*/true).y;
  SetDirections(b, forward, backward, options.merge_outputs(), options.time_major());
}

void UnidirectionalSequenceRnn(Builder& b) {
  const auto& options = b.Options<schema::SequenceRNNOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 3)) return;
  const ir::Source x = BatchFirst(b, b.Input(0), options.time_major());
  const ir::Source y = RnnSequence(b, x, 1, 4, options.activation(), /*is_backward=*/false);
  b.Set(0, BatchFirst(b, y, options.time_major()));
}

void Rnn(Builder& b) {
  const auto& options = b.Options<schema::RNNOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 2)) return;
  const ir::Source x = Unsqueezed(b, b.Input(0), 1);
  b.Set(0, Squeezed(b, RnnSequence(b, x, 1, 4, options.activation(), /*is_backward=*/false), 1));
}

void BidirectionalSequenceRnn(Builder& b) {
  constexpr size_t kAuxiliary = 9;
  const auto& options = b.Options<schema::BidirectionalSequenceRNNOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 3) || HasAuxiliary(b, kAuxiliary)) return;
  const ir::Source x = BatchFirst(b, b.Input(0), options.time_major());
  const ir::Source forward = RnnSequence(b, x, 1, 4, options.activation(), /*is_backward=*/false);
  const ir::Source backward = RnnSequence(b, x, 5, 8, options.activation(), /*is_backward=*/true);
  SetDirections(b, forward, backward, options.merge_outputs(), options.time_major());
}

// The state holds the last `memory` products of each filter, the oldest first.
void Svdf(Builder& b) {
  if (QuantisedSvdf(b)) return;
  constexpr size_t kState = 4;
  const auto& options = b.Options<schema::SVDFOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 2) || !b.RequireRank(1, 2)) return;
  if (!b.RequireRank(2, 2) || !b.RequireRank(kState, 2)) return;
  const int64_t filters = b.InputTensor(1).dims[0], memory = b.InputTensor(2).dims[1];
  const int64_t rank = options.rank();
  if (rank < 1 || filters % rank != 0) {
    return b.Refuse("rank is {} and there are {} filters; must divide them", rank, filters);
  }
  const int64_t batch = b.InputTensor(kState).dims[0];
  const ir::Source past = b.Variable(kState, {batch, filters, memory});
  const ir::Source product =
      b.Add("MatMul", "opset1", {{"transpose_a", "false"}, {"transpose_b", "true"}},
            {b.Input(0), b.Input(1)});
  const ir::Source rest =
      b.Add("Slice", "opset8", {},
            {past, b.Ints(std::array<int64_t, 1>{1}), b.Ints(std::array{memory}),
             b.Ints(std::array<int64_t, 1>{1}), b.Ints(std::array<int64_t, 1>{2})});
  const ir::Source all = Joined(b, {rest, Unsqueezed(b, product, 2)}, 2);
  b.SetVariable(kState, all);
  const auto sum = [&](ir::Source x) {
    return b.Add("ReduceSum", "opset1", {{"keep_dims", "false"}},
                 {x, b.Ints(std::array<int64_t, 1>{2})});
  };
  ir::Source y = sum(b.Add("Multiply", "opset1", {}, {all, b.Input(2)}));
  if (rank > 1) y = sum(b.Reshaped(y, std::array<int64_t, 3>{-1, filters / rank, rank}));
  if (b.Has(3)) y = b.Add("Add", "opset1", {}, {y, b.Input(3)});
  b.Set(0, b.Activated(y, options.activation()));
}

}  // namespace weft::tflite
