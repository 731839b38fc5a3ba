// SPDX-License-Identifier: Apache-2.0
// Zeroed heap memory at the alignment that models, state and scratch want, freed with its owner.
// Large blocks cost no pages before they are written to.
#ifndef WEFT_CONVERTER_BASE_ALIGNED_BYTES_H_
#define WEFT_CONVERTER_BASE_ALIGNED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/weft.h"

namespace weft {

class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size) : owned_(std::calloc(size + kModelAlignment, 1)), size_(size) {
    if (owned_ == nullptr) throw std::bad_alloc();
    const auto address = reinterpret_cast<uintptr_t>(owned_.get());
    data_ = static_cast<std::byte*>(owned_.get()) + (kModelAlignment - address % kModelAlignment);
  }
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<void, Free> owned_;
  std::byte* data_ = nullptr;
  size_t size_;
};

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_ALIGNED_BYTES_H_
