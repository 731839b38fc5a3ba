// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/depthwise_i8.h"

#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

DepthwiseShape RandomShape(Random* random, uint32_t multiplier) {
  const AxisCase down(random, 5), across(random, 12);
  DepthwiseShape shape;
  shape.batch = 1 + random->Below(2);
  shape.multiplier = multiplier;
  shape.channels = multiplier * (1 + random->Below(multiplier < 4 ? 80 : 5));
  AssignAxes(down.axis, across.axis, &shape);
  return shape;
}

// Multipliers below and above the number of channels that are widened at the same time.
TEST(DepthwiseI8, MatchesItsReferenceForAnyWindow) {
  Random random(1);
  for (uint32_t i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const uint32_t multipliers[] = {1, 1, 2, 3, 17, 31, 32, 33, 70};
    DepthwiseShape shape = RandomShape(&random, multipliers[i % 9]);
    const MapCase x(kMapOrders[random.Below(4)], shape.batch, shape.in_height, shape.in_width,
                    shape.channels / shape.multiplier);
    const MapCase y(kMapOrders[random.Below(4)], shape.batch, shape.out_height, shape.out_width,
                    shape.channels);
    shape.x = x.strides;
    shape.y = y.strides;
    const uint32_t taps = shape.kernel_height * shape.kernel_width;
    const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
    std::vector<int8_t> weights(padded * taps);
    for (int8_t& weight : weights) {
      weight = static_cast<int8_t>(static_cast<int32_t>(random.Below(256)) - 128);
    }
    const std::vector<float> scales = random.Floats(padded, 1);
    const std::vector<float> numbers = random.Floats(x.floats, 2);
    const std::vector<float> bias = random.Floats(shape.channels, 1);
    const bool is_whole = i % 7 < 2;
    const float* const start = i % 5 == 0 ? nullptr : bias.data();
    std::vector<float> zeros(padded);
    for (float& zero : zeros)
      zero = static_cast<float>(static_cast<int32_t>(random.Below(512)) - 256);
    const DepthwiseI8Weights kept = {weights.data(), scales.data(),
                                     i % 2 == 0 ? nullptr : zeros.data()};
    std::vector<float> must = Unwritten(y.floats);
    DepthwiseI8Reference(shape, numbers.data(), kept, start, must.data());
    const Array<float> placed(numbers, kMisalignments[i % 3]);
    Array<float> scratch(
        static_cast<size_t>(DepthwiseI8ScratchFloats(is_whole, shape.channels, taps)), 0);
    ExpectSame(OnEveryTarget<float>(y.floats, kMisalignments[i % 3],
                                    [&](float* to) {
                                      DepthwiseShape own = shape;
                                      DepthwiseI8(own, is_whole, placed.data(), kept, start, to,
                                                  scratch.data());
                                    }),
               must);
  }
}

TEST(DepthwiseI8, DoesNothingWithoutOutputs) {
  float y = 7;
  DepthwiseShape shape;
  shape.channels = shape.kernel_height = shape.kernel_width = 0xFFFFFFFFu;
  shape.batch = shape.multiplier = 1;
  DepthwiseI8(shape, true, nullptr, {}, nullptr, &y, nullptr);
  EXPECT_EQ(y, 7);
}

}  // namespace
}  // namespace weft::kernels
