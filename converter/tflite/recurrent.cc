// SPDX-License-Identifier: Apache-2.0
// Recurrent operators in f32, also with int8 weights: sequences and cells of the IR. Their states
// are variable tensors, which keep their values from call to call.
#include <array>

#include "converter/tflite/builder.h"
#include "converter/tflite/lstm.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/quantised_recurrent.h"

namespace weft::tflite {
namespace {

// [batch, time, features] of either order.
ir::Source BatchFirst(Builder& b, ir::Source x, bool is_time_major) {
  constexpr std::array<int64_t, 3> kSwap = {1, 0, 2};
  return is_time_major ? b.Transposed(x, kSwap) : x;
}

bool RequireFloats(Builder& b) {
  if (!IsQuantised(b.InputTensor(0))) return true;
  b.Refuse("has int8 or int16 data; must have f32 data");
  return false;
}

// h' = act(W x + R h + bias), with inputs from position `at` on.
ir::Source RnnSequence(Builder& b, ir::Source x, size_t at, size_t state,
                       schema::Activation activation, bool is_backward) {
  const Tensor& recurrent = b.InputTensor(at + 1);
  const int64_t units = recurrent.dims.empty() ? 0 : recurrent.dims[0];
  const Attributes attributes = {{"hidden_size", std::to_string(units)},
                                 {"direction", is_backward ? "reverse" : "forward"},
                                 {"activations", ActivationName(b, activation)}};
  const Sources inputs = {x,
                          b.Unsqueezed(b.Variable(state), 1),
                          LengthsOf(b, x),
                          b.Unsqueezed(b.Input(at), 0),
                          b.Unsqueezed(b.Input(at + 1), 0),
                          b.Unsqueezed(b.Input(at + 2), 0)};
  ir::Node& node = b.AddNode("RNNSequence", "opset5", attributes, inputs, 2);
  b.SetVariable(state, b.Squeezed({&node, 1}, 1));
  return b.Squeezed({&node, 0}, 1);
}

// Sets one output with both directions, or two outputs.
void SetDirections(Builder& b, ir::Source forward, ir::Source backward, bool merges,
                   bool is_time_major) {
  if (merges) return b.Set(0, BatchFirst(b, b.Joined({forward, backward}, 2), is_time_major));
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
      LstmOver(b, x, {}, {options.activation(), options.cell_clip(), options.proj_clip()},
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
      LstmOver(b, b.Unsqueezed(b.Input(0), 1), {},
               {options.activation(), options.cell_clip(), options.proj_clip()},
               /*is_backward=*/false);
  b.Set(0, b.Squeezed(result.y, 1));
}

void BidirectionalSequenceLstm(Builder& b) {
  constexpr LstmInputs kForward = {1, 5, 9, 12, 16, 35, 36, 0};
  constexpr LstmInputs kBackward = {18, 22, 26, 29, 33, 37, 38, 0};
  constexpr size_t kAuxiliary = 39;
  const auto& options = b.Options<schema::BidirectionalSequenceLSTMOptions>();
  if (!RequireFloats(b) || !b.RequireRank(0, 3) || HasAuxiliary(b, kAuxiliary)) return;
  const ir::Source x = BatchFirst(b, b.Input(0), options.time_major());
  const LstmOptions cell = {options.activation(), options.cell_clip(), options.proj_clip()};
  const ir::Source forward = LstmOver(b, x, kForward, cell, /*is_backward=*/false).y;
  const ir::Source backward = LstmOver(b, x, kBackward, cell, /*is_backward=*/true).y;
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
  const ir::Source x = b.Unsqueezed(b.Input(0), 1);
  b.Set(0, b.Squeezed(RnnSequence(b, x, 1, 4, options.activation(), /*is_backward=*/false), 1));
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
  const ir::Source rest = b.Sliced(past, 2, 1, memory);
  const ir::Source all = b.Joined({rest, b.Unsqueezed(product, 2)}, 2);
  b.SetVariable(kState, all);
  const auto sum = [&](ir::Source x) {
    return b.Add("ReduceSum", "opset1", {{"keep_dims", "false"}},
                 {x, b.Ints(std::array<int64_t, 1>{2})});
  };
  ir::Source y = sum(b.Add("Multiply", {all, b.Input(2)}));
  if (rank > 1) y = sum(b.Reshaped(y, std::array<int64_t, 3>{-1, filters / rank, rank}));
  if (b.Has(3)) y = b.Add("Add", {y, b.Input(3)});
  b.Set(0, b.Activated(y, options.activation()));
}

}  // namespace weft::tflite
