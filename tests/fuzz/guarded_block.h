// SPDX-License-Identifier: Apache-2.0
// Memory of exactly the requested size that ends or begins at an inaccessible page. Unlike a
// sanitizer, the page also stops vector instructions; a sanitizer also detects accesses to the
// bytes between the block and the other page.
#ifndef WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_
#define WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/weft.h"
#include "tests/address_sanitizer.h"
#include "tests/hostile/guard_pages.h"

#if WEFT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace weft::fuzz {

class GuardedBlock {
 public:
  GuardedBlock(size_t bytes, size_t alignment, bool at_begin)
      : pages_(TakePages(bytes)),
        data_(at_begin ? pages_.begin() : pages_.Last(bytes, alignment)),
        bytes_(bytes) {
#if WEFT_ADDRESS_SANITIZER
    ASAN_POISON_MEMORY_REGION(pages_.begin(), pages_.bytes());
    ASAN_UNPOISON_MEMORY_REGION(data_, bytes_);
#endif
  }
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;
  ~GuardedBlock() {
#if WEFT_ADDRESS_SANITIZER
    ASAN_UNPOISON_MEMORY_REGION(pages_.begin(), pages_.bytes());
#endif
    if (auto* unused = Unused(bytes_)) unused->push_back(std::move(pages_));
  }

  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  Block block() const { return {data_, bytes_}; }
  Bytes bytes() const { return {data_, bytes_}; }

 private:
  // The mappings for blocks of this size that no block uses; null for large blocks, which are
  // unmapped. A new mapping costs three system calls and a page fault for each page.
  static std::vector<test::GuardedMemory>* Unused(size_t bytes) {
    static std::array<std::vector<test::GuardedMemory>, 64> unused;
    const size_t pages = bytes / 4096;
    return pages < unused.size() ? &unused[pages] : nullptr;
  }
  static test::GuardedMemory TakePages(size_t bytes) {
    auto* unused = Unused(bytes);
    if (unused == nullptr || unused->empty()) return test::GuardedMemory(bytes);
    test::GuardedMemory pages = std::move(unused->back());
    unused->pop_back();
    return pages;
  }

  test::GuardedMemory pages_;
  std::byte* const data_;
  const size_t bytes_;
};

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_
