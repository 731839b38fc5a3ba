// SPDX-License-Identifier: Apache-2.0
// The f32 LSTM of all recurrent operators.
#ifndef WEFT_CONVERTER_TFLITE_LSTM_H_
#define WEFT_CONVERTER_TFLITE_LSTM_H_

#include <array>
#include <functional>

#include "converter/tflite/builder.h"

namespace weft::tflite {

// Positions of the inputs of one direction. The gates of the file are in the order input, forget,
// cell, output. Without an input gate, it is 1 minus the forget gate.
struct LstmInputs {
  size_t w = 1, r = 5, peepholes = 9, biases = 12, projection = 16, hidden = 18, cell = 19,
         normalisation = 20;  // 0: never given
};
inline constexpr size_t kInputGate = 0, kForgetGate = 1, kCellGate = 2, kOutputGate = 3, kGates = 4;

struct LstmOptions {
  schema::Activation activation;
  float cell_clip, projection_clip;  // 0: no limit
};

struct SequenceResult {
  ir::Source y, hidden, cell;  // [batch, time, units], [batch, units]
};

// Adds an LSTM over x [batch, time, features], which starts with its two variable tensors and sets
// them.
SequenceResult LstmOver(Builder& b, ir::Source x, const LstmInputs& at, const LstmOptions& options,
                        bool is_backward);

// Adds a loop over axis 1 of inputs[0]; inputs[1] and inputs[2] are the states. `types` are those
// of a chunk, with an extent of 1 on that axis, and of the states. `step` adds the layers of a
// step, which may read only constants from outside, and returns y with that axis.
using StepFunction =
    std::function<SequenceResult(ir::Source chunk, ir::Source hidden, ir::Source cell)>;
SequenceResult LoopOverSteps(Builder& b, const Sources& inputs,
                             const std::array<TensorType, 3>& types, bool is_backward,
                             const StepFunction& step);

// Layers that several operators use.
// The number of steps, for each sequence of x.
ir::Source LengthsOf(Builder& b, ir::Source x);
// The name in the IR; empty after a fault.
std::string ActivationName(Builder& b, schema::Activation activation);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_LSTM_H_
