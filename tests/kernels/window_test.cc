// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/window.h"

#include "kernels/elementwise/unary.h"
#include "kernels/matrix/pack.h"
#include "kernels/reference/conv.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

TEST(WindowAxis, NamesExactlyTheTapsInsideTheInput) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const WindowAxis axis = AxisCase(&random, 12).axis;
    const IndexRange inside = axis.Inside();
    for (uint32_t p = 0; p < axis.output; ++p) {
      const IndexRange taps = axis.Taps(p);
      uint32_t count = 0;
      for (uint32_t tap = 0; tap < axis.kernel; ++tap) {
        const int64_t at = axis.Origin(p) + int64_t{tap} * axis.dilation;
        const bool is_inside = at >= 0 && at < axis.input;
        ASSERT_EQ(is_inside, tap >= taps.first && tap < taps.end);
        count += is_inside;
      }
      ASSERT_EQ(p >= inside.first && p < inside.end, count == axis.kernel);
    }
  }
}

TEST(WindowAxis, NamesNoTapOutsideHoweverLargeTheNumbers) {
  const uint32_t kLarge[] = {1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (const uint32_t kernel : kLarge) {
    for (const uint32_t stride : kLarge) {
      for (const uint32_t pad : kLarge) {
        const WindowAxis axis = {10, 0xFFFFFFFF, kernel, stride, stride, pad};
        for (const uint32_t p : kLarge) {
          const IndexRange taps = axis.Taps(p - 1);
          for (const uint32_t tap : {taps.first, taps.end - 1}) {
            if (taps.count() == 0) continue;
            // Checks the low 64 bits, and that the exact value is no larger.
            const uint64_t at = uint64_t{p - 1} * stride + uint64_t{tap} * axis.dilation - pad;
            const double about = 1.0 * (p - 1) * stride + 1.0 * tap * axis.dilation - pad;
            ASSERT_TRUE(at < 10 && std::abs(about) < 1e6);
          }
        }
      }
    }
  }
}

ConvShape ShapeOf(const WindowAxis& down, const WindowAxis& across, uint32_t batch, uint32_t groups,
                  uint32_t in_channels, uint32_t out_channels) {
  ConvShape shape;
  AssignAxes(down, across, &shape);
  shape.batch = batch;
  shape.groups = groups;
  shape.in_channels = in_channels;
  shape.out_channels = out_channels;
  return shape;
}

ConvShape RandomConv(Random* random, uint32_t longest) {
  const AxisCase down(random, 5);
  const AxisCase across(random, longest);
  ConvShape shape = {};
  shape.batch = 1 + random->Below(2);
  shape.groups = 1 + random->Below(2);
  shape.in_channels = 1 + random->Below(4);
  shape.out_channels = 1 + random->Below(random->Below(4) == 0 ? 100 : 20);
  AssignAxes(down.axis, across.axis, &shape);
  return shape;
}

// The layout of a map in memory.
enum class Layout { kPlanes, kLast, kLastOfWider, kCount };

MapStrides StridesOf(Layout layout, uint32_t channels, uint32_t height, uint32_t width) {
  if (layout == Layout::kPlanes) {
    return {channels * height * width, width, 1, height * width};
  }
  const uint32_t pixel = channels + (layout == Layout::kLastOfWider ? 3 : 0);
  const uint32_t row = pixel * (width + (layout == Layout::kLastOfWider ? 1 : 0));
  return {row * height, row, pixel, 1};
}

ConvShape Laid(ConvShape s, Layout x, Layout y) {
  s.x = StridesOf(x, s.groups * s.in_channels, s.in_height, s.in_width);
  s.y = StridesOf(y, s.groups * s.out_channels, s.out_height, s.out_width);
  return s;
}

// Number of elements from the first of a map to its end.
size_t ReachOf(const MapStrides& at, uint32_t images, uint32_t channels, uint32_t height,
               uint32_t width) {
  return size_t{images - 1} * at.image + size_t{height - 1} * at.row +
         size_t{width - 1} * at.pixel + size_t{channels - 1} * at.channel + 1;
}

struct ConvCase {
  ConvCase(const ConvShape& s, size_t shift, Random* random)
      : shape(s),
        x(random->Floats(ReachOf(s.x, s.batch, s.groups * s.in_channels, s.in_height, s.in_width),
                         2),
          shift),
        weights(random->Floats(
            size_t{s.groups} * s.out_channels * s.in_channels * s.kernel_height * s.kernel_width,
            1)),
        bias(random->Floats(size_t{s.groups} * s.out_channels, 1), shift),
        packed(PackedConvFloats(s.groups, s.out_channels, s.in_channels, s.kernel_height,
                                s.kernel_width)),
        misalignment(shift) {
    PackConv(weights.data(), s.groups, s.out_channels, s.in_channels, s.kernel_height,
             s.kernel_width, packed.data());
  }

  size_t outputs() const {
    return ReachOf(shape.y, shape.batch, shape.groups * shape.out_channels, shape.out_height,
                   shape.out_width);
  }
  std::vector<float> RunConv(bool has_bias) const {
    return OnEveryTarget<float>(outputs(), misalignment, [&](float* y) {
      Conv(shape, x.data(), packed.data(), has_bias ? bias.data() : nullptr, y);
    });
  }
  void ExpectReference() const {
    for (const bool has_bias : {true, false}) {
      std::vector<float> must(outputs());
      std::memset(must.data(), 0xA5,
                  must.size() * sizeof(float));  // the initial contents of an Array
      ConvReference(shape, x.data(), weights.data(), has_bias ? bias.data() : nullptr, must.data());
      ExpectSame(RunConv(has_bias), must);
    }
  }

  ConvShape shape;
  Array<float> x;
  std::vector<float> weights;
  Array<float> bias;
  std::vector<float> packed;
  size_t misalignment;
};

Layout LayoutOf(Random* random) {
  return static_cast<Layout>(random->Below(static_cast<uint32_t>(Layout::kCount)));
}

TEST(Conv, IsItsChainForAnyWindow) {
  Random random(2);
  for (int i = 0; i < 600; ++i) {
    const ConvShape shape = RandomConv(&random, i % 4 == 0 ? 40 : 9);
    const Layout x = LayoutOf(&random), y = LayoutOf(&random);
    ASSERT_NO_FATAL_FAILURE(
        ConvCase(Laid(shape, x, y), kMisalignments[i % 3], &random).ExpectReference());
  }
}

TEST(Conv, IsItsChainForEveryNumberOfChannels) {
  Random random(3);
  const auto expect = [&](const ConvShape& shape, size_t shift) {
    for (const Layout layout : {Layout::kPlanes, Layout::kLast}) {
      ASSERT_NO_FATAL_FAILURE(
          ConvCase(Laid(shape, layout, layout), shift, &random).ExpectReference());
    }
  };
  for (uint32_t channels = 1; channels <= 2 * kWidestPanel + 1; ++channels) {
    expect(ShapeOf({1, 1, 1, 1, 1, 0}, {12, 12, 3, 1, 1, 1}, 1, 1, 3, channels), channels % 3);
    expect(ShapeOf({2, 2, 1, 1, 1, 0}, {6, 6, 1, 1, 1, 0}, 1, 1, channels, 7), channels % 3);
  }
  for (const uint32_t channels : {33u, 48u, 65u, 100u, 200u}) {
    expect(ShapeOf({1, 1, 1, 1, 1, 0}, {3, 1, 3, 1, 1, 0}, 1, 1, 2, channels), 0);
    expect(ShapeOf({5, 5, 3, 1, 1, 1}, {6, 6, 3, 1, 1, 1}, 2, 1, 17, channels), 1);
    expect(ShapeOf({1, 1, 1, 1, 1, 0}, {40, 40, 5, 1, 2, 8}, 1, 1, 5, channels), 0);
  }
}

// Windows longer than the data, of the same length, and windows with few pixels inside: by stride,
// by dilation, and by both.
TEST(Conv, IsItsChainWhereWindowsReachBeyondTheData) {
  Random random(6);
  for (const uint32_t width : {1u, 7u, 16u, 40u, 70u}) {
    for (const uint32_t kernel : {2u, 9u, 31u, 64u}) {
      for (const uint32_t stride : {1u, 3u}) {
        for (const uint32_t dilation : {1u, 5u}) {
          const uint32_t pad = (kernel - 1) * dilation / 2;
          const uint32_t outputs = (width - 1) / stride + 1;
          for (const uint32_t channels : {1u, 3u, 16u}) {
            const ConvShape shape =
                ShapeOf({1, 1, 1}, {width, outputs, kernel, stride, dilation, pad}, 1, 1, channels,
                        channels == 3 ? 70 : 17);
            const Layout x = LayoutOf(&random), y = LayoutOf(&random);
            ASSERT_NO_FATAL_FAILURE(ConvCase(Laid(shape, x, y), 1, &random).ExpectReference());
          }
        }
      }
    }
  }
}

TEST(Conv, EndsInItsActivation) {
  Random random(4);
  const ConvShape shape = ShapeOf({4, 4, 3, 1, 1, 1}, {9, 9, 3, 1, 1, 1}, 1, 2, 3, 21);
  const auto expect = [&](Layout layout, const Activation& activation) {
    ConvCase some(Laid(shape, Layout::kPlanes, layout), 0, &random);
    some.x[7] = kNan;
    some.x[20] = -kInfinity;
    const std::vector<float> plain = some.RunConv(true);
    some.shape.activation = activation;
    const UnaryShape unary = {static_cast<uint32_t>(plain.size()), activation, Element::kF32};
    ExpectSame(some.RunConv(true), OnEveryTarget<float>(plain.size(), 0, [&](float* y) {
                 Unary(unary, plain.data(), y);
               }));
  };
  for (const Layout layout : {Layout::kPlanes, Layout::kLast}) {
    for (const float clip : {0.0f, 0.75f}) {
      expect(layout, {0.5f, 1.25f, clip, UnaryOp::kTanh});
      expect(layout, {0.5f, 1.25f, clip, UnaryOp::kRelu});
      expect(layout, {0.0f, 6.0f, clip, UnaryOp::kClamp});
      expect(layout, {0.0f, 0.0f, clip, UnaryOp::kIdentity});
    }
  }
}

TEST(Conv, HasTheSameBitsOnEveryProcessorAndInEveryLayout) {
  Random random(5);
  const ConvShape shape = ShapeOf({9, 5, 3, 2, 1, 1}, {13, 13, 3, 1, 1, 1}, 2, 2, 5, 40);
  const ConvCase planes(Laid(shape, Layout::kPlanes, Layout::kPlanes), 0, &random);
  const std::vector<float> y = planes.RunConv(true);
  Fingerprint fingerprint;
  fingerprint.Add(y);
  EXPECT_EQ(fingerprint.value(), 0xF1B0E51E3853D426u);
  ConvCase last(Laid(shape, Layout::kLast, Layout::kLast), 0, &random);
  last.packed = planes.packed;
  std::memcpy(last.bias.data(), planes.bias.data(), size_t{80} * sizeof(float));
  for (size_t b = 0; b < 2; ++b) {
    for (size_t p = 0; p < 9 * 13; ++p) {
      for (size_t c = 0; c < 10; ++c) {
        last.x[(b * 9 * 13 + p) * 10 + c] = planes.x[(b * 10 + c) * 9 * 13 + p];
      }
    }
  }
  const std::vector<float> permuted = last.RunConv(true);
  for (size_t b = 0; b < 2; ++b) {
    for (size_t p = 0; p < 5 * 13; ++p) {
      for (size_t c = 0; c < 80; ++c) {
        ASSERT_EQ(permuted[(b * 5 * 13 + p) * 80 + c], y[(b * 80 + c) * 5 * 13 + p]);
      }
    }
  }
}

}  // namespace
}  // namespace weft::kernels
