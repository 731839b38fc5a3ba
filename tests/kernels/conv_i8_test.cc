// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/conv_i8.h"

#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

struct PatchCase {
  ConvI8Shape shape;
  MapCase x, y;
  std::vector<int8_t> weights;
  std::vector<float> scales, numbers, bias;

  uint32_t inputs() const { return shape.kernel_height * shape.kernel_width * shape.in_channels; }
  std::vector<float> Run(bool has_bias, size_t misalignment) const {
    return RunOf(numbers, has_bias, misalignment);
  }
  template <typename Number>
  std::vector<float> RunOf(const std::vector<Number>& data, bool has_bias,
                           size_t misalignment) const {
    const Array<Number> placed(data, misalignment);
    const Array<int8_t> packed(weights, 4);
    const uint32_t pixels = ConvI8Pixels(shape.out_height, shape.out_width);
    Array<float> patches(static_cast<size_t>(ConvI8PatchFloats(pixels, inputs(), shape.out_channels,
                                                               shape.y.channel)),
                         0);
    Array<int16_t> scratch(static_cast<size_t>(DenseI8ScratchShorts(pixels, inputs())), 2);
    return OnEveryTarget<float>(y.floats, misalignment, [&](float* to) {
      ConvI8(shape, placed.data(), packed.data(), scales.data(), has_bias ? bias.data() : nullptr,
             to, patches.data(), scratch.data());
    });
  }
  template <typename Number>
  void ExpectReference(const std::vector<Number>& data, size_t misalignment) const {
    for (const bool has_bias : {true, false}) {
      std::vector<float> must = Unwritten(y.floats);
      ConvI8Reference(shape, data.data(), weights.data(), scales.data(),
                      has_bias ? bias.data() : nullptr, must.data());
      ExpectSame(RunOf(data, has_bias, misalignment), must);
    }
  }
};

PatchCase CaseOf(ConvI8Shape shape, MapOrder x, MapOrder y, Random* random) {
  const uint32_t in = shape.groups * shape.in_channels, out = shape.groups * shape.out_channels;
  PatchCase test = {shape,
                    MapCase(x, shape.batch, shape.in_height, shape.in_width, in),
                    MapCase(y, shape.batch, shape.out_height, shape.out_width, out),
                    {},
                    {},
                    {},
                    {}};
  test.shape.x = test.x.strides;
  test.shape.y = test.y.strides;
  test.shape.max = random->Below(3) == 0 ? kMinMax : MaxFor(test.inputs());
  const size_t group = PackedDenseI8Bytes(shape.out_channels, test.inputs());
  test.weights.resize(shape.groups * group);
  for (uint32_t g = 0; g < shape.groups; ++g) {
    std::vector<int8_t> rows(size_t{shape.out_channels} * test.inputs());
    for (int8_t& weight : rows) {
      weight = static_cast<int8_t>(static_cast<int32_t>(random->Below(255)) - 127);
    }
    PackDenseI8(rows.data(), shape.out_channels, test.inputs(), test.weights.data() + g * group);
  }
  test.scales = random->Floats(shape.groups * PanelCount(shape.out_channels) * kPanelOutputs, 1);
  test.numbers = random->Floats(test.x.floats, 3);
  test.bias = random->Floats(out, 1);
  return test;
}

ConvI8Shape RandomShape(Random* random) {
  const AxisCase down(random, 5), across(random, 12);
  ConvI8Shape shape;
  shape.batch = 1 + random->Below(2);
  shape.groups = 1 + random->Below(3);
  shape.in_channels = 1 + random->Below(random->Below(4) == 0 ? 40 : 5);
  shape.out_channels = 1 + random->Below(random->Below(4) == 0 ? 60 : 20);
  AssignAxes(down.axis, across.axis, &shape);
  return shape;
}

TEST(ConvI8, MatchesItsReferenceForAnyWindow) {
  Random random(1);
  for (uint32_t i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const MapOrder x = kMapOrders[random.Below(4)], y = kMapOrders[random.Below(4)];
    const PatchCase test = CaseOf(RandomShape(&random), x, y, &random);
    ASSERT_NO_FATAL_FAILURE(test.ExpectReference(test.numbers, kMisalignments[i % 3]));
  }
}

TEST(ConvI8, TakesIntegersOf16Bits) {
  Random random(4);
  for (uint32_t i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const MapOrder x = kMapOrders[random.Below(4)], y = kMapOrders[random.Below(4)];
    PatchCase test = CaseOf(RandomShape(&random), x, y, &random);
    test.shape.max = 0;
    std::vector<int16_t> data(test.x.floats);
    for (int16_t& number : data) number = static_cast<int16_t>(random.Below(0x10000));
    ASSERT_NO_FATAL_FAILURE(test.ExpectReference(data, kMisalignments[i % 3]));
  }
}

// Maps of so many pixels that desktops compute them in chunks.
TEST(ConvI8, MatchesItsReferenceForManyPixels) {
  Random random(5);
  for (uint32_t i = 0; i < 24; ++i) {
    ConvI8Shape shape = RandomShape(&random);
    shape.kernel_height = 1 + i % 3;
    shape.kernel_width = 1 + i % 4;
    shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
    shape.pad_top = shape.kernel_height / 2;
    shape.pad_left = shape.kernel_width / 2;
    shape.in_height = shape.out_height = 1 + random.Below(9);
    shape.in_width = shape.out_width = 14 + random.Below(20);
    const MapOrder y = i % 4 == 0 ? MapOrder::kPlanes : MapOrder::kLast;
    PatchCase test = CaseOf(shape, kMapOrders[random.Below(4)], y, &random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(test.ExpectReference(test.numbers, kMisalignments[i % 3]));
    test.shape.max = 0;
    std::vector<int16_t> data(test.x.floats);
    for (int16_t& number : data) number = static_cast<int16_t>(random.Below(0x10000));
    ASSERT_NO_FATAL_FAILURE(test.ExpectReference(data, kMisalignments[i % 3]));
  }
}

// Each patch is scaled by its own maximum magnitude: a map that arrives one pixel at a time gives
// bit-identical results.
TEST(ConvI8, DependsOnItsPatchAlone) {
  Random random(2);
  ConvI8Shape shape = RandomShape(&random);
  shape.batch = shape.groups = shape.in_height = shape.out_height = 1;
  shape.kernel_height = shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
  shape.pad_top = 0;
  shape.in_channels = 7;
  shape.out_channels = 18;
  shape.in_width = 9;
  shape.kernel_width = 3;
  shape.pad_left = 2;
  shape.out_width = 9;
  const PatchCase whole = CaseOf(shape, MapOrder::kLast, MapOrder::kLast, &random);
  const std::vector<float> must = whole.Run(true, 0);
  for (uint32_t pixel = 2; pixel < 9; ++pixel) {
    PatchCase part = whole;
    part.shape.in_width = 3;
    part.shape.out_width = 1;
    part.shape.pad_left = 0;
    part.y.floats = 18;
    part.numbers.assign(whole.numbers.begin() + (pixel - 2) * 7,
                        whole.numbers.begin() + (pixel + 1) * 7);
    const std::vector<float> is = part.Run(true, 0);
    for (size_t c = 0; c < 18; ++c) EXPECT_EQ(is[c], must[pixel * 18 + c]) << pixel << " " << c;
  }
}

TEST(ConvI8, EndsInItsActivation) {
  Random random(3);
  ConvI8Shape shape = RandomShape(&random);
  for (const MapOrder order : {MapOrder::kPlanes, MapOrder::kLast}) {
    PatchCase test = CaseOf(shape, order, order, &random);
    std::vector<float> must = test.Run(true, 0);
    for (float& number : must) number = number < 0 ? 0.0f : number;
    test.shape.activation.op = UnaryOp::kRelu;
    ExpectSame(test.Run(true, 0), must);
  }
}

TEST(ConvI8, DoesNothingWithoutOutputs) {
  float y = 7;
  ConvI8Shape shape;
  shape.batch = shape.groups = shape.out_height = shape.out_width = 0xFFFFFFFFu;
  ConvI8(shape, nullptr, nullptr, nullptr, nullptr, &y, nullptr, nullptr);
  EXPECT_EQ(y, 7);
}

}  // namespace
}  // namespace weft::kernels
