// SPDX-License-Identifier: Apache-2.0
// ReLU as the activation of sums: negative results become 0, NaNs of either sign and -0 stay, on
// every target.
#include "kernels/matrix/pack.h"
#include "kernels/reference/conv.h"
#include "kernels/reference/dense.h"
#include "kernels/reference/depthwise.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

float NegativeNan() {
  const uint32_t bits = 0xFFC00001u;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Sums of every kind, for non-negative inputs: depending on its start and its weights, output n is
// a NaN of either sign, -0, -infinity or a number.
float StartOf(size_t n) {
  const float starts[] = {-0.5f, NegativeNan(), -0.0f, -kInfinity, 0.25f, kNan, -0.0f};
  return starts[n % 7];
}
float WeightOf(size_t n, float value) {
  const float weights[] = {value, value, -0.0f, value, value, value, NegativeNan()};
  return weights[n % 7];
}

std::vector<float> Starts(size_t count) {
  std::vector<float> starts(count);
  for (size_t n = 0; n < count; ++n) starts[n] = StartOf(n);
  return starts;
}
std::vector<float> NotNegative(Random* random, size_t count) {
  std::vector<float> values = random->Floats(count, 1);
  for (float& value : values) value = std::fabs(value);
  return values;
}
void Rectify(float* sum) { *sum = *sum < 0.0f ? 0.0f : *sum; }

constexpr uint32_t kOutputs[] = {1, 3, 4, 7, 8, 15, 16, 17, 33};

TEST(Rectified, DenseKeepsNansAndMinusZero) {
  Random random(1);
  for (const uint32_t outputs : kOutputs) {
    for (const uint32_t inputs : {0u, 1u, 6u}) {
      DenseShape shape = {3, inputs, outputs, inputs, outputs, 0, {}};
      shape.activation.op = UnaryOp::kRelu;
      std::vector<float> x = NotNegative(&random, size_t{3} * inputs);
      if (inputs != 0) x.back() = NegativeNan();
      std::vector<float> weights = random.Floats(size_t{outputs} * inputs, 1);
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = WeightOf(i / inputs, weights[i]);
      std::vector<float> packed(PackedDenseFloats(outputs, inputs));
      PackDense(weights.data(), inputs, 1, outputs, inputs, packed.data());
      const std::vector<float> start = Starts(outputs);
      std::vector<float> must(size_t{3} * outputs);
      for (size_t r = 0; r < 3; ++r) {
        for (size_t n = 0; n < outputs; ++n) {
          float& sum = must[r * outputs + n];
          sum = DenseReference(shape, x.data(), packed.data(), start.data(), r, n);
          Rectify(&sum);
        }
      }
      ExpectSame(OnEveryTarget<float>(
                     must.size(), 0,
                     [&](float* y) { Dense(shape, x.data(), packed.data(), start.data(), y); }),
                 must);
    }
  }
}

// One row of nine outputs with three taps. The first two and the last two outputs have fewer taps
// inside, and with `pad` 3 the first and the last have none.
template <class Shape>
Shape RowOf(uint32_t pad) {
  Shape shape = {};
  shape.batch = 1;
  shape.in_height = shape.out_height = shape.kernel_height = 1;
  shape.in_width = 11 - 2 * pad;
  shape.out_width = 9;
  shape.kernel_width = 3;
  shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
  shape.pad_left = pad;
  shape.activation.op = UnaryOp::kRelu;
  return shape;
}

void RectifyRow(const MapStrides& y, uint32_t channels, float* sums) {
  for (size_t p = 0; p < 9; ++p) {
    for (size_t c = 0; c < channels; ++c) {
      Rectify(&sums[p * y.pixel + (channels > 1 ? c * y.channel : 0)]);
    }
  }
}

TEST(Rectified, ConvKeepsNansAndMinusZero) {
  Random random(2);
  for (const uint32_t outputs : kOutputs) {
    for (const MapOrder order : kMapOrders) {
      ConvShape shape = RowOf<ConvShape>(outputs % 2 == 0 ? 3 : 1);
      shape.groups = 1;
      shape.in_channels = 2;
      shape.out_channels = outputs;
      const MapCase from(order, 1, 1, shape.in_width, 2), to(order, 1, 1, 9, outputs);
      shape.x = from.strides;
      shape.y = to.strides;
      std::vector<float> x = NotNegative(&random, from.floats);
      x.back() = NegativeNan();
      std::vector<float> weights = random.Floats(size_t{6} * outputs, 1);
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = WeightOf(i / 6, weights[i]);
      std::vector<float> packed(PackedConvFloats(1, outputs, 2, 1, 3));
      PackConv(weights.data(), 1, outputs, 2, 1, 3, packed.data());
      const std::vector<float> start = Starts(outputs);
      std::vector<float> must = Unwritten(to.floats);
      ConvReference(shape, x.data(), weights.data(), start.data(), must.data());
      const std::vector<float> is = OnEveryTarget<float>(
          to.floats, 0, [&](float* y) { Conv(shape, x.data(), packed.data(), start.data(), y); });
      RectifyRow(shape.y, outputs, must.data());
      ExpectSame(is, must);
    }
  }
}

TEST(Rectified, DepthwiseKeepsNansAndMinusZero) {
  Random random(3);
  for (const uint32_t channels : kOutputs) {
    for (const MapOrder order : kMapOrders) {
      DepthwiseShape shape = RowOf<DepthwiseShape>(channels % 2 == 0 ? 3 : 1);
      shape.channels = channels;
      shape.multiplier = 1;
      const MapCase from(order, 1, 1, shape.in_width, channels), to(order, 1, 1, 9, channels);
      shape.x = from.strides;
      shape.y = to.strides;
      std::vector<float> x = NotNegative(&random, from.floats);
      x.back() = NegativeNan();
      std::vector<float> weights = random.Floats(size_t{3} * channels, 1);
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = WeightOf(i / 3, weights[i]);
      std::vector<float> packed(PackedDepthwiseFloats(channels, 1, 3));
      PackDepthwise(weights.data(), channels, 1, 3, packed.data());
      const std::vector<float> start = Starts(channels);
      std::vector<float> must = Unwritten(to.floats);
      DepthwiseReference(shape, x.data(), packed.data(), start.data(), must.data());
      RectifyRow(shape.y, channels, must.data());
      ExpectSame(OnEveryTarget<float>(
                     to.floats, 0,
                     [&](float* y) { Depthwise(shape, x.data(), packed.data(), start.data(), y); }),
                 must);
    }
  }
}

}  // namespace
}  // namespace weft::kernels
