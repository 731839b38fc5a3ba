// SPDX-License-Identifier: Apache-2.0
// The lines of weft convert about weights: types, and reasons for f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class WeightsCommand : public CommandTest {};

// The weights are three matrices of 20 inputs and 30 outputs.
TEST_F(WeightsCommand, NarrowsAConstantOfSeveralMatrices) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR "/cases/narrow_weights/f16_einsum_groups/model.xml' -o m.weft";
  const auto weights = [&](const std::string& options) {
    const Outcome outcome = Weft(convert + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(outcome.out.find("weights: "));
  };
  EXPECT_EQ(weights(""), "weights: 7200 bytes as f32\n");
  EXPECT_EQ(weights(" --precision f32"), "weights: 7200 bytes as f32\n");
  for (const auto& [type, bytes] :
       {std::pair("f16", 3840), std::pair("bf16", 3840), std::pair("i8", 3456),
        std::pair("i8x8", 3456), std::pair("i4:32", 1728)}) {
    const std::string text = weights(std::string(" --precision ") + type);
    EXPECT_TRUE(text.starts_with(fmt::format("weights: {} bytes as {} (", bytes, type))) << text;
    EXPECT_NE(text.find(fmt::format("{:>12}  {:>11}  ", 7200, bytes)), std::string::npos) << text;
    EXPECT_EQ(text.find("stay f32"), std::string::npos) << text;
  }
}

// A layer of 512 inputs and outputs; each weight is an integer times the scale of its output.
constexpr std::string_view kLargeProduct = R"(<net name="product" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,512" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>512</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="512,512" offset="0" size="1048576"/>
<output><port id="0" precision="FP32"><dim>512</dim><dim>512</dim></port></output></layer>
<layer id="2" name="product" type="MatMul" version="opset1"><data transpose_a="false" transpose_b="true"/>
<input><port id="0"><dim>1</dim><dim>512</dim></port><port id="1"><dim>512</dim><dim>512</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>512</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"><dim>1</dim><dim>512</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges></net>)";

std::string BytesOfLargeProduct() {
  std::string bytes;
  for (uint32_t i = 0; i < 512 * 512; ++i) {
    const float code = static_cast<float>(i * 2654435761u % 255) - 127;
    const float weight = code * (0.01f + static_cast<float>(i / 512) * 0.0003f);
    bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  }
  return bytes;
}

// Boards widen a code at a time, which costs more than reading a float.
TEST_F(WeightsCommand, KeepsLargeExactWeightsOfBoardsAsFloats) {
  WriteText("model.xml", kLargeProduct);
  WriteText("model.bin", BytesOfLargeProduct());
  const auto type = [&](const std::string& options) {
    const Outcome outcome = Weft("convert model.xml -o m.weft --json" + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto layers = nlohmann::json::parse(outcome.out)["weights_by_layer"];
    return layers.at(0)["type"].get<std::string>();
  };
  for (const char* cached : {"", " --target x86-64", " --target aarch64-linux"}) {
    EXPECT_EQ(type(cached), "i8x32") << cached;
  }
  for (const char* core : {"cortex-m0plus", "cortex-m3", "cortex-m4f", "cortex-m7", "cortex-m33",
                           "cortex-m55", "riscv32"}) {
    const std::string target = std::string(" --target ") + core;
    EXPECT_EQ(type(target), "f32") << core;
    EXPECT_EQ(type(target + " --precision auto"), "f32") << core;
    EXPECT_EQ(type(target + " --precision i8x32"), "i8x32") << core;
    EXPECT_EQ(type(target + " --precision product=i8x32"), "i8x32") << core;
  }
}

// A product of `rows` by 16 inputs and outputs costs more to quantise than integers save; one of
// 512 inputs and outputs does not. Names and integers in the file have precedence.
TEST_F(WeightsCommand, KeepsLayersThatIntegersWouldSlowDownAsFloats) {
  WriteText("model.xml", kLargeProduct);
  WriteText("model.bin", BytesOfLargeProduct());
  std::string small = std::regex_replace(std::string(kLargeProduct), std::regex("512"), "16");
  small = std::regex_replace(small, std::regex("1048576"), "1024");
  WriteText("small.xml", small);
  WriteText("small.bin", BytesOfLargeProduct().substr(0, 1024));
  const auto layer = [&](const std::string& model, const std::string& options) {
    const Outcome outcome =
        Weft("convert " + model + ".xml -o m.weft --json --precision " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["weights_by_layer"].at(0);
  };
  for (const std::string type : {"i8", "i8x8"}) {
    EXPECT_EQ(layer("model", type + " --target x86-64")["type"], type);
    const auto kept = layer("small", type + " --target x86-64");
    EXPECT_EQ(kept["type"], "f32");
    EXPECT_EQ(kept["f32_because"], type + " would be slower on the target");
    EXPECT_EQ(layer("small", "product=" + type + " --target x86-64")["type"], type);
    for (const char* other : {"", " --target cortex-m4f", " --target aarch64-linux"}) {
      EXPECT_EQ(layer("small", type + other)["type"], type) << other;
    }
  }
}

// A convolution quantises each input once for each tap; a product once.
TEST_F(WeightsCommand, KeepsConvolutionsThatIntegersOfTheFileWouldSlowDownAsFloats) {
  const auto layer = [&](const std::string& name, const std::string& options) {
    const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR "/cases/" + name +
                                 "/model.xml' -o m.weft --json" + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["weights_by_layer"].at(0);
  };
  const std::string taps = "compressed_weights/u8_taps", target = " --target x86-64";
  const auto kept = layer(taps, target);
  EXPECT_EQ(kept["type"], "f32");
  EXPECT_EQ(kept["f32_because"], "i8 would be slower on the target");
  const std::string named = " --precision '" + kept["layer"].get<std::string>() + "=i8'";
  EXPECT_EQ(layer(taps, target + named)["type"], "i8");
  EXPECT_EQ(layer(taps, "")["type"], "i8");
  EXPECT_EQ(layer(taps, " --target cortex-m4f")["type"], "i8");
  EXPECT_EQ(layer("compressed_weights/u8_3x64x17", target)["type"], "i8") << "a product";
  EXPECT_EQ(layer("quantised_data/conv_i16", target)["type"], "i8") << "data are integers";
}

// A cell of few units is faster as one step in f32 than as integer products and gates.
TEST_F(WeightsCommand, KeepsCellsThatIntegersWouldSlowDownAsFloats) {
  const auto cells = [&](const std::string& name, const std::string& options) {
    const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR "/cases/" + name +
                                 "/model.xml' -o m.weft --json --precision " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string reasons;
    const auto layers = nlohmann::json::parse(outcome.out)["weights_by_layer"];
    for (const auto& layer : layers)
      reasons += layer["type"].get<std::string>() + ": " + layer.value("f32_because", "") + "\n";
    const auto steps = nlohmann::json::parse(Weft("inspect m.weft --json").out)["steps"];
    const bool is_fused = steps.contains("lstm_cell") || steps.contains("gru_cell");
    return (is_fused ? "fused\n" : "") + reasons;
  };
  for (const std::string type : {"i8", "i8x8"}) {
    const std::string slow = "f32: " + type + " would be slower on the target\n";
    EXPECT_EQ(cells("sequence/lstm_forward_b1_t7_i5_h16", type).find("fused"), std::string::npos);
    for (const std::string cell : {"lstm", "gru"}) {
      const std::string large = "sequence/" + cell + "_blocks_forward_t7_i9_h64";
      EXPECT_EQ(cells(large, type + " --target x86-64").find("fused"), std::string::npos) << cell;
      EXPECT_EQ(cells(large, "f32 --target x86-64").find("fused"), 0) << cell;
    }
    const std::string fused =
        cells("sequence/lstm_forward_b1_t7_i5_h16", type + " --target x86-64");
    EXPECT_EQ(fused.find("fused\n"), 0) << fused;
    EXPECT_NE(fused.find(slow), std::string::npos) << fused;
    // The file has the integers.
    EXPECT_EQ(cells("compressed_weights/lstm_forward", type + " --target x86-64").find("fused"),
              std::string::npos);
  }
}

// Though nothing is rounded.
TEST_F(WeightsCommand, SaysWhyWeightsStayFloats) {
  const std::string folder = "'" WEFT_FIXTURES_DIR "/cases/narrow_weights/";
  const auto text = [&](const std::string& name, const std::string& options) {
    const Outcome outcome = Weft("convert " + folder + name + "/model.xml' -o m.weft" + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(outcome.out.find("weights: "));
  };
  EXPECT_EQ(text("too_few_outputs", " --precision i8"),
            "weights: 2368 bytes as f32\nMatMul_1: 2368 bytes stay f32: i8 needs a product of 16 "
            "inputs and 16 outputs or more, or a depthwise convolution of 3 taps or more\n");
  EXPECT_EQ(text("too_few_outputs", " --precision f16 --precision MatMul_1=f32"),
            "weights: 2368 bytes as f32\nMatMul_1: 2368 bytes stay f32: f32 is requested\n");
  for (const char* none : {"", " --precision auto", " --precision f32"}) {
    EXPECT_EQ(text("too_few_outputs", none), "weights: 2368 bytes as f32\n");
  }
}

}  // namespace
}  // namespace weft::cli
