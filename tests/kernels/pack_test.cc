// SPDX-License-Identifier: Apache-2.0
// The bytes of packed weights, which files contain.
#include "kernels/matrix/pack.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace weft::kernels {
namespace {

std::vector<int8_t> Packed(uint32_t outputs, uint32_t inputs) {
  std::vector<int8_t> rows(size_t{outputs} * inputs), packed(PackedDenseI8Bytes(outputs, inputs));
  std::iota(rows.begin(), rows.end(), int8_t{1});
  PackDenseI8(rows.data(), outputs, inputs, packed.data());
  return packed;
}

TEST(Pack, StoresFourOutputsInAPanelOfFour) {
  std::vector<int8_t> must(2 * 4 * 16);
  for (size_t output = 0; output < 4; ++output) {
    for (size_t input = 0; input < 18; ++input) {
      const size_t block = input / 16;
      must[(block * 4 + output) * 16 + input % 16] = static_cast<int8_t>(1 + output * 18 + input);
    }
  }
  EXPECT_EQ(Packed(4, 18), must);
}

TEST(Pack, StoresOneOutputWithThreeOfZeros) {
  std::vector<int8_t> must(4 * 16);
  must[0] = 1, must[1] = 2, must[2] = 3;
  EXPECT_EQ(Packed(1, 3), must);
}

TEST(Pack, StoresTheLastOutputsAfterAPanelOf16) {
  std::vector<int8_t> must(16 * 16 + 8 * 16);
  for (size_t output = 0; output < 21; ++output) {
    must[output * 16] = static_cast<int8_t>(1 + 2 * output);
    must[output * 16 + 1] = static_cast<int8_t>(2 + 2 * output);
  }
  EXPECT_EQ(Packed(21, 2), must);
}

TEST(Pack, PadsOutputsOfIntegersToTheWidthsOfPanels) {
  constexpr uint64_t kWidths[] = {0, 4, 4, 4, 4, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16};
  for (uint32_t outputs = 0; outputs <= 16; ++outputs) {
    EXPECT_EQ(PaddedOutputsI8(outputs), kWidths[outputs]);
    EXPECT_EQ(PaddedOutputsI8(32 + outputs), 32 + kWidths[outputs]);
    EXPECT_EQ(PackedDenseI8Bytes(outputs, 33), kWidths[outputs] * 48);
  }
  EXPECT_EQ(PaddedOutputsI8(0xFFFFFFFFu), uint64_t{1} << 32);
}

TEST(Pack, FindsEveryWeight) {
  for (const uint32_t outputs : {3u, 7u, 12u, 20u, 37u}) {
    for (const uint32_t inputs : {1u, 16u, 35u}) {
      const std::vector<int8_t> packed = Packed(outputs, inputs);
      for (size_t i = 0; i < size_t{outputs} * inputs; ++i) {
        const size_t at = PositionInI8(outputs, inputs, i / inputs, i % inputs);
        ASSERT_LT(at, packed.size());
        EXPECT_EQ(packed[at], static_cast<int8_t>(i + 1)) << outputs << "x" << inputs;
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
