// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#include "kernels/elementwise/unary.h"
#include "kernels/matrix/pack.h"
#include "kernels/reference/depthwise.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

// Channel counts around those of vectors and panels.
constexpr uint32_t kChannels[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 33, 48, 64, 65, 100};

DepthwiseShape ShapeOf(const WindowAxis& down, const WindowAxis& across, uint32_t batch,
                       uint32_t channels, uint32_t multiplier) {
  DepthwiseShape shape;
  shape.batch = batch;
  shape.channels = channels * multiplier;
  shape.multiplier = multiplier;
  AssignAxes(down, across, &shape);
  return shape;
}

struct DepthwiseCase {
  DepthwiseCase(const DepthwiseShape& s, MapOrder x_order, MapOrder y_order, size_t shift,
                Random* random)
      : shape(s),
        x_map(x_order, s.batch, s.in_height, s.in_width, s.channels / s.multiplier),
        y_map(y_order, s.batch, s.out_height, s.out_width, s.channels),
        x(random->Floats(x_map.floats, 2), shift),
        bias(random->Floats(s.channels, 1), shift),
        weights(PackedDepthwiseFloats(s.channels, s.kernel_height, s.kernel_width), 0),
        misalignment(shift) {
    shape.x = x_map.strides;
    shape.y = y_map.strides;
    PackDepthwise(random->Floats(size_t{s.channels} * s.kernel_height * s.kernel_width, 1).data(),
                  s.channels, s.kernel_height, s.kernel_width, weights.data());
  }

  std::vector<float> Run(const float* start) const {
    return OnEveryTarget<float>(y_map.floats, misalignment, [&](float* y) {
      Depthwise(shape, x.data(), weights.data(), start, y);
    });
  }
  std::vector<float> Reference(const float* start) const {
    std::vector<float> must = Unwritten(y_map.floats);
    DepthwiseReference(shape, x.data(), weights.data(), start, must.data());
    return must;
  }
  void ExpectReference(bool has_bias) const {
    const float* start = has_bias ? bias.data() : nullptr;
    ExpectSame(Run(start), Reference(start));
  }

  DepthwiseShape shape;
  MapCase x_map, y_map;
  Array<float> x, bias, weights;
  size_t misalignment;
};

TEST(Depthwise, IsItsChainForAnyWindow) {
  Random random(6);
  for (uint32_t i = 0; i < 600; ++i) {
    const AxisCase down(&random, 6), across(&random, i % 2 == 0 ? 60 : 9, i % 7 == 0 ? 20 : 4);
    const uint32_t channels = i % 3 == 0 ? kChannels[random.Below(18)] : 1 + random.Below(5);
    const DepthwiseShape shape =
        ShapeOf(down.axis, across.axis, 1 + random.Below(2), channels, 1 + random.Below(3));
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(DepthwiseCase(shape, kMapOrders[i % 4], kMapOrders[i / 4 % 4],
                                          kMisalignments[i % 3], &random)
                                .ExpectReference(i % 5 != 0));
  }
}

// Every channel count, in channels-last order, with the strides of the fast paths.
TEST(Depthwise, IsItsChainForEveryNumberOfChannels) {
  Random random(16);
  const WindowAxis alone = {1, 1, 1, 1, 1, 0};
  const WindowAxis rows[] = {{40, 40, 3, 1, 1, 1},  {40, 20, 3, 2, 1, 1},  {29, 29, 9, 1, 1, 4},
                             {40, 40, 3, 1, 8, 16}, {7, 12, 33, 1, 1, 19}, {33, 1, 33, 1, 1, 0}};
  for (const uint32_t channels : kChannels) {
    for (const WindowAxis& across : rows) {
      for (const uint32_t multiplier : {1u, 2u}) {
        const DepthwiseShape shape = ShapeOf(alone, across, 1, channels, multiplier);
        SCOPED_TRACE(testing::Message() << channels << " x " << multiplier << ", kernel "
                                        << across.kernel << ", stride " << across.stride);
        ASSERT_NO_FATAL_FAILURE(
            DepthwiseCase(shape, MapOrder::kLast, MapOrder::kLast, channels % 3, &random)
                .ExpectReference(true));
      }
    }
  }
}

// Along one axis, with windows that extend beyond the data on both sides, for any number of pixels.
TEST(Depthwise, IsItsChainForLongWindows) {
  Random random(18);
  for (uint32_t i = 0; i < 240; ++i) {
    const uint32_t kernel = 5 + random.Below(40), dilation = 1 + i % 3;
    const uint32_t reach = (kernel - 1) * dilation, pad = random.Below(reach + 20);
    const uint32_t input = 1 + random.Below(90);
    const uint32_t output = (pad + input > reach ? pad + input - reach : 1) + random.Below(reach);
    DepthwiseCase some(ShapeOf({1, 1, 1, 1, 1, 0}, {input, output, kernel, 1, dilation, pad},
                               1 + i % 2, kChannels[i % 18], 1),
                       MapOrder::kLast, kMapOrders[1 + i % 2], kMisalignments[i % 3], &random);
    const float* start = i % 5 != 0 ? some.bias.data() : nullptr;
    std::vector<float> must = some.Reference(start);
    SCOPED_TRACE(testing::Message() << kernel << " taps, " << input << " to " << output);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(some.Run(start), must));
    if (i % 2 != 0) continue;
    some.shape.activation = {0.0f, 0.0f, 0.0f, UnaryOp::kRelu};
    for (float& value : must) value = value < 0.0f ? 0.0f : value;
    ASSERT_NO_FATAL_FAILURE(ExpectSame(some.Run(start), must));
  }
}

TEST(Depthwise, IsItsChainInRectanglesOfEveryForm) {
  Random random(17);
  for (const uint32_t kernel : {1u, 3u, 5u}) {
    for (const auto& [height, width] : {std::pair<uint32_t, uint32_t>{25, 5}, {5, 25}, {2, 3}}) {
      for (const uint32_t channels : {5u, 16u, 64u}) {
        const uint32_t pad = kernel / 2;
        const DepthwiseShape shape = ShapeOf({height, height, kernel, 1, 1, pad},
                                             {width, width, kernel, 1, 1, pad}, 2, channels, 1);
        ASSERT_NO_FATAL_FAILURE(DepthwiseCase(shape, MapOrder::kLast, MapOrder::kLast, 0, &random)
                                    .ExpectReference(true));
        ASSERT_NO_FATAL_FAILURE(
            DepthwiseCase(shape, MapOrder::kPlanes, MapOrder::kLastWithGaps, 0, &random)
                .ExpectReference(false));
      }
    }
  }
}

// The activation may be applied in registers or after storing, depending on the channels.
TEST(Depthwise, EndsInItsActivation) {
  Random random(7);
  for (const MapOrder order : kMapOrders) {
    for (const uint32_t channels : {3u, 16u, 21u}) {
      for (const UnaryOp op : {UnaryOp::kRelu, UnaryOp::kClamp, UnaryOp::kTanh}) {
        DepthwiseCase some(ShapeOf({3, 3, 3, 1, 1, 1}, {40, 40, 3, 1, 1, 1}, 1, channels, 1), order,
                           order, 0, &random);
        some.x[channels] = NAN;
        const std::vector<float> plain = some.Reference(some.bias.data());
        some.shape.activation = {-0.5f, 0.25f, 0.0f, op};
        // Gaps between the results of a map must stay unwritten.
        const UnaryShape unary = {static_cast<uint32_t>(plain.size()), some.shape.activation,
                                  Element::kF32};
        std::vector<float> must =
            OnEveryTarget<float>(plain.size(), 0, [&](float* y) { Unary(unary, plain.data(), y); });
        const std::vector<float> unwritten = Unwritten(1);
        for (size_t i = 0; i < must.size(); ++i) {
          if (SameBits(plain[i], unwritten[0])) must[i] = plain[i];
        }
        ExpectSame(some.Run(some.bias.data()), must);
      }
    }
  }
}

TEST(Depthwise, HasTheSameBitsOnEveryProcessor) {
  Random random(18);
  Fingerprint fingerprint;
  for (const MapOrder order : kMapOrders) {
    const DepthwiseCase some(ShapeOf({9, 5, 3, 2, 1, 1}, {13, 13, 5, 1, 1, 2}, 2, 20, 2), order,
                             order, 0, &random);
    fingerprint.Add(some.Run(some.bias.data()));
  }
  EXPECT_EQ(fingerprint.value(), 0x8D4A19162C828C55u);
}

}  // namespace
}  // namespace weft::kernels
