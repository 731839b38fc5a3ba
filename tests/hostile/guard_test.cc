// SPDX-License-Identifier: Apache-2.0
// The guards of ExactBytes, which these tests rely on without a sanitizer.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

#include "tests/runtime/exact_bytes.h"

namespace weft::test {
namespace {

// Changes the byte at `offset` relative to the start of a block of `size`, then frees the block.
void Damage(size_t size, std::ptrdiff_t offset) {
  std::optional<ExactBytes> block(size);
  volatile std::byte* byte = block->data() + offset;
  *byte = std::byte{0};
  block.reset();
}

TEST(ExactBytes, TellsOfBytesWrittenBesideIt) {
  if (kGuardBytes == 0) GTEST_SKIP() << "a sanitizer ends the program instead";
  Damage(100, 0);
  Damage(100, 99);
  EXPECT_NONFATAL_FAILURE(Damage(100, 100), "byte 0 of the guard after");
  EXPECT_NONFATAL_FAILURE(Damage(0, 63), "byte 63 of the guard after");
  EXPECT_NONFATAL_FAILURE(Damage(100, -1), "byte 63 of the guard before");
}

}  // namespace
}  // namespace weft::test
