// SPDX-License-Identifier: Apache-2.0
// The guards of ExactBytes, on which these tests stand where no sanitizer watches.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

#include "tests/runtime/exact_bytes.h"

namespace weft::test {
namespace {

// Changes the byte at `offset` from the first one of a block of `size`, and gives the block back.
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
  EXPECT_NONFATAL_FAILURE(Damage(100, 100), "byte 0 of the guard behind");
  EXPECT_NONFATAL_FAILURE(Damage(0, 63), "byte 63 of the guard behind");
  EXPECT_NONFATAL_FAILURE(Damage(100, -1), "byte 63 of the guard before");
}

}  // namespace
}  // namespace weft::test
