// SPDX-License-Identifier: Apache-2.0
// Softmax of int8 rows, against codes of tflite-micro and against double precision.
#include "kernels/reference/softmax_q8.h"

#include <algorithm>

#include "kernels/simd/fixed_point.h"
#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<int8_t> RunCodes(const SoftmaxQ8Shape& shape, const std::vector<int8_t>& x) {
  std::vector<int8_t> y(x.size());
  SoftmaxQ8(shape, x.data(), y.data());
  std::vector<int8_t> over = x;
  SoftmaxQ8(shape, over.data(), over.data());
  EXPECT_EQ(over, y);
  return y;
}

// Computed by the integer kernels of TensorFlow Lite for Microcontrollers.
TEST(SoftmaxQ8, ComputesTheCodesOfTfliteMicro) {
  struct Case {
    int32_t mantissa, exponent;
    std::vector<int8_t> x, y;
  };
  const Case cases[] = {{0x66666680, 23, {0, 0, 0, 0}, {-64, -64, -64, -64}},
                        {0x40000000, 25, {-128, 127, 0, 5, 5}, {-128, 127, -128, -128, -128}},
                        {0x40000000,
                         23,
                         {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120},
                         {-128, -128, -128, -127, -127, -125, -123, -118, -110, -94, -64, -9}},
                        {0x40000000, 27, {3, 2, 1, 0, -1, -2}, {34, -68, -106, -120, -125, -127}},
                        {0x51EB8500,
                         21,
                         {-128, -111, -94, -77, -60, -43, -26, -9, 8, 25, 42, 59, 76, 93, 110, 127},
                         {-128, -127, -127, -127, -126, -126, -125, -123, -121, -118, -114, -109,
                          -101, -90, -75, -54}},
                        {0x40000000, 26, {7}, {127}}};
  for (const Case& c : cases) {
    const SoftmaxQ8Shape shape = {1, static_cast<uint32_t>(c.x.size()), {c.mantissa, c.exponent}};
    EXPECT_EQ(RunCodes(shape, c.x), c.y);
  }
}

TEST(SoftmaxQ8, IsCloseToItsReference) {
  Random random(1);
  for (uint32_t i = 0; i < 200; ++i) {
    const uint32_t length = 1 + random.Below(i % 20 == 0 ? 400 : 40);
    const Multiplier by = {static_cast<int32_t>(0x40000000u + random.Below(0x40000000u)),
                           18 + static_cast<int32_t>(random.Below(9))};
    const SoftmaxQ8Shape shape = {2, length, by};
    const std::vector<int8_t> x = CodesAtRandom(&random, size_t{2} * length);
    const std::vector<int8_t> y = RunCodes(shape, x);
    for (size_t k = 0; k < y.size(); ++k) {
      const double must = SoftmaxQ8Reference(shape, x.data() + k / length * length, k % length);
      ASSERT_NEAR(y[k], must, 1) << i << ' ' << k;
    }
  }
}

TEST(SoftmaxQ8, HasShortResults) {
  Random random(2);
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t length = 1 + random.Below(40);
    const Multiplier by = {static_cast<int32_t>(0x40000000u + random.Below(0x40000000u)),
                           18 + static_cast<int32_t>(random.Below(9))};
    const SoftmaxQ8Shape shape = {2, length, by, true};
    const std::vector<int8_t> x = CodesAtRandom(&random, size_t{2} * length);
    std::vector<int16_t> y(x.size());
    SoftmaxQ8(shape, x.data(), y.data());
    for (size_t k = 0; k < y.size(); ++k) {
      const double must = SoftmaxQ8Reference(shape, x.data() + k / length * length, k % length);
      ASSERT_NEAR(y[k], must, 2) << i << ' ' << k;
    }
  }
}

// The definition in softmax_q8.h, one element at a time.
std::vector<int32_t> CodesOf(const SoftmaxQ8Shape& shape, const int8_t* row) {
  const int32_t max = *std::max_element(row, row + shape.length);
  const auto q5_of = [&](size_t i) {
    return (int64_t{row[i]} - max) * (int64_t{1} << shape.multiplier.exponent);
  };
  std::vector<int32_t> exponentials(shape.length);
  uint32_t sum = 0;
  for (size_t i = 0; i < shape.length; ++i) {
    if (q5_of(i) < -(int64_t{31} << 26)) continue;
    const int32_t d = HighProduct(static_cast<int32_t>(q5_of(i)), shape.multiplier.mantissa);
    exponentials[i] = ExpOfNegative(d, 5);
    sum += static_cast<uint32_t>(DivideByPower(exponentials[i], 12));
  }
  int32_t over = 12;
  for (; sum < 0x80000000u; sum *= 2) --over;
  const int32_t reciprocal =
      ShiftSaturated(TwiceReciprocalOfOnePlus(static_cast<int32_t>(sum - 0x80000000u)), 1);
  const int32_t bits = shape.gives_shorts ? 16 : 8;
  std::vector<int32_t> codes;
  for (const int32_t e : exponentials) {
    const int64_t shift = over + 31 - bits, product = HighProduct(reciprocal, e);
    const int64_t y = (product + (int64_t{1} << (shift - 1))) >> shift, units = int64_t{1} << bits;
    codes.push_back(static_cast<int32_t>(std::min(y, units - 1) - units / 2));
  }
  return codes;
}

TEST(SoftmaxQ8, EqualsItsDefinition) {
  Random random(3);
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t length = 1 + random.Below(i % 30 == 0 ? 4095 : 40);
    const Multiplier by = {static_cast<int32_t>(0x40000000u + random.Below(0x40000000u)),
                           static_cast<int32_t>(i % 31)};
    const SoftmaxQ8Shape shape = {1, length, by, i % 2 == 0};
    std::vector<int8_t> x = CodesAtRandom(&random, length);
    if (i % 3 == 0) x.assign(length, x[0]);
    std::vector<int16_t> shorts(length);
    if (shape.gives_shorts) {
      SoftmaxQ8(shape, x.data(), shorts.data());
    } else {
      const std::vector<int8_t> y = RunCodes(shape, x);
      shorts.assign(y.begin(), y.end());
    }
    EXPECT_EQ(std::vector<int32_t>(shorts.begin(), shorts.end()), CodesOf(shape, x.data())) << i;
  }
}

TEST(SoftmaxQ8, HoldsTheLongestRow) {
  const SoftmaxQ8Shape shape = {1, kMaxSoftmaxLength, {1 << 30, 20}};
  const std::vector<int8_t> y = RunCodes(shape, std::vector<int8_t>(kMaxSoftmaxLength, 5));
  EXPECT_EQ(y, std::vector<int8_t>(kMaxSoftmaxLength, -128));
}

TEST(SoftmaxQ8, DoesNothingWithoutElements) {
  int8_t y = 7;
  SoftmaxQ8({0xFFFFFFFFu, 0, {}}, nullptr, &y);
  SoftmaxQ8({0, 5, {}}, nullptr, &y);
  EXPECT_EQ(y, 7);
}

TEST(FixedPoint, IsCloseToItsFunctions) {
  for (int64_t i = -2000; i <= 2000; ++i) {
    const auto q4 = static_cast<int32_t>(i * (kMaxFixed / 2001));
    const double a = std::ldexp(q4, -27);
    EXPECT_NEAR(std::ldexp(FixedLogistic(q4), -31), 1 / (1 + std::exp(-a)), 5e-7) << a;
    EXPECT_NEAR(std::ldexp(FixedTanh(q4), -31), std::tanh(a), 5e-7) << a;
    if (q4 > 0) continue;
    EXPECT_NEAR(std::ldexp(ExpOfNegative(q4, 4), -31), std::exp(a), 5e-7) << a;
    EXPECT_NEAR(std::ldexp(ExpOfNegative(q4, 5), -31), std::exp(2 * a), 5e-7) << a;
  }
}

}  // namespace
}  // namespace weft::kernels
