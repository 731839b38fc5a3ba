// SPDX-License-Identifier: Apache-2.0
// Model files with a valid checksum and one damaged number: every desktop command either rejects
// the file or reads it without accessing memory outside.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/cli/facts.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/report_facts.h"
#include "converter/inspect/listing.h"
#include "converter/pipeline.h"
#include "runtime/verify.h"
#include "tests/runtime/exact_bytes.h"

namespace weft::cli {
namespace {

AlignedBytes StreamedFile() {
  pipeline::ConvertOptions options;
  options.model = WEFT_FIXTURES_DIR "/cases/streaming/convolutions_then_gru/model.xml";
  options.streaming_steps = 4;
  options.self_test_runs = 1;
  Faults faults;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  EXPECT_TRUE(converted.has_value());
  if (!converted) return AlignedBytes(0);
  AlignedBytes file(converted->file.size());
  std::memcpy(file.data(), converted->file.data(), file.size());
  return file;
}

void RepairChecksum(std::byte* file, size_t bytes) {
  format::GetMutableModel(file)->mutate_checksum(Checksum({file, bytes}));
}

// Reads all that run, bench, compare, diff and inspect read. Returns the error lines.
std::vector<std::string> ReadAsCommandsDo(std::span<const std::byte> file) {
  Faults faults;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Of(file, "m.weft", faults);
  if (model == nullptr || !model->Open(faults)) return faults.lines();
  EXPECT_TRUE(FactsOf(*model, kAllFacts).is_object());
  EXPECT_FALSE(inspect::ListingText(model->root()).empty());
  return {};
}

// Offset of the weights. Readers treat all weights equally, so only a sample of them is damaged.
size_t WeightsOffset(const AlignedBytes& file) {
  const auto* weights =
      reinterpret_cast<const std::byte*>(format::GetModel(file.data())->weights()->data());
  return static_cast<size_t>(weights - file.data());
}

TEST(DamagedFiles, AreRefusedOrReadInsideTheirBytes) {
  const AlignedBytes sound = StreamedFile();
  const size_t weights = WeightsOffset(sound);
  const test::ExactBytes file(sound.size());
  size_t read = 0, refused = 0;
  for (size_t at = 0; at + 4 <= file.size(); at += at < weights ? 4 : 512) {
    uint32_t number = 0;
    std::memcpy(&number, sound.data() + at, 4);
    for (const uint32_t other : {0u, number + 1, number - 4, number ^ 0x80000000u, 0x7FFFFFFCu}) {
      std::memcpy(file.data(), sound.data(), sound.size());
      std::memcpy(file.data() + at, &other, 4);
      if (other == number || !VerifyAll(file.bytes(), AllSteps(), {}).ok()) continue;
      RepairChecksum(file.data(), file.size());
      SCOPED_TRACE(testing::Message() << "number at " << at << " is " << other);
      const std::vector<std::string> lines =
          ReadAsCommandsDo({file.data(), static_cast<size_t>(file.size())});
      ++(lines.empty() ? read : refused);
      for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("m.weft: ")) << line;
    }
  }
  EXPECT_GT(read, 0u);
  EXPECT_GT(refused, 0u);
}

// The memory of analyses depends on the number of buffers: one id must not make them use gigabytes.
TEST(DamagedFiles, NameABufferThatIsNone) {
  AlignedBytes file = StreamedFile();
  format::Model* model = format::GetMutableModel(file.data());
  auto* buffers = const_cast<flatbuffers::Vector<uint32_t>*>(model->slot_buffers());
  const uint32_t slots = model->slots()->size();
  for (const uint32_t id : {slots, 1392508935u, 0xFFFFFFFFu}) {
    buffers->Mutate(1, id);
    EXPECT_TRUE(VerifyAll({file.data(), file.size()}, AllSteps(), {}).ok());
    RepairChecksum(file.data(), file.size());
    EXPECT_EQ(ReadAsCommandsDo({file.data(), file.size()}),
              std::vector<std::string>{"m.weft: slot 1: its buffer is " + std::to_string(id) +
                                       "; must be less than " + std::to_string(slots) +
                                       ", the number of slots, so convert again"});
  }
}

}  // namespace
}  // namespace weft::cli
