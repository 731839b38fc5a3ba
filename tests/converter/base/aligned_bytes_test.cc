// SPDX-License-Identifier: Apache-2.0
#include "converter/base/aligned_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/weft.h"

namespace weft {
namespace {

TEST(AlignedBytes, AreZeroAndAlignedAtAnySize) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{4097},
                            (size_t{4} << 20) - 1, size_t{4} << 20, (size_t{4} << 20) + 1}) {
    AlignedBytes bytes(size);
    ASSERT_EQ(bytes.size(), size);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % kModelAlignment, 0u) << size;
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(bytes.data()[i], std::byte{0}) << size;
    std::memset(bytes.data(), 0xA5, size);  // the sanitizer checks that all bytes are owned
  }
}

TEST(AlignedBytes, StayWhereTheyAreWhenTheyMove) {
  AlignedBytes bytes(size_t{5} << 20);
  std::byte* const data = bytes.data();
  const AlignedBytes moved = std::move(bytes);
  EXPECT_EQ(moved.data(), data);
}

}  // namespace
}  // namespace weft
