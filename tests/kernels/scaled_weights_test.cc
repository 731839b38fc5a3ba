// SPDX-License-Identifier: Apache-2.0
// Codes with a scale for each output (Scaled8) compared with the reference kernels for the same
// weights as floats: dense and conv, in all sizes and layouts.
#include "tests/kernels/scaled_weights.h"

#include <algorithm>
#include <cstring>

#include "kernels/matrix/pack.h"
#include "kernels/matrix/weights.h"
#include "kernels/reference/conv.h"
#include "kernels/reference/dense.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

TEST(ScaledWeights, DenseIsItsChain) {
  Random random(1);
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t rows = random.Below(i % 2 == 0 ? 12 : 40);
    const uint32_t inputs = random.Below(i % 4 == 0 ? 200 : 40), outputs = random.Below(140);
    DenseShape shape = {rows, inputs, outputs, inputs + 1, outputs + 2, 0, {}};
    const bool relu = i % 5 == 0;
    if (relu) shape.activation.op = UnaryOp::kRelu;
    ScaledMemory memory(PanelCount(outputs) * kPanelOutputs);
    std::vector<float> packed(PackedDenseFloats(outputs, inputs));
    for (size_t k = 0; k < packed.size(); ++k) {
      const size_t panel = k / (kPanelOutputs * inputs);
      packed[k] = memory.Add(&random, panel * kPanelOutputs + k % kPanelOutputs);
    }
    const Array<Scaled8> weights = memory.Placed();
    const std::vector<float> x = random.Floats(size_t{rows} * (inputs + 1), 2);
    const std::vector<float> bias = random.Floats(outputs, 1);
    const float* start = i % 3 == 0 ? nullptr : bias.data();
    const std::vector<float> y =
        OnEveryTarget<float>(size_t{rows} * (outputs + 2), kMisalignments[i % 3],
                             [&](float* to) { Dense(shape, x.data(), weights.data(), start, to); });
    std::vector<float> must = Unwritten(y.size());
    for (size_t r = 0; r < rows; ++r) {
      for (size_t n = 0; n < outputs; ++n) {
        const float sum = DenseReference(shape, x.data(), packed.data(), start, r, n);
        must[r * (outputs + 2) + n] = relu && sum < 0 ? 0 : sum;
      }
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y, must));
  }
}

void ExpectConv(Random* random, const ConvCase& of, uint32_t i) {
  const ConvShape& s = of.shape;
  const uint32_t inputs = s.in_channels * s.kernel_height * s.kernel_width;
  // The floats in the order of the IR, whose weights are packed by the scales of their outputs.
  ScaledMemory memory(s.groups * PanelCount(s.out_channels) * kPanelOutputs);
  std::vector<float> codes(size_t{s.groups} * s.out_channels * inputs);
  for (float& code : codes) code = static_cast<float>(random->Below(256)) - 128;
  std::vector<float> packed(
      PackedConvFloats(s.groups, s.out_channels, s.in_channels, s.kernel_height, s.kernel_width));
  PackConv(codes.data(), s.groups, s.out_channels, s.in_channels, s.kernel_height, s.kernel_width,
           packed.data());
  for (const float code : packed) memory.AddCode(code);
  std::vector<float> filters(codes.size());
  for (size_t k = 0; k < filters.size(); ++k) {
    const size_t output = k / inputs, group = output / s.out_channels;
    const size_t padded = PanelCount(s.out_channels) * kPanelOutputs;
    filters[k] = codes[k] * memory.scales[group * padded + output % s.out_channels];
  }
  const Array<Scaled8> weights = memory.Placed();
  ExpectConvOf(random, of, i, weights.data(), filters);
}

TEST(ScaledWeights, ConvIsItsChain) {
  Random random(2);
  for (uint32_t i = 0; i < 400; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectConv(&random, ConvCase(&random, i), i));
  }
}

TEST(ScaledWeights, ConvOfManyPixelsIsItsChain) {
  Random random(4);
  for (int i = 0; i < Rounds(64); ++i) {
    const auto round = static_cast<uint32_t>(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv(&random, ManyPixelsCase(&random, round), round));
  }
}

// Every code times scales whose products are rounded, also with subnormal floats flushed.
TEST(ScaledWeights, EveryCodeIsItsFloat) {
  const uint32_t outputs = 256;
  const float one = 1.0f;
  const std::vector<float> start(outputs, -0.0f);
  for (const float scale : {1.0f, 0.1f, 1.0f / 127, 3.1415927f, -0.3f, 1.2e-38f, 2e36f}) {
    ScaledMemory memory(outputs);
    std::vector<float> must(outputs);
    for (uint32_t i = 0; i < outputs; ++i) {
      memory.scales[i] = scale;
      memory.AddCode(static_cast<float>(i) - 128);
      must[i] = (static_cast<float>(i) - 128) * scale;
    }
    const Array<Scaled8> weights = memory.Placed();
    const auto run = [&](float* y) {
      Dense({1, 1, outputs, 1, outputs, outputs, {}}, &one, weights.data(), start.data(), y);
    };
    const auto flushed = [&](float* y) {
      const FloatMode scope;
      run(y);
    };
    ExpectSame(OnEveryTarget<float>(outputs, 0, run), must);
    ExpectSame(OnEveryTarget<float>(outputs, 0, flushed), must);
  }
}

}  // namespace
}  // namespace weft::kernels
