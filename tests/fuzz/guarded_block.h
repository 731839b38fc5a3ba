// SPDX-License-Identifier: Apache-2.0
// Memory of exactly the requested size that ends or begins at an inaccessible page. Unlike a
// sanitizer, the page also stops vector instructions; a sanitizer also detects accesses to the
// bytes between the block and the other page.
#ifndef WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_
#define WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_

#include <cstddef>

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
      : pages_(bytes),
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
  }

  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }
  Block block() const { return {data_, bytes_}; }
  Bytes bytes() const { return {data_, bytes_}; }

 private:
  const test::GuardedMemory pages_;
  std::byte* const data_;
  const size_t bytes_;
};

}  // namespace weft::fuzz

#endif  // WEFT_TESTS_FUZZ_GUARDED_BLOCK_H_
