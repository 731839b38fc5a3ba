// SPDX-License-Identifier: Apache-2.0
// Shared by all kernel tests: inputs derived from integers (identical on every machine), arrays
// with any misalignment and a checked end, and one run per supported Highway target. A fingerprint
// of expected results verifies that every processor computes the same bits.
#ifndef WEFT_TESTS_KERNELS_HARNESS_H_
#define WEFT_TESTS_KERNELS_HARNESS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/reference/reference.h"
#include "kernels/simd/dots.h"
#include "tests/address_sanitizer.h"
#include "tests/kernels/every_target.h"
#include "tests/rounds.h"

namespace weft::kernels {

// SplitMix64 generator.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // A value in [0, limit).
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>((Next() >> 32) % limit); }
  // A multiple of 2^-18 in [-limit, limit]; limit is an integer.
  float Float(int32_t limit) {
    const int32_t steps = limit << 18;
    const int64_t at = static_cast<int64_t>(Next() % (2 * static_cast<uint64_t>(steps) + 1));
    return static_cast<float>(at - steps) / 262144.0f;
  }
  std::vector<float> Floats(size_t count, int32_t limit) {
    std::vector<float> values(count);
    for (float& value : values) value = Float(limit);
    return values;
  }
  // Multiples of 1/4 below steps / 4, so that many are equal.
  std::vector<float> Coarse(size_t count, uint32_t steps) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(Below(steps)) * 0.25f;
    return values;
  }

 private:
  uint64_t state_;
};

#if WEFT_ADDRESS_SANITIZER
inline constexpr size_t kGuardBytes = 0;  // the sanitizer checks the exact end
#else
inline constexpr size_t kGuardBytes = 64;
#endif

// `count` elements that begin `misalignment` elements after a 64-byte boundary. Checks at
// destruction that the bytes after the end are unchanged.
template <typename T>
class Array {
 public:
  Array(size_t count, size_t misalignment)
      : count_(count), bytes_((misalignment + count) * sizeof(T) + kGuardBytes) {
    memory_ = static_cast<unsigned char*>(::operator new (bytes_ + 1, std::align_val_t{64}));
    std::memset(memory_, 0xA5, bytes_);
    data_ = reinterpret_cast<T*>(memory_) + misalignment;
  }
  Array(const std::vector<T>& values, size_t misalignment) : Array(values.size(), misalignment) {
    if (count_ != 0) std::memcpy(data_, values.data(), count_ * sizeof(T));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    for (size_t i = bytes_ - kGuardBytes; i < bytes_; ++i) EXPECT_EQ(memory_[i], 0xA5);
    ::operator delete (memory_, std::align_val_t{64});
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::vector<T> Values() const { return std::vector<T>(data_, data_ + count_); }

 private:
  size_t count_;
  size_t bytes_;
  unsigned char* memory_;
  T* data_;
};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline bool SameBits(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}
template <typename T>
bool SameBits(T a, T b) {
  return a == b;
}

// Calls run(y) for each target, with and without the instructions of dots.h, on a new y of `count`
// elements. All must write the same bits (all NaNs are equal). Returns these results.
template <typename T, class Run>
std::vector<T> OnEveryTarget(size_t count, size_t misalignment, const Run& run) {
  std::vector<T> first;
  bool has_first = false;
  const auto run_once = [&] {
    Array<T> y(count, misalignment);
    run(y.data());
    if (!has_first) {
      first = y.Values();
      has_first = true;
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(SameBits(first[i], y[i]))
          << "element " << i << ": " << +first[i] << ", " << +y[i];
    }
  };
  ForEachTarget(run_once);
#if defined(WEFT_DOTS)
  for (const uint32_t forbidden : {kMatrixDotsOfNeon, kTilesOfAmx}) {
    if ((Dots() & forbidden) == 0) continue;
    ForbidDots(forbidden);
    ForEachTarget(run_once);
    ForbidDots(0);
  }
  ForbidDots(~0u);
  ForEachTarget(run_once);
  ForbidDots(0);
#endif
  return first;
}

// Compares element by element, bit for bit.
template <typename T>
void ExpectSame(const std::vector<T>& is, const std::vector<T>& must) {
  ASSERT_EQ(is.size(), must.size());
  for (size_t i = 0; i < is.size(); ++i) {
    ASSERT_TRUE(SameBits(is[i], must[i])) << "element " << i << ": " << +is[i] << ", " << +must[i];
  }
}

// FNV-1a over results. All NaNs are hashed equally, because their bits are not part of the
// contract.
class Fingerprint {
 public:
  template <typename T>
  void Add(const std::vector<T>& values) {
    for (const T& value : values) Add(&value, sizeof value);
  }
  void Add(const std::vector<float>& values) {
    for (float value : values) {
      if (std::isnan(value)) value = 12345.0f;
      Add(&value, sizeof value);
    }
  }
  uint64_t value() const { return hash_; }

 private:
  void Add(const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      hash_ = (hash_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3u;
    }
  }
  uint64_t hash_ = 0xCBF29CE484222325u;
};

inline constexpr size_t kWidestPanel = 16;
inline constexpr size_t kMisalignments[] = {0, 1, 3};

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_HARNESS_H_
