// SPDX-License-Identifier: Apache-2.0
// Messages about the audio operators; tests/tflite compares their results.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/converter/tflite/custom_operator.h"

namespace weft::tflite {
namespace {

using Type = schema::ElementType;

ModelWriter Window(const std::map<std::string, double>& options) {
  return OneOperator("SignalWindow", {{"x", {8}, Type::i16}, {"w", {8}, Type::i16}},
                     {{"y", {8}, Type::i16}}, MapOf(options));
}

TEST(TfliteSignal, ReportsOptions) {
  EXPECT_EQ(FaultOf(Window({{"shift", 12}})), "0 faults");
  EXPECT_EQ(FaultOf(Window({{"shifts", 12}})), "has no option shift; must have an integer");
  ModelWriter model = Window({{"shift", 12}});
  std::vector<uint8_t>& bytes = model.operators[0].custom_options;
  bytes[bytes.size() - 3] = 0xFF;
  EXPECT_EQ(FaultOf(model), "has no valid options; must have a FlexBuffers map");
  bytes.clear();
  EXPECT_EQ(FaultOf(model), "has no valid options; must have a FlexBuffers map");
  for (size_t length = 0; length < 12; ++length) {
    bytes = MapOf({{"shift", 12}});
    bytes.resize(length);
    EXPECT_NE(FaultOf(model), "0 faults") << length;
  }
}

TEST(TfliteSignal, ReportsTensors) {
  ModelWriter model = Window({{"shift", 12}});
  model.tensors[0].scales = {0.1f};
  model.tensors[0].zeros = {0};
  EXPECT_EQ(FaultOf(model), "has a quantised tensor; must have integers without a scale");
  model = Window({{"shift", 12}});
  model.operators[0].inputs.pop_back();
  EXPECT_EQ(FaultOf(model), "has 1 inputs and 1 outputs; must have 2 and 1");
}

TEST(TfliteSignal, ReportsTables) {
  const auto bank = [](std::vector<int16_t> starts, std::vector<int16_t> widths) {
    return OneOperator("SignalFilterBank",
                       {{"x", {9}, Type::u32},
                        {"w", {4}, Type::i16, BytesOf<int16_t>({1, 2, 3, 4})},
                        {"u", {4}, Type::i16, BytesOf<int16_t>({4, 3, 2, 1})},
                        {"f", {2}, Type::i16, BytesOf<int16_t>(starts)},
                        {"s", {2}, Type::i16, BytesOf<int16_t>({0, 2})},
                        {"n", {2}, Type::i16, BytesOf<int16_t>(widths)}},
                       {{"y", {1}, Type::u64}}, MapOf({{"num_channels", 1}}));
  };
  const std::string inside = "; must be inside of 9 bins and 4 weights";
  EXPECT_EQ(FaultOf(bank({0, 7}, {2, 2})), "0 faults");
  EXPECT_EQ(FaultOf(bank({0, 8}, {2, 2})),
            "band 1 has 2 bins from 8, with weights from 2" + inside);
  EXPECT_EQ(FaultOf(bank({-1, 7}, {2, 2})),
            "band 0 has 2 bins from -1, with weights from 0" + inside);
  EXPECT_EQ(FaultOf(bank({0, 0}, {2, 3})),
            "band 1 has 3 bins from 0, with weights from 2" + inside);
  ModelWriter model = bank({0, 7}, {2, 2});
  model.operators[0].custom_options = MapOf({{"num_channels", 2}});
  EXPECT_EQ(FaultOf(model), "has 2 channels and 2 bands; must have one band more than channels");
}

TEST(TfliteSignal, ReportsBuffers) {
  const auto framer = [](int size, int step, int prefill) {
    return OneOperator("SignalFramer", {{"x", {4}, Type::i16}},
                       {{"y", {2, 5}, Type::i16}, {"valid", {}, Type::boolean}},
                       MapOf({{"frame_size", size}, {"frame_step", step}, {"prefill", prefill}}));
  };
  EXPECT_EQ(FaultOf(framer(5, 2, 1)), "0 faults");
  EXPECT_EQ(FaultOf(framer(0, 2, 1)), "frame_size is 0; must be from 1 to 16777216");
  EXPECT_EQ(FaultOf(framer(5, 6, 1)), "frame_step is 6; must be from 1 to 5");
  EXPECT_EQ(FaultOf(framer(5, 3, 1)),
            "input 0 is [4]; lines must be a multiple of the frame_step 3");
}

// Other operators would compute with the sign of these tensors.
TEST(TfliteSignal, RefusesArithmeticOfUnsignedTensors) {
  ModelWriter model = Window({{"shift", 12}});
  model.operators = {{0, {0, 1}, {2}}};
  for (ModelWriter::Tensor& tensor : model.tensors) tensor.type = Type::u32;
  EXPECT_EQ(FaultOf(model), "has a tensor of u32 or u64; must have i32 or i64, by a CAST before");
}

}  // namespace
}  // namespace weft::tflite
