// SPDX-License-Identifier: Apache-2.0
// RTNeural's compile-time models on its Eigen back end, which keep their state from run to run. A
// sequence begins with a reset, a step does not.
//
//   rtneural_driver CASE FOLDER MILLISECONDS
//
// Exit code 77: RTNeural does not support the case.
#include <RTNeural/RTNeural.h>

#include <memory>

#include "tests/bench/peers/timing.h"

namespace {

using Rows = std::vector<std::vector<float>>;

// ONNX index of a gate, by its Keras index: LSTM i f c o of i o f c; GRU z r h in both.
constexpr int kLstmGates[] = {0, 2, 3, 1}, kGruGates[] = {0, 1, 2};

// Converts [gate * hidden][inputs] of ONNX to [inputs][gate * hidden].
Rows Permuted(const peers::Array& from, size_t inputs, size_t hidden, const int* gates,
              size_t gate_count) {
  Rows to(inputs, std::vector<float>(gate_count * hidden));
  for (size_t i = 0; i < inputs; ++i) {
    for (size_t k = 0; k < gate_count * hidden; ++k) {
      const size_t row = static_cast<size_t>(gates[k / hidden]) * hidden + k % hidden;
      to[i][k] = from[row * inputs + i];
    }
  }
  return to;
}

template <class Layer>
void TakeLstm(Layer& layer, const std::string& folder) {
  constexpr size_t kInputs = Layer::in_size, kHidden = Layer::out_size;
  layer.setWVals(Permuted(peers::Needed(folder + "/W.npy"), kInputs, kHidden, kLstmGates, 4));
  layer.setUVals(Permuted(peers::Needed(folder + "/R.npy"), kHidden, kHidden, kLstmGates, 4));
  const peers::Array from = peers::Needed(folder + "/B.npy");
  std::vector<float> bias;
  for (const int gate : kLstmGates) {
    for (size_t h = 0; h < kHidden; ++h) {
      const size_t at = static_cast<size_t>(gate) * kHidden + h;
      bias.push_back(from[at] + from[at + 4 * kHidden]);
    }
  }
  layer.setBVals(bias);
}

template <class Layer>
void TakeGru(Layer& layer, const std::string& folder) {
  constexpr size_t kInputs = Layer::in_size, kHidden = Layer::out_size;
  layer.setWVals(Permuted(peers::Needed(folder + "/W.npy"), kInputs, kHidden, kGruGates, 3));
  layer.setUVals(Permuted(peers::Needed(folder + "/R.npy"), kHidden, kHidden, kGruGates, 3));
  const peers::Array from = peers::Needed(folder + "/B.npy");
  layer.setBVals(
      {{from.begin(), from.begin() + 3 * kHidden}, {from.begin() + 3 * kHidden, from.end()}});
}

template <class Layer>
void TakeDense(Layer& layer, const std::string& folder, int index) {
  constexpr size_t kInputs = Layer::in_size, kOutputs = Layer::out_size;
  const peers::Array from = peers::Needed(folder + "/W" + std::to_string(index) + ".npy");
  Rows weights(kOutputs, std::vector<float>(kInputs));
  for (size_t i = 0; i < kInputs; ++i) {
    for (size_t k = 0; k < kOutputs; ++k) weights[k][i] = from[i * kOutputs + k];
  }
  layer.setWeights(weights);
  layer.setBias(peers::Needed(folder + "/B" + std::to_string(index) + ".npy").data());
}

struct Call {
  std::string folder;
  int milliseconds = 0;
};

// Runs the model over `steps` rows, with one forward() call per row.
template <class Model>
int Measure(Model& model, size_t inputs, size_t outputs, size_t steps, const Call& call) {
  const peers::Array input = peers::Needed(call.folder + "/input.0.npy");
  alignas(64) static float x[1 << 15];
  peers::Array y(steps * outputs);
  const auto fill = [&] { std::memcpy(x, input.data(), input.size() * sizeof(float)); };
  const auto run = [&] {
    if (steps > 1) model.reset();
    for (size_t t = 0; t < steps; ++t) {
      model.forward(x + t * inputs);
      std::memcpy(y.data() + t * outputs, model.getOutputs(), outputs * sizeof(float));
    }
  };
  model.reset();
  fill();
  run();
  peers::WriteOutput(call.folder + "/rtneural.f32", y.data(), y.size());
  peers::Report("RTNeural", "Eigen", call.milliseconds, fill, run);
  return 0;
}

template <int kInputs, int kHidden>
int Lstm(size_t steps, const Call& call) {
  using Layer = RTNeural::LSTMLayerT<float, kInputs, kHidden>;
  const auto model = std::make_unique<RTNeural::ModelT<float, kInputs, kHidden, Layer>>();
  TakeLstm(model->template get<0>(), call.folder);
  return Measure(*model, kInputs, kHidden, steps, call);
}

template <int kInputs, int kHidden>
int Gru(size_t steps, const Call& call) {
  using Layer = RTNeural::GRULayerT<float, kInputs, kHidden>;
  const auto model = std::make_unique<RTNeural::ModelT<float, kInputs, kHidden, Layer>>();
  TakeGru(model->template get<0>(), call.folder);
  return Measure(*model, kInputs, kHidden, steps, call);
}

int Mlp(const Call& call) {
  using Relu = RTNeural::ReLuActivationT<float, 64>;
  using Wide = RTNeural::DenseT<float, 64, 64>;
  using Last = RTNeural::DenseT<float, 64, 10>;
  const auto model =
      std::make_unique<RTNeural::ModelT<float, 64, 10, Wide, Relu, Wide, Relu, Last>>();
  TakeDense(model->get<0>(), call.folder, 0);
  TakeDense(model->get<2>(), call.folder, 1);
  TakeDense(model->get<4>(), call.folder, 2);
  return Measure(*model, 64, 10, 1, call);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::string name = arguments[1];
  const Call call = {arguments[2], std::atoi(arguments[3])};
  if (name == "lstm_512_256_t25") return Lstm<512, 256>(25, call);
  if (name == "lstm_64_64_step") return Lstm<64, 64>(1, call);
  if (name == "lstm_1_40_step") return Lstm<1, 40>(1, call);
  if (name == "gru_1_24_step") return Gru<1, 24>(1, call);
  if (name == "lstm_64_64_t100") return Lstm<64, 64>(100, call);
  if (name == "gru_40_128_step") return Gru<40, 128>(1, call);
  if (name == "gru_40_128_t100") return Gru<40, 128>(100, call);
  if (name == "mlp_64_64_64_10") return Mlp(call);
  return 77;
}
