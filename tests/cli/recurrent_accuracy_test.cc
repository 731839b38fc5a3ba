// SPDX-License-Identifier: Apache-2.0
// Accuracy of 8-bit weights in recurrent networks of 64 units with random weights, N(0, 1 /
// inputs).
#include <fmt/format.h>

#include <cmath>
#include <random>
#include <type_traits>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

constexpr int kSteps = 200, kInputs = 32, kUnits = 64;

struct Net {
  const char* type;
  int gates, biases;  // in units
  const char* more;   // attributes
};
constexpr Net kLstm = {"LSTMSequence", 4, 4, "activations=\"sigmoid, tanh, tanh\""};
constexpr Net kGru = {"GRUSequence", 3, 3, "linear_before_reset=\"false\""};
constexpr Net kGruAfter = {"GRUSequence", 3, 4, "linear_before_reset=\"true\""};

std::string Port(int id, const char* precision, const std::vector<int>& dims) {
  std::string text = fmt::format("<port id=\"{}\" precision=\"{}\">", id, precision);
  for (const int dim : dims) text += fmt::format("<dim>{}</dim>", dim);
  return text + "</port>";
}

// The layers that the cell, layer 9, reads.
class CellInputs {
 public:
  void AddInput(const std::vector<int>& dims) {
    layers += fmt::format(
        "<layer id=\"{}\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"{}\" "
        "element_type=\"f32\"/><output>{}</output></layer>",
        count, fmt::join(dims, ","), Port(0, "FP32", dims));
    Connect("FP32", dims);
  }
  template <typename T>
  void AddConstant(const std::vector<T>& numbers, const std::vector<int>& dims) {
    const bool is_float = std::is_same_v<T, float>;
    const char* const precision = is_float ? "FP32" : "I64";
    layers += fmt::format(
        "<layer id=\"{0}\" name=\"c{0}\" type=\"Const\" version=\"opset1\"><data "
        "element_type=\"{1}\" shape=\"{2}\" offset=\"{3}\" "
        "size=\"{4}\"/><output>{5}</output></layer>",
        count, is_float ? "f32" : "i64", fmt::join(dims, ","), bytes.size(),
        numbers.size() * sizeof(T), Port(0, precision, dims));
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
    Connect(precision, dims);
  }

  std::string layers, ports, edges, bytes;
  int count = 0;

 private:
  void Connect(const char* precision, const std::vector<int>& dims) {
    ports += Port(count, precision, dims);
    edges += fmt::format(
        "<edge from-layer=\"{0}\" from-port=\"0\" to-layer=\"9\" to-port=\"{0}\"/>", count);
    ++count;
  }
};

class RecurrentAccuracy : public CommandTest {
 protected:
  // Signal to noise of h over all steps.
  double DecibelsOf(const Net& net, const std::string& precision) {
    random_.seed(1);
    WriteNet(net);
    WriteFloats("x.npy", {1, kSteps, kInputs}, Normal(kSteps * kInputs, 1));
    for (const std::string& type : {precision, std::string("f32")}) {
      const Outcome made = Weft("convert net.xml -o " + type + ".weft --precision " + type);
      EXPECT_EQ(made.code, 0) << made.err;
    }
    const Outcome outcome = Weft("compare " + precision + ".weft f32.weft --input 0=x.npy --json");
    return nlohmann::json::parse(outcome.out)["outputs"][0]["signal_to_noise_db"];
  }

 private:
  // Approximately normal, and deterministic on every machine.
  std::vector<float> Normal(int count, double deviation) {
    std::vector<float> numbers;
    for (int i = 0; i < count; ++i) {
      double sum = -6;
      for (int part = 0; part < 12; ++part) sum += random_() * 0x1p-32;
      numbers.push_back(static_cast<float>(sum * deviation));
    }
    return numbers;
  }

  void WriteNet(const Net& net) {
    const int rows = net.gates * kUnits, states = net.gates == 4 ? 2 : 1;
    const std::vector<int> state = {1, 1, kUnits}, all = {1, 1, kSteps, kUnits};
    CellInputs inputs;
    inputs.AddInput({1, kSteps, kInputs});
    for (int i = 0; i < states; ++i) inputs.AddConstant(std::vector<float>(kUnits), state);
    inputs.AddConstant(std::vector<int64_t>{kSteps}, {1});
    inputs.AddConstant(Normal(rows * kInputs, 1 / std::sqrt(kInputs)), {1, rows, kInputs});
    inputs.AddConstant(Normal(rows * kUnits, 1 / std::sqrt(kUnits)), {1, rows, kUnits});
    inputs.AddConstant(Normal(net.biases * kUnits, 0.3), {1, net.biases * kUnits});
    std::string outputs = Port(inputs.count, "FP32", all);
    for (int i = 1; i <= states; ++i) outputs += Port(inputs.count + i, "FP32", state);
    WriteText("net.bin", inputs.bytes);
    WriteText(
        "net.xml",
        fmt::format(
            "<net name=\"net\" version=\"11\"><layers>{}<layer id=\"9\" name=\"cell\" type=\"{}\" "
            "version=\"opset5\"><data direction=\"forward\" hidden_size=\"{}\" "
            "{}/><input>{}</input>"
            "<output>{}</output></layer><layer id=\"10\" name=\"h\" type=\"Result\" "
            "version=\"opset1\"><input>{}</input></layer></layers><edges>{}<edge from-layer=\"9\" "
            "from-port=\"{}\" to-layer=\"10\" to-port=\"0\"/></edges></net>",
            inputs.layers, net.type, kUnits, net.more, inputs.ports, outputs, Port(0, "FP32", all),
            inputs.edges, inputs.count));
  }

  std::mt19937 random_;
};

TEST_F(RecurrentAccuracy, WeightsOfI8LeaveFortyFourDecibels) {
  for (const Net& net : {kLstm, kGru, kGruAfter}) {
    EXPECT_GE(DecibelsOf(net, "i8"), 44) << net.type << " " << net.more;
  }
}

TEST_F(RecurrentAccuracy, DataOfI8LeavesFortyOne) {
  for (const Net& net : {kLstm, kGru, kGruAfter}) {
    EXPECT_GE(DecibelsOf(net, "i8x8"), 41) << net.type << " " << net.more;
  }
}

}  // namespace
}  // namespace weft::cli
