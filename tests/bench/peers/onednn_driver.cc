// SPDX-License-Identifier: Apache-2.0
// oneDNN's recurrent primitives, which have no graph: weights in the layout that the library
// selects, arguments prepared once. States begin at zero.
//
//   onednn_driver lstm|gru INPUTS HIDDEN STEPS DIRECTIONS RESET_AFTER FOLDER MILLISECONDS [int8]
//
// With int8, for LSTM only: int8 weights with a scale per output, x and h in 8 bits from -1 to 1,
// gates and c in f32. x is quantised before the measurement.
#include <cmath>
#include <oneapi/dnnl/dnnl.hpp>

#include "tests/bench/peers/timing.h"

namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
using Desc = memory::desc;

struct Cell {
  bool is_lstm = false, resets_after = false, is_int8 = false;
  int64_t inputs = 0, hidden = 0, steps = 0, directions = 0;
  int64_t gates() const { return is_lstm ? 4 : 3; }
};

Desc F32(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// Quantisation of x and h in int8: code = value * kScale + kShift.
constexpr float kScale = 127, kShift = 128;

// ONNX index of a gate, by its oneDNN index: LSTM i f c o of i o f c; GRU u r o of z r h.
int64_t GateOf(const Cell& cell, int64_t gate) {
  constexpr int64_t kLstm[] = {0, 2, 3, 1};
  return cell.is_lstm ? kLstm[gate] : gate;
}

// Converts [direction][gate * hidden][inputs] of ONNX to [direction][inputs][gate][hidden].
peers::Array Permuted(const Cell& cell, const peers::Array& from, int64_t inputs) {
  peers::Array to(from.size());
  size_t at = 0;
  for (int64_t d = 0; d < cell.directions; ++d) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t g = 0; g < cell.gates(); ++g) {
        for (int64_t h = 0; h < cell.hidden; ++h) {
          const int64_t row = (d * cell.gates() + GateOf(cell, g)) * cell.hidden + h;
          to[at++] = from[static_cast<size_t>(row * inputs + i)];
        }
      }
    }
  }
  return to;
}

// ONNX has a bias for each product. If reset comes after the product, the two of h stay separate.
peers::Array Bias(const Cell& cell, const peers::Array& from) {
  const bool is_apart = !cell.is_lstm && cell.resets_after;
  peers::Array to;
  for (int64_t d = 0; d < cell.directions; ++d) {
    const int64_t first = d * 2 * cell.gates() * cell.hidden;
    const auto of = [&](int64_t gate, int64_t h) {
      return from[static_cast<size_t>(first + gate * cell.hidden + h)];
    };
    for (int64_t g = 0; g < cell.gates() + is_apart; ++g) {
      for (int64_t h = 0; h < cell.hidden; ++h) {
        if (is_apart && g >= 2) {
          to.push_back(of(g == 2 ? 2 : 5, h));
        } else {
          to.push_back(of(GateOf(cell, g), h) + of(GateOf(cell, g) + cell.gates(), h));
        }
      }
    }
  }
  return to;
}

// For each gate and unit, the scale that maps its maximum magnitude to 127.
std::vector<float> WeightScales(const Cell& cell, const peers::Array& w, const peers::Array& r) {
  const auto units = static_cast<size_t>(cell.gates() * cell.hidden);
  std::vector<float> scales(units, 0.0f);
  for (const peers::Array* weights : {&w, &r}) {
    for (size_t i = 0; i < weights->size(); ++i) {
      scales[i % units] = std::max(scales[i % units], std::abs((*weights)[i]));
    }
  }
  for (float& scale : scales) scale = scale == 0 ? 1 : 127 / scale;
  return scales;
}

// A primitive with its arguments.
struct Call {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive_attr attributes;
  dnnl::primitive primitive;
  std::vector<memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;

  memory Add(int argument, const Desc& desc) {
    memories.emplace_back(desc, engine);
    arguments.push_back({argument, memories.back().get()});
    std::memset(memories.back().get_data_handle(), 0, desc.get_size());
    return memories.back();
  }
  void AddWeights(int argument, const peers::Array& values, const Desc& plain, const Desc& wanted) {
    memory from(plain, engine), to = Add(argument, wanted);
    std::memcpy(from.get_data_handle(), values.data(), values.size() * sizeof(float));
    const bool is_same = plain.get_data_type() == wanted.get_data_type();
    const dnnl::reorder::primitive_desc description(from, to,
                                                    is_same ? dnnl::primitive_attr() : attributes);
    dnnl::reorder(description).execute(stream, from, to);
    stream.wait();
  }
  // Bypasses the C++ wrapper, which allocates a map in each call.
  void operator()() const {
    dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                           arguments.data());
    dnnl_stream_wait(stream.get());
  }
};

struct Descs {
  Desc source, state, cell, weights, recurrent, bias, output;
};

Descs DescsOf(const Cell& cell, int64_t bias_gates) {
  const int64_t l = cell.directions;
  using Type = memory::data_type;
  const Type codes = cell.is_int8 ? Type::u8 : Type::f32;
  const Type weights = cell.is_int8 ? Type::s8 : Type::f32;
  return {{{cell.steps, 1, cell.inputs}, codes, Tag::tnc},
          {{1, l, 1, cell.hidden}, codes, Tag::ldnc},
          F32({1, l, 1, cell.hidden}, Tag::ldnc),
          {{1, l, cell.inputs, cell.gates(), cell.hidden}, weights, Tag::any},
          {{1, l, cell.hidden, cell.gates(), cell.hidden}, weights, Tag::any},
          F32({1, l, bias_gates, cell.hidden}, Tag::ldgo),
          F32({cell.steps, 1, l * cell.hidden}, Tag::tnc)};
}

struct Weights {
  peers::Array input, recurrent, bias;
};

template <class Description>
void Fill(Call& call, const Cell& cell, const Descs& d, const Description& description,
          const Weights& weights) {
  call.primitive = dnnl::primitive(description);
  const Dims w = {1, cell.directions, cell.inputs, cell.gates(), cell.hidden};
  const Dims r = {1, cell.directions, cell.hidden, cell.gates(), cell.hidden};
  call.AddWeights(DNNL_ARG_WEIGHTS_LAYER, weights.input, F32(w, Tag::ldigo),
                  description.weights_layer_desc());
  call.AddWeights(DNNL_ARG_WEIGHTS_ITER, weights.recurrent, F32(r, Tag::ldigo),
                  description.weights_iter_desc());
  call.AddWeights(DNNL_ARG_BIAS, weights.bias, d.bias, d.bias);
  const memory state = call.Add(DNNL_ARG_SRC_ITER, d.state);
  if (cell.is_int8)
    std::memset(state.get_data_handle(), static_cast<int>(kShift), d.state.get_size());
  call.Add(DNNL_ARG_DST_ITER, d.state);
  if (cell.is_lstm) {
    call.Add(DNNL_ARG_SRC_ITER_C, d.cell);
    call.Add(DNNL_ARG_DST_ITER_C, d.cell);
  }
}

void Build(Call& call, const Cell& cell, const Descs& d, const std::string& folder) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto direction = cell.directions == 2 ? dnnl::rnn_direction::bidirectional_concat
                                              : dnnl::rnn_direction::unidirectional_left2right;
  const Weights weights = {Permuted(cell, peers::Needed(folder + "/W.npy"), cell.inputs),
                           Permuted(cell, peers::Needed(folder + "/R.npy"), cell.hidden),
                           Bias(cell, peers::Needed(folder + "/B.npy"))};
  if (cell.is_int8) {
    constexpr int kGatesAndUnits = (1 << 3) | (1 << 4);
    call.attributes.set_rnn_data_qparams(kScale, kShift);
    call.attributes.set_rnn_weights_qparams(kGatesAndUnits,
                                            WeightScales(cell, weights.input, weights.recurrent));
  }
  const auto with = [&](const auto& description) { Fill(call, cell, d, description, weights); };
  if (cell.is_lstm) {
    with(dnnl::lstm_forward::primitive_desc(call.engine, kind, direction, d.source, d.state, d.cell,
                                            d.weights, d.recurrent, d.bias, d.output, d.state,
                                            d.cell, call.attributes));
  } else if (cell.resets_after) {
    with(dnnl::lbr_gru_forward::primitive_desc(call.engine, kind, direction, d.source, d.state,
                                               d.weights, d.recurrent, d.bias, d.output, d.state));
  } else {
    with(dnnl::gru_forward::primitive_desc(call.engine, kind, direction, d.source, d.state,
                                           d.weights, d.recurrent, d.bias, d.output, d.state));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool is_int8 = count == 10 && !std::strcmp(arguments[9], "int8");
  if (count != 9 && !is_int8) return 2;
  const auto number = [&](int i) { return std::atoll(arguments[i]); };
  const Cell cell = {!std::strcmp(arguments[1], "lstm"),
                     number(6) != 0,
                     is_int8,
                     number(2),
                     number(3),
                     number(4),
                     number(5)};
  const std::string folder = arguments[7];
  Call call;
  const bool is_apart = !cell.is_lstm && cell.resets_after;
  const Descs descs = DescsOf(cell, cell.gates() + is_apart);
  Build(call, cell, descs, folder);
  memory source = call.Add(DNNL_ARG_SRC_LAYER, descs.source);
  memory output = call.Add(DNNL_ARG_DST_LAYER, descs.output);
  const peers::Array input = peers::Needed(folder + "/input.0.npy");
  std::vector<unsigned char> bytes(descs.source.get_size());
  if (is_int8) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(std::lrint(input[i] * kScale + kShift));
    }
  } else {
    std::memcpy(bytes.data(), input.data(), bytes.size());
  }
  const auto fill = [&] { std::memcpy(source.get_data_handle(), bytes.data(), bytes.size()); };
  fill();
  call();
  peers::WriteOutput(folder + "/onednn.f32", static_cast<float*>(output.get_data_handle()),
                     descs.output.get_size() / sizeof(float));
  const dnnl_version_t* version = dnnl_version();
  peers::Report(is_int8 ? "oneDNN int8" : "oneDNN",
                std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                    std::to_string(version->patch),
                std::atoi(arguments[8]), fill, call);
}
