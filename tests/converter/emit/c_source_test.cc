// SPDX-License-Identifier: Apache-2.0
// The header of a model in memory that is not aligned.
#include "converter/emit/c_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "converter/base/aligned_bytes.h"
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
    const CSource c = WriteCSource(std::span<const std::byte>(model, bytes), "m", "", {});
    EXPECT_NE(c.header.find(fmt::format("#define M_STATE_LAYOUT UINT64_C(0x{:016x})\n", layout)),
              std::string::npos)
        << offset;
  }
}

}  // namespace
}  // namespace weft::emit
