// SPDX-License-Identifier: Apache-2.0
// Memory for models, states and scratches, of exactly the requested size. Guards detect writes
// outside it on every target; only a sanitizer detects reads outside it.
#ifndef WEFT_TESTS_RUNTIME_EXACT_BYTES_H_
#define WEFT_TESTS_RUNTIME_EXACT_BYTES_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/weft.h"
#include "tests/address_sanitizer.h"

namespace weft::test {

#if WEFT_ADDRESS_SANITIZER
inline constexpr size_t kGuardBytes = 0;  // the sanitizer detects every access outside
#else
inline constexpr size_t kGuardBytes = 64;
#endif

// Exactly `size` bytes at a multiple of 64, filled with a pattern that no test writes by chance.
// The same pattern is before and after them; the destructor reports a failure if it has changed.
class ExactBytes {
 public:
  ExactBytes() = default;
  explicit ExactBytes(size_t size)
      : block_(
            static_cast<std::byte*>(::operator new (size + 2 * kGuardBytes, std::align_val_t{64}))),
        size_(size) {
    std::memset(block_, kPattern, size + 2 * kGuardBytes);
  }
  ExactBytes(const ExactBytes& other) : ExactBytes(other.size_) {
    if (size_ != 0) std::memcpy(data(), other.data(), size_);
  }
  ExactBytes(ExactBytes&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ExactBytes& operator=(ExactBytes other) noexcept {
    std::swap(block_, other.block_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ExactBytes() {
    if (block_ == nullptr) return;
    ExpectPattern(block_, "before it");
    ExpectPattern(data() + size_, "after it");
    ::operator delete (block_, std::align_val_t{64});
  }
  std::byte* data() const { return block_ == nullptr ? nullptr : block_ + kGuardBytes; }
  size_t size() const { return size_; }
  Bytes bytes() const { return {data(), size_}; }
  Block block() const { return {data(), size_}; }

 private:
  static constexpr unsigned char kPattern = 0xA5;

  static void ExpectPattern(const std::byte* guard, const char* where) {
    size_t i = 0;
    while (i < kGuardBytes && guard[i] == std::byte{kPattern}) ++i;
    if (i < kGuardBytes)
      ADD_FAILURE() << "byte " << i << " of the guard " << where << " is damaged";
  }

  std::byte* block_ = nullptr;
  size_t size_ = 0;
};

}  // namespace weft::test

#endif  // WEFT_TESTS_RUNTIME_EXACT_BYTES_H_
