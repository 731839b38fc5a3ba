// SPDX-License-Identifier: Apache-2.0
// L2 normalisation of int8 rows, against double precision. The codes of tflite-micro are in
// tests/tflite.
#include "kernels/reference/normalize_q8.h"

#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<int8_t> RunCodes(const NormalizeQ8Shape& shape, const std::vector<int8_t>& x) {
  std::vector<int8_t> y(x.size());
  NormalizeQ8(shape, x.data(), y.data());
  std::vector<int8_t> over = x;
  NormalizeQ8(shape, over.data(), over.data());
  EXPECT_EQ(over, y);
  return y;
}

TEST(NormalizeQ8, IsCloseToItsReference) {
  Random random(1);
  for (uint32_t i = 0; i < 200; ++i) {
    const uint32_t length = 1 + random.Below(i % 20 == 0 ? 400 : 40);
    const NormalizeQ8Shape shape = {2, length, CodeAtRandom(&random)};
    const std::vector<int8_t> x = CodesAtRandom(&random, size_t{2} * length);
    const std::vector<int8_t> y = RunCodes(shape, x);
    for (size_t k = 0; k < y.size(); ++k) {
      const double must = NormalizeQ8Reference(shape, x.data() + k / length * length, k % length);
      ASSERT_NEAR(y[k], must, 1) << i << ' ' << k;
    }
  }
}

// The sum of squares is 255^2 times the length; 128 / sqrt(length) is 0.7.
TEST(NormalizeQ8, HoldsTheLongestRow) {
  const std::vector<int8_t> x(kMaxNormalizeLength, 127);
  EXPECT_EQ(RunCodes({1, kMaxNormalizeLength, -128}, x),
            std::vector<int8_t>(kMaxNormalizeLength, 1));
}

TEST(NormalizeQ8, KeepsZerosAndUnits) {
  EXPECT_EQ(RunCodes({2, 3, 5}, {5, 5, 5, 6, 5, 5}), (std::vector<int8_t>{0, 0, 0, 127, 0, 0}));
  EXPECT_EQ(RunCodes({1, 2, 5}, {4, 5}), (std::vector<int8_t>{-128, 0}));
}

TEST(NormalizeQ8, DoesNothingWithoutElements) {
  int8_t y = 7;
  NormalizeQ8({0xFFFFFFFFu, 0, 0}, nullptr, &y);
  NormalizeQ8({0, 5, 0}, nullptr, &y);
  EXPECT_EQ(y, 7);
}

}  // namespace
}  // namespace weft::kernels
