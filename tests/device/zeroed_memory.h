// SPDX-License-Identifier: Apache-2.0
// Memory of a model as in firmware: aligned to 64 bytes, and zeros in every call of the program.
#ifndef WEFT_TESTS_DEVICE_ZEROED_MEMORY_H_
#define WEFT_TESTS_DEVICE_ZEROED_MEMORY_H_

#include <cstddef>
#include <cstring>
#include <new>

#include "runtime/weft.h"

namespace weft {

struct ZeroedMemory {
  explicit ZeroedMemory(size_t size)
      : block{::operator new (size + 1, std::align_val_t{64}), size} {
    std::memset(block.data, 0, size);
  }
  ~ZeroedMemory() { ::operator delete (block.data, std::align_val_t{64}); }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  Block block;
};

}  // namespace weft

#endif  // WEFT_TESTS_DEVICE_ZEROED_MEMORY_H_
