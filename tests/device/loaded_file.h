// SPDX-License-Identifier: Apache-2.0
// Model files that the host has converted, on the target of the test: the bytes, memory of exactly
// the sizes that the file requires, and an engine over both.
#ifndef WEFT_TESTS_DEVICE_LOADED_FILE_H_
#define WEFT_TESTS_DEVICE_LOADED_FILE_H_

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "runtime/weft.h"
#include "tests/runtime/exact_bytes.h"

namespace weft {

using test::ExactBytes;

// A file that cannot be read is a failure and gives an empty block, which no engine opens.
inline std::unique_ptr<ExactBytes> ReadModelFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(stream.good()) << path << " cannot be read; the target weft_models makes it";
  auto file = std::make_unique<ExactBytes>(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(file->data()), static_cast<std::streamsize>(file->size()));
  return file;
}

// An engine with its own state, and with its own or a shared scratch.
struct Stream {
  Stream(ExactBytes& model, std::shared_ptr<ExactBytes> shared_scratch = nullptr) {
    const Bytes bytes = model.bytes();
    Needs needs;
    EXPECT_TRUE(ReadNeeds(bytes, &needs).ok());
    state = std::make_unique<ExactBytes>(needs.state_bytes);
    scratch = shared_scratch ? std::move(shared_scratch)
                             : std::make_shared<ExactBytes>(needs.scratch_bytes);
    Memory memory;
    memory.state = state->block();
    memory.scratch = scratch->block();
    EXPECT_TRUE(Engine::Open(bytes, AllSteps(), memory, &engine).ok());
  }

  std::unique_ptr<ExactBytes> state;
  std::shared_ptr<ExactBytes> scratch;
  Engine engine;
};

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_LOADED_FILE_H_
