// SPDX-License-Identifier: Apache-2.0
// Model files that the host has converted, on whatever target a test runs: the bytes, memory of
// exactly the sizes that the file asks for, and an engine over both.
#ifndef WEFT_TESTS_DEVICE_LOADED_FILE_H_
#define WEFT_TESTS_DEVICE_LOADED_FILE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include "runtime/weft.h"

namespace weft {

// Starts out as rubbish.
class AlignedBlock {
 public:
  explicit AlignedBlock(size_t bytes)
      : data_(::operator new (bytes + 1, std::align_val_t{kModelAlignment})), bytes_(bytes) {
    std::memset(data_, 0xCD, bytes);
  }
  AlignedBlock(const AlignedBlock&) = delete;
  AlignedBlock& operator=(const AlignedBlock&) = delete;
  ~AlignedBlock() { ::operator delete (data_, std::align_val_t{kModelAlignment}); }
  char* data() { return static_cast<char*>(data_); }
  size_t bytes() const { return bytes_; }
  Block block() { return {data_, bytes_}; }

 private:
  void* data_;
  size_t bytes_;
};

// A file that cannot be read is a failure and gives no bytes, which no engine opens.
inline std::unique_ptr<AlignedBlock> ReadModelFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(stream.good()) << path << " cannot be read; the target weft_models makes it";
  auto file = std::make_unique<AlignedBlock>(stream ? static_cast<size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(file->data(), static_cast<std::streamsize>(file->bytes()));
  return file;
}

// An engine with a state of its own, and a scratch of its own or one that others use too.
struct Stream {
  Stream(AlignedBlock& model, std::shared_ptr<AlignedBlock> shared_scratch = nullptr) {
    const Bytes bytes{model.data(), model.bytes()};
    Needs needs;
    EXPECT_TRUE(ReadNeeds(bytes, &needs).ok());
    state = std::make_unique<AlignedBlock>(needs.state_bytes);
    scratch = shared_scratch ? std::move(shared_scratch)
                             : std::make_shared<AlignedBlock>(needs.scratch_bytes);
    Memory memory;
    memory.state = state->block();
    memory.scratch = scratch->block();
    EXPECT_TRUE(Engine::Open(bytes, AllSteps(), memory, &engine).ok());
  }

  std::unique_ptr<AlignedBlock> state;
  std::shared_ptr<AlignedBlock> scratch;
  Engine engine;
};

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_LOADED_FILE_H_
