// SPDX-License-Identifier: Apache-2.0
// oneDNN's recurrent primitives, which have no graph around them: weights in the layout that the
// library asks for, arguments prepared once. States begin at zero.
// onednn_driver lstm|gru INPUTS HIDDEN STEPS DIRECTIONS RESET_AFTER FOLDER MILLISECONDS
#include <oneapi/dnnl/dnnl.hpp>

#include "tests/bench/peers/timing.h"

namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
using Desc = memory::desc;

struct Cell {
  bool is_lstm = false, resets_after = false;
  int64_t inputs = 0, hidden = 0, steps = 0, directions = 0;
  int64_t gates() const { return is_lstm ? 4 : 3; }
};

Desc F32(const Dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// A gate's place in ONNX, by its place here: LSTM i f c o of i o f c; GRU u r o of z r h.
int64_t GateOf(const Cell& cell, int64_t gate) {
  constexpr int64_t kLstm[] = {0, 2, 3, 1};
  return cell.is_lstm ? kLstm[gate] : gate;
}

// [direction][gate * hidden][inputs] of ONNX to [direction][inputs][gate][hidden].
peers::Array Turned(const Cell& cell, const peers::Array& from, int64_t inputs) {
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

// ONNX has a bias of each product; where reset comes after the product, h's two stay apart.
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

// A primitive with its arguments.
struct Call {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
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
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }
  // Without the C++ wrapper, which allocates a map in each call.
  void operator()() const {
    dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()),
                           arguments.data());
    dnnl_stream_wait(stream.get());
  }
};

struct Descs {
  Desc source, state, weights, recurrent, bias, output;
};

Descs DescsOf(const Cell& cell, int64_t bias_gates) {
  const int64_t l = cell.directions;
  const auto any = Tag::any;
  return {F32({cell.steps, 1, cell.inputs}, Tag::tnc),
          F32({1, l, 1, cell.hidden}, Tag::ldnc),
          F32({1, l, cell.inputs, cell.gates(), cell.hidden}, any),
          F32({1, l, cell.hidden, cell.gates(), cell.hidden}, any),
          F32({1, l, bias_gates, cell.hidden}, Tag::ldgo),
          F32({cell.steps, 1, l * cell.hidden}, Tag::tnc)};
}

template <class Description>
void Fill(Call& call, const Cell& cell, const Descs& d, const Description& description,
          const std::string& folder) {
  call.primitive = dnnl::primitive(description);
  const Dims w = {1, cell.directions, cell.inputs, cell.gates(), cell.hidden};
  const Dims r = {1, cell.directions, cell.hidden, cell.gates(), cell.hidden};
  call.AddWeights(DNNL_ARG_WEIGHTS_LAYER,
                  Turned(cell, peers::Needed(folder + "/W.npy"), cell.inputs), F32(w, Tag::ldigo),
                  description.weights_layer_desc());
  call.AddWeights(DNNL_ARG_WEIGHTS_ITER,
                  Turned(cell, peers::Needed(folder + "/R.npy"), cell.hidden), F32(r, Tag::ldigo),
                  description.weights_iter_desc());
  call.AddWeights(DNNL_ARG_BIAS, Bias(cell, peers::Needed(folder + "/B.npy")), d.bias, d.bias);
  call.Add(DNNL_ARG_SRC_ITER, d.state);
  call.Add(DNNL_ARG_DST_ITER, d.state);
  if (cell.is_lstm) {
    call.Add(DNNL_ARG_SRC_ITER_C, d.state);
    call.Add(DNNL_ARG_DST_ITER_C, d.state);
  }
}

void Build(Call& call, const Cell& cell, const Descs& d, const std::string& folder) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto direction = cell.directions == 2 ? dnnl::rnn_direction::bidirectional_concat
                                              : dnnl::rnn_direction::unidirectional_left2right;
  const auto with = [&](const auto& description) { Fill(call, cell, d, description, folder); };
  if (cell.is_lstm) {
    with(dnnl::lstm_forward::primitive_desc(call.engine, kind, direction, d.source, d.state,
                                            d.state, d.weights, d.recurrent, d.bias, d.output,
                                            d.state, d.state));
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
  if (count != 9) return 2;
  const auto number = [&](int i) { return std::atoll(arguments[i]); };
  const Cell cell = {!std::strcmp(arguments[1], "lstm"),
                     number(6) != 0,
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
  const auto fill = [&] {
    std::memcpy(source.get_data_handle(), input.data(), input.size() * sizeof(float));
  };
  fill();
  call();
  peers::WriteOutput(folder + "/onednn.f32", static_cast<float*>(output.get_data_handle()),
                     descs.output.get_size() / sizeof(float));
  const dnnl_version_t* version = dnnl_version();
  peers::Report("oneDNN",
                std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                    std::to_string(version->patch),
                std::atoi(arguments[8]), fill, call);
}
