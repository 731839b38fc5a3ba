// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/denormals.h"

#include <gtest/gtest.h>

namespace weft::kernels {
namespace {

// Values pass through memory, so that the compiler cannot compute the result.
float Halve(float value) {
  volatile float half = 0.5f;
  volatile float given = value;
  return given * half;
}

TEST(FlushDenormals, FlushesWithinItsScopeAndRestoresTheMode) {
  const float smallest_normal = 1.17549435e-38f;
  const float subnormal = 1e-39f;
  const bool flushes = FlushDenormals::kFlushes;
  EXPECT_GT(Halve(smallest_normal), 0.0f);
  {
    const FlushDenormals scope;
    EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
    volatile float given = subnormal;
    volatile float huge = 1e38f;
    EXPECT_EQ(given * huge == 0.0f, flushes);  // also as an input
    {
      const FlushDenormals nested;
      EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
    }
    EXPECT_EQ(Halve(smallest_normal) == 0.0f, flushes);
  }
  EXPECT_GT(Halve(smallest_normal), 0.0f);
}

}  // namespace
}  // namespace weft::kernels
