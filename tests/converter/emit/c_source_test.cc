// SPDX-License-Identifier: Apache-2.0
// Facts of a model that its header has.
#include "converter/emit/c_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "converter/base/aligned_bytes.h"
#include "converter/base/stated_codes.h"
#include "converter/ir/read.h"
#include "converter/pipeline.h"
#include "runtime/weft.h"

namespace weft::emit {
namespace {

TEST(CSourceHeader, HasTheStateLayoutOfAModelAtAnyAddress) {
  pipeline::ConvertOptions options;
  options.model = WEFT_FIXTURES_DIR "/cases/streaming/convolutions_then_gru/model.xml";
  options.streaming_steps = 4;
  Faults faults;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  ASSERT_TRUE(converted.has_value());
  const size_t bytes = converted->file.size();
  const AlignedBytes memory(bytes + 2 * size_t{kModelAlignment});
  std::memcpy(memory.data(), converted->file.data(), bytes);
  const uint64_t layout = StateLayout({memory.data(), bytes});
  EXPECT_NE(layout, 0u);
  for (const size_t offset : {size_t{0}, size_t{8}, size_t{16}, size_t{48}}) {
    std::byte* model = memory.data() + offset;
    std::memcpy(model, converted->file.data(), bytes);
    const CSource c = WriteCSource({std::span<const std::byte>(model, bytes), "m", ""});
    EXPECT_NE(c.header.find(fmt::format("#define M_STATE_LAYOUT UINT64_C(0x{:016x})\n", layout)),
              std::string::npos)
        << offset;
  }
}

// The entry of a step kind has int16 values, int8 values or both, as the model has.
TEST(CSource, NamesTheEntriesOfInt16Steps) {
  for (const auto& [name, entry] :
       {std::pair("conv_c3_o5_k23_s2_d1_s", "{weft_check_conv_q8_shorts, weft_run_conv_q8_shorts}"),
        std::pair("add_0", "{weft_check_binary_q8_shorts, weft_run_binary_q8_shorts}"),
        std::pair("sums_of_both", "{weft_check_binary_q8_mixed, weft_run_binary_q8_mixed}")}) {
    pipeline::ConvertOptions options;
    options.model = fmt::format("{}/tflite/shorts/{}/model.tflite", WEFT_FIXTURES_DIR, name);
    Faults faults;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    ASSERT_TRUE(converted.has_value()) << name;
    const CSource c = WriteCSource(
        {std::span<const std::byte>(converted->file.data(), converted->file.size()), "m", ""});
    EXPECT_NE(c.source.find(entry), std::string::npos) << name;
  }
}

// The first input's scale would have the name of the second input.
TEST(CSourceHeader, GivesScalesNamesOfTheirOwn) {
  std::string layers, edges;
  for (int i = 0; i < 2; ++i) {
    constexpr const char* kDims = "<dim>1</dim><dim>4</dim></port>";
    layers += fmt::format(R"(<layer id="{0}" name="{1}" type="Parameter" version="opset1">)"
                          R"(<data shape="1,4" element_type="i8"/>)"
                          R"(<output><port id="0" precision="I8" names="{1}">{2}</output></layer>)"
                          R"(<layer id="{3}" name="r{0}" type="Result" version="opset1">)"
                          R"(<input><port id="0">{2}</input></layer>)",
                          i, i == 0 ? "x" : "x_scale", kDims, i + 2);
    edges +=
        fmt::format(R"(<edge from-layer="{}" from-port="0" to-layer="{}" to-port="0"/>)", i, i + 2);
  }
  const std::string xml = fmt::format(
      R"(<net name="n" version="11"><layers>{}</layers><edges>{}</edges></net>)", layers, edges);
  pipeline::ConvertOptions options;
  options.model = "model.xml";
  options.in_memory = ir::IrBytes{std::as_bytes(std::span(xml)), {}};
  Faults faults;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  ASSERT_TRUE(converted.has_value()) << faults.lines().front();
  const PortCodes codes = {StatedCodes{0.5f, 3}, StatedCodes{2, -4}};
  const CSource c = WriteCSource({converted->file, "m", "", codes, {}});
  for (const char* line :
       {"  M_INPUT_X_SCALE = 1,", "#define M_INPUT_X_SCALE_2 0.5f\n", "  M_INPUT_X_ZERO_POINT = 3,",
        "#define M_INPUT_X_SCALE_SCALE 2.0f\n", "  M_INPUT_X_SCALE_ZERO_POINT = -4,"}) {
    EXPECT_NE(c.header.find(line), std::string::npos) << line << c.header;
  }
}

}  // namespace
}  // namespace weft::emit
