// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/float_mode.h"

#include <gtest/gtest.h>

#include <cfenv>

namespace weft::kernels {
namespace {

constexpr int kRoundingModes[] = {
#ifdef FE_TONEAREST
    FE_TONEAREST,
#endif
#ifdef FE_UPWARD
    FE_UPWARD,
#endif
#ifdef FE_DOWNWARD
    FE_DOWNWARD,
#endif
#ifdef FE_TOWARDZERO
    FE_TOWARDZERO,
#endif
};

// Values pass through memory, so that the compiler cannot compute the result.
float Halve(float value) {
  volatile float half = 0.5f;
  volatile float given = value;
  return given * half;
}

TEST(FloatMode, FlushesWithinItsScopeAndRestoresTheMode) {
  const float smallest_normal = 1.17549435e-38f;
  const float subnormal = 1e-39f;
  const bool flushes = FloatMode::kFlushes;
  EXPECT_GT(Halve(smallest_normal), 0.0f);
  {
    const FloatMode scope;
    EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
    volatile float given = subnormal;
    volatile float huge = 1e38f;
    EXPECT_EQ(given * huge == 0.0f, flushes);  // also as an input
    {
      const FloatMode nested;
      EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
    }
    EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
  }
  EXPECT_GT(Halve(smallest_normal), 0.0f);
}

// 1 + 2^-24 lies in the middle of two floats; the even one is 1.
TEST(FloatMode, RoundsToNearestInEveryModeOfTheCaller) {
  volatile float one = 1, half_ulp = 5.9604644775390625e-8f, third = 3;
  const float quotient = one / third;
  const int before = std::fegetround();
  for (const int mode : kRoundingModes) {
    if (std::fesetround(mode) != 0) continue;  // a core without this mode
    {
      const FloatMode scope;
      EXPECT_EQ(one + half_ulp, 1.0f) << "mode " << mode;
      EXPECT_EQ(one / third, quotient) << "mode " << mode;
    }
    EXPECT_EQ(std::fegetround(), mode);
    EXPECT_EQ(std::fesetround(before), 0);
  }
}

}  // namespace
}  // namespace weft::kernels
