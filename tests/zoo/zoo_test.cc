// SPDX-License-Identifier: Apache-2.0
// Converts every committed model of an architecture, compares its outputs, and where its case.json
// says that it streams, runs it step by step: the parts joined must be the same outputs.
#include <gtest/gtest.h>

#include "tests/conformance/golden.h"

namespace weft {
namespace {

const std::filesystem::path kModels = WEFT_SOURCE_DIR "/tests/zoo/models";

class Zoo : public GoldenCase {
 protected:
  Zoo() : GoldenCase(kModels) {}
};

// Copies the part that run `run` takes or gives, between a whole array and a tensor of one run.
void MovePart(std::byte* whole, const Tensor& part, const graph::StreamedPort& port, size_t run,
              bool to_part) {
  size_t rows = 1;
  for (int64_t axis = 0; port.time && axis < port.time->axis; ++axis) rows *= part.dims[axis];
  const size_t bytes = part.bytes / rows;
  const size_t row_bytes =
      port.time ? bytes * static_cast<size_t>(port.time->all_places / port.time->places) : bytes;
  for (size_t row = 0; row < rows; ++row) {
    std::byte* there = whole + row * row_bytes + (port.time ? run * bytes : 0);
    std::byte* here = static_cast<std::byte*>(part.data) + row * bytes;
    std::memcpy(to_part ? here : there, to_part ? there : here, bytes);
  }
}

TEST_P(Zoo, Agrees) { RunAndCompare(); }

TEST_P(Zoo, Streams) {
  if (!json_.value("streams", false)) return;
  ConvertAndOpen(1);
  if (HasFailure()) return;
  std::vector<cli::Array> arrays = Arrays();
  Engine& engine = model_->engine();
  const size_t inputs = engine.input_count();
  std::vector<std::vector<std::byte>> made;
  for (size_t i = inputs; i < arrays.size(); ++i) made.emplace_back(arrays[i].bytes.size());
  for (size_t run = 0; run < static_cast<size_t>(streamed_->all_steps); ++run) {
    for (uint32_t i = 0; i < inputs; ++i) {
      MovePart(arrays[i].bytes.data(), engine.input(i), streamed_->inputs[i], run, true);
    }
    ASSERT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < made.size(); ++i) {
      MovePart(made[i].data(), engine.output(i), streamed_->outputs[i], run, false);
    }
  }
  const Tolerance tolerance{json_.at("rtol"), json_.at("atol")};
  for (size_t i = 0; i < made.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    const cli::Array& expected = arrays[inputs + i];
    Compare(made[i].data(), expected.type.type, expected.bytes.data(), made[i].size(), tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Zoo, testing::ValuesIn(CaseNamesIn(kModels)), TestNameOf);

}  // namespace
}  // namespace weft
