// SPDX-License-Identifier: Apache-2.0
// The heap is never used, neither when a valid model is opened and run, nor when an invalid one is
// rejected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>
#if defined(__NEWLIB__)
#include <malloc.h>
#include <reent.h>
#endif

#include "runtime/verify.h"
#include "tests/address_sanitizer.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace {
volatile bool trapping = false;
volatile size_t call_count = 0;

void Count() {
  if (trapping) call_count = call_count + 1;
}
}  // namespace

// All allocation functions, including operators new and delete, call these.
#if WEFT_ADDRESS_SANITIZER
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
namespace {
const int kInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { Count(); }, [](const volatile void*) { Count(); });
}
#else
extern "C" {
#if defined(__NEWLIB__)
void* __libc_malloc(size_t bytes) { return _malloc_r(_REENT, bytes); }
void* __libc_calloc(size_t count, size_t bytes) { return _calloc_r(_REENT, count, bytes); }
void* __libc_realloc(void* block, size_t bytes) { return _realloc_r(_REENT, block, bytes); }
void* __libc_memalign(size_t alignment, size_t bytes) {
  return _memalign_r(_REENT, alignment, bytes);
}
void __libc_free(void* block) { _free_r(_REENT, block); }
#else
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
#endif

void* malloc(size_t bytes) {
  Count();
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  Count();
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  Count();
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  Count();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  Count();
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? 12 : 0;
}
#if defined(__NEWLIB__)
void* memalign(size_t alignment, size_t bytes) {
  Count();
  return __libc_memalign(alignment, bytes);
}
#endif
void free(void* block) {
  Count();
  __libc_free(block);
}
}
#endif

namespace weft::test {
namespace {

class Trap {
 public:
  Trap() {
    call_count = 0;
    trapping = true;
  }
  ~Trap() { trapping = false; }
  size_t count() const { return call_count; }
};

TEST(Trap, SeesTheHeap) {
  size_t count = 0;
  {
    const Trap trap;
    void* volatile block = std::malloc(100);
    std::free(block);
    int* volatile number = new int(3);
    delete number;
    std::vector<std::byte>* volatile bytes = new std::vector<std::byte>(10);
    delete bytes;
    const ExactBytes aligned(10);
    count = trap.count();
  }
  EXPECT_GE(count, 9u);
}

struct Used {
  Fault opened, ran, all, checked;
  size_t heap_calls;
};

// Calls everything that a device calls, between two reads of the allocation counter.
Used Use(const ExactBytes& file, const ExactBytes& state, const ExactBytes& scratch) {
  Used used = {};
  const Trap trap;
  Needs needs;
  Engine engine;
  char text[200];
  used.opened = ReadNeeds(file.bytes(), &needs);
  used.opened = Engine::Open(file.bytes(), AllSteps(), {state.block(), scratch.block()}, &engine);
  FillInputs(engine);
  used.ran = engine.Run();
  engine.Reset();
  engine.output("y");
  engine.input_name(0);
  used.all = VerifyAll(file.bytes(), AllSteps(), {});
  Describe(used.opened, text, sizeof(text));
  Checksum(file.bytes());
  FileCheck check;
  used.checked = CheckSome(file.bytes(), file.size() / 2, &check);
  used.heap_calls = trap.count();
  return used;
}

TEST(Engine, NeverAsksTheHeap) {
  std::vector<ExactBytes> files = {EveryFeature().b.Finish()};
  for (StepSample& sample : EveryStep()) files.push_back(sample.builder.Finish());
  for (const ExactBytes& file : files) {
    Needs needs;
    ASSERT_TRUE(ReadNeeds(file.bytes(), &needs).ok());
    const ExactBytes state(needs.state_bytes), scratch(needs.scratch_bytes);
    const Used used = Use(file, state, scratch);
    EXPECT_TRUE(used.opened.ok()) << Loaded::TextOf(used.opened);
    EXPECT_TRUE(used.all.ok());
    EXPECT_EQ(used.heap_calls, 0u);
  }
}

TEST(Engine, NeverAsksTheHeapToRefuse) {
  Features f = EveryFeature();
  f.b.steps[0].mutate_param(77);
  const ExactBytes state(1000), scratch(1000);
  const Used used = Use(f.b.Finish(), state, scratch);
  EXPECT_EQ(used.opened.code, FaultCode::kStepParam);
  EXPECT_EQ(used.ran.code, FaultCode::kEngineClosed);
  EXPECT_EQ(used.heap_calls, 0u);
}

}  // namespace
}  // namespace weft::test
