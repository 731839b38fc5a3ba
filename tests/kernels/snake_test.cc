// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/snake.h"

#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

struct SnakeData {
  std::vector<float> x, slopes, heights;
};

SnakeData DataOf(const SnakeShape& shape, Random& random) {
  return {random.Floats(size_t{shape.outer} * shape.channels * shape.inner, 40),
          random.Floats(shape.channels, 8), random.Floats(shape.channels, 3)};
}

void ExpectReferences(const SnakeShape& shape, const SnakeData& data, const std::vector<float>& y) {
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t channel = i / shape.inner % shape.channels;
    const double x = data.x[i], slope = data.slopes[channel], height = data.heights[channel];
    ASSERT_TRUE(IsClose(y[i], SnakeReference(x, slope, height), SnakeTolerance(x, slope, height)))
        << y[i] << " of " << x << ", " << slope << ", " << height;
  }
}

void ExpectReferences(const SnakeShape& shape, Random& random) {
  const SnakeData data = DataOf(shape, random);
  for (const size_t misalignment : kMisalignments) {
    const Array<float> x(data.x, misalignment), slopes(data.slopes, misalignment);
    const Array<float> heights(data.heights, misalignment);
    ExpectReferences(shape, data, OnEveryTarget<float>(data.x.size(), misalignment, [&](float* y) {
                       Snake(shape, x.data(), slopes.data(), heights.data(), y);
                     }));
  }
}

TEST(Snake, MatchesItsReferenceForEveryExtentAndMisalignment) {
  Random random(1);
  for (uint32_t size = 0; size <= 2 * kWidestPanel + 1; ++size) {
    ExpectReferences({2, 3, size}, random);
    ExpectReferences({3, size, 1}, random);
    ExpectReferences({2, size, 2}, random);
  }
  ExpectReferences({0, 3, 4}, random);
}

TEST(Snake, DoesNothingWithoutElements) {
  float y = 7;
  Snake({0xFFFFFFFFu, 0, 3}, nullptr, nullptr, nullptr, &y);
  Snake({0xFFFFFFFFu, 1, 0}, nullptr, nullptr, nullptr, &y);
  EXPECT_EQ(y, 7);
}

TEST(Snake, MayWriteOverItsInput) {
  Random random(2);
  for (const SnakeShape shape : {SnakeShape{2, 3, 37}, SnakeShape{2, 37, 1}}) {
    const SnakeData data = DataOf(shape, random);
    const std::vector<float> apart = OnEveryTarget<float>(data.x.size(), 0, [&](float* y) {
      Snake(shape, data.x.data(), data.slopes.data(), data.heights.data(), y);
    });
    ExpectSame(OnEveryTarget<float>(data.x.size(), 0,
                                    [&](float* y) {
                                      std::copy(data.x.begin(), data.x.end(), y);
                                      Snake(shape, y, data.slopes.data(), data.heights.data(), y);
                                    }),
               apart);
  }
}

// Channels of one element and of several elements take different code paths.
TEST(Snake, HasTheSameBitsWhereverItsChannelsLie) {
  Random random(3);
  const uint32_t channels = 35;
  const SnakeData data = DataOf({1, channels, 1}, random);
  std::vector<float> doubled;
  for (const float x : data.x) doubled.insert(doubled.end(), 2, x);
  const std::vector<float> one = OnEveryTarget<float>(channels, 0, [&](float* y) {
    Snake({1, channels, 1}, data.x.data(), data.slopes.data(), data.heights.data(), y);
  });
  const std::vector<float> two = OnEveryTarget<float>(2 * channels, 0, [&](float* y) {
    Snake({1, channels, 2}, doubled.data(), data.slopes.data(), data.heights.data(), y);
  });
  for (size_t i = 0; i < two.size(); ++i) EXPECT_TRUE(SameBits(two[i], one[i / 2]));
}

TEST(Snake, KeepsNaNAndHasNoNumberForInfinity) {
  const std::vector<float> x = {kNan, kInfinity, -kInfinity, 0.0f};
  const float slope = 1, height = 0.5f;
  const std::vector<float> y = OnEveryTarget<float>(x.size(), 0, [&](float* out) {
    Snake({1, 1, 4}, x.data(), &slope, &height, out);
  });
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i])) << i;
  EXPECT_EQ(y[3], 0.0f);
}

TEST(Snake, HasTheSameBitsOnEveryProcessor) {
  Random random(4);
  const SnakeShape shape = {2, 9, 21};
  const SnakeData data = DataOf(shape, random);
  Fingerprint fingerprint;
  fingerprint.Add(OnEveryTarget<float>(data.x.size(), 0, [&](float* y) {
    Snake(shape, data.x.data(), data.slopes.data(), data.heights.data(), y);
  }));
  EXPECT_EQ(fingerprint.value(), 0x600DC5C586C0585Du);
}

}  // namespace
}  // namespace weft::kernels
