// SPDX-License-Identifier: Apache-2.0
// The lines of weft convert about weights: types, and reasons for f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

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
