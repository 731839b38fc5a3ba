// SPDX-License-Identifier: Apache-2.0
// a * b + c in integers and in double, bit by bit against fmaf of the C library of a desktop.
#include "kernels/simd/soft_fma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/simd/fused.h"
#include "tests/kernels/harness.h"
#include "tests/rounds.h"

namespace weft::kernels {
namespace {

float FloatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

void ExpectFused(float a, float b, float c) {
  const float must = std::fmaf(a, b, c);
  for (const float is : {SoftFma(a, b, c), FmaInDouble(a, b, c)}) {
    if (std::isnan(must)) {
      ASSERT_TRUE(std::isnan(is)) << a << ' ' << b << ' ' << c;
      continue;
    }
    uint32_t of_is, of_must;
    std::memcpy(&of_is, &is, sizeof is);
    std::memcpy(&of_must, &must, sizeof must);
    ASSERT_EQ(of_is, of_must) << std::hexfloat << a << ' ' << b << ' ' << c;
  }
}

TEST(SoftFma, RoundsOnceLikeTheCLibrary) {
  if (!FusesMultiplyAdd()) GTEST_SKIP() << "this C library rounds twice";
  std::vector<float> edges;
  for (const uint32_t magnitude : {0u, 1u, 2u, 0x7FFFFFu, 0x800000u, 0x800001u, 0x3F7FFFFFu,
                                   0x3F800000u, 0x3F800001u, 0x7F7FFFFFu, 0x7F800000u, 0x7FC00000u,
                                   0x33800000u, 0x34000001u, 0x1FFFFFFFu, 0x20000001u}) {
    edges.push_back(FloatOf(magnitude));
    edges.push_back(FloatOf(magnitude | 0x80000000u));
  }
  for (const float a : edges) {
    for (const float b : edges) {
      for (const float c : edges) ExpectFused(a, b, c);
    }
  }
}

// Terms of any distance, so that they cancel, and results that are subnormal.
TEST(SoftFma, RoundsOnceAtEveryDistanceOfTerms) {
  if (!FusesMultiplyAdd()) GTEST_SKIP() << "this C library rounds twice";
  Random random(1);
  for (int32_t i = 0; i < Rounds(2000000); ++i) {
    const float a = FloatOf(static_cast<uint32_t>(random.Next())),
                b = FloatOf(static_cast<uint32_t>(random.Next()));
    float c = FloatOf(static_cast<uint32_t>(random.Next()));
    if (i % 2 == 0) {
      uint32_t bits;
      const float product = -a * b;
      std::memcpy(&bits, &product, sizeof product);
      const uint32_t distance = random.Below(64) << 23;
      c = FloatOf(bits + random.Below(5) - 2 - (i % 4 == 0 ? distance : 0));
    }
    ExpectFused(a, b, c);
  }
}

// Products of half of the last bit of c, or less by 2^-46 of that, which a sum in double drops.
TEST(SoftFma, RoundsOnceBesideHalves) {
  if (!FusesMultiplyAdd()) GTEST_SKIP() << "this C library rounds twice";
  Random random(2);
  for (int32_t i = 0; i < Rounds(100000); ++i) {
    const float c = std::ldexp(1.0f + static_cast<float>(random.Below(1 << 23)) * 0x1p-23f,
                               static_cast<int>(random.Below(60)) - 140);
    const float half = std::ldexp(1.0f, std::max(std::ilogb(c) - 24, -150) + 75);
    for (const float rest : {0.0f, 0x1p-23f, 0x1p-22f}) {
      for (const float small : {0x1p-75f, -0x1p-75f}) {
        ExpectFused(half * (1.0f + rest), small * (1.0f - rest), c);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
