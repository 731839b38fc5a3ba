// SPDX-License-Identifier: Apache-2.0
// A model is never written: every stored one runs its self test directly from a read-only mapping,
// as it would from flash. A write would end this program.
#include <gtest/gtest.h>

#if defined(__unix__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"

namespace weft {
namespace {

// A file, mapped read-only; empty if it cannot be mapped.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY);
    struct stat about = {};
    if (descriptor < 0 || fstat(descriptor, &about) != 0) return;
    size_ = static_cast<size_t>(about.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
  }
  Bytes bytes() const { return data_ == MAP_FAILED ? Bytes{} : Bytes{data_, size_}; }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

TEST(Mapping, RunsEveryModelWithoutWritingToIt) {
  size_t models = 0;
  for (const StoredCase& stored : StoredCases()) {
    SCOPED_TRACE(stored.name);
    const Mapping model(ModelPath(stored.name));
    Needs needs;
    ASSERT_TRUE(ReadNeeds(model.bytes(), &needs).ok());
    const ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
    Engine engine;
    Memory memory;
    memory.state = state.block();
    memory.scratch = scratch.block();
    ASSERT_TRUE(Engine::Open(model.bytes(), AllSteps(), memory, &engine).ok());
    Mismatch mismatch;
    EXPECT_TRUE(engine.SelfTest(&mismatch).ok());
    ++models;
  }
  EXPECT_GT(models, 1000u);
}

}  // namespace
}  // namespace weft
#endif
