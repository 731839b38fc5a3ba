// SPDX-License-Identifier: Apache-2.0
// The line of weft convert about layers with floats, for targets without an FPU.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class FloatNoteCommand : public CommandTest {};

TEST_F(FloatNoteCommand, CountsLayersWithFloatsOfCoresWithoutFpu) {
  const auto note = [&](const std::string& model, const std::string& options) {
    const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR "/tflite/" + model +
                                 "/model.tflite' -o m.weft" + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const size_t first = outcome.err.find("note: cortex");
    return first == std::string::npos ? "" : outcome.err.substr(first);
  };
  for (const char* const model :
       {"products/conv_c3_o2_k32_s1_d2_v_i8", "products/dense_relu6_i8", "reduce/softmax_i8",
        "reduce/max_pool_same_i8", "elementwise/add_i8", "elementwise/logistic_i8",
        "elementwise/maximum_i8", "quantised_recurrent/lstm", "quantised_recurrent/svdf",
        "movement/pad_f32", "keras/unrolled_gru_int8", "keras/unrolled_gru_int16",
        "shorts/dense_1_61_33", "shorts/conv_c3_o2_k32_s1_d2_v",
        "shorts/depthwise_c3_o2_k32_s1_d2_v", "shorts/add_0", "shorts/average_pool_s_2",
        "shorts/logistic_2.4e-04", "shorts/batch_matmul_0"}) {
    EXPECT_EQ(note(model, " --target cortex-m3"), "") << model;
  }
  for (const char* const model : {"elementwise/add_f32", "elementwise/quantize_i8",
                                  "elementwise/dequantize_i8", "elementwise/tanh_f32"}) {
    EXPECT_EQ(note(model, " --target cortex-m3"),
              "note: cortex-m3 has no FPU: 1 layer computes with floats, at about 145 times the "
              "instructions of a Cortex-M4F; --verbose lists them\n")
        << model;
    EXPECT_EQ(note(model, " --target cortex-m4f"), "") << model;
    EXPECT_EQ(note(model, " --target cortex-m3 --quiet"), "") << model;
  }
  EXPECT_NE(note("elementwise/add_f32", " --target cortex-m3 --verbose").find("Cortex-M4F: "),
            std::string::npos);
}

}  // namespace
}  // namespace weft::cli
