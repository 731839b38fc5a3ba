// SPDX-License-Identifier: Apache-2.0
// Zeroed heap memory with the alignment that models, state and scratch require, freed with its
// owner. Pages of large blocks are allocated on the first write. On Linux large blocks request huge
// pages, because a model that exceeds the caches would otherwise exceed the processor's TLB.
#ifndef WEFT_CONVERTER_BASE_ALIGNED_BYTES_H_
#define WEFT_CONVERTER_BASE_ALIGNED_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace weft {

class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size);
  explicit AlignedBytes(std::span<const std::byte> from) : AlignedBytes(from.size()) {
    std::ranges::copy(from, data_);
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
