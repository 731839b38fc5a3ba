// SPDX-License-Identifier: Apache-2.0
// Weights of every type of weights.inc compared with the reference kernels for the same values as
// floats: dense, conv and depthwise, in all sizes and layouts.
#include "kernels/elementwise/convert.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/weights.h"
#include "kernels/reference/conv.h"
#include "kernels/reference/dense.h"
#include "kernels/reference/depthwise.h"
#include "kernels/simd/float_mode.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

template <class Weight>
constexpr Element kElementOf = Element::kF32;
#define WEFT_WEIGHTS(name, Name, ...) \
  template <>                         \
  constexpr Element kElementOf<Name> = Element::k##Name;
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS

template <class Weight>
std::vector<Weight> Narrowed(const std::vector<float>& floats) {
  std::vector<Weight> narrow(floats.size());
  Convert({static_cast<uint32_t>(floats.size()), Element::kF32, kElementOf<Weight>}, floats.data(),
          narrow.data());
  return narrow;
}
template <class Weight>
std::vector<float> Widened(const std::vector<Weight>& narrow) {
  std::vector<float> floats(narrow.size());
  Convert({static_cast<uint32_t>(narrow.size()), kElementOf<Weight>, Element::kF32}, narrow.data(),
          floats.data());
  return floats;
}

// Floats that the type represents, some of them so small that the half is subnormal.
template <class Weight>
std::vector<float> WeightValues(Random* random, size_t count) {
  std::vector<float> values = random->Floats(count, 1);
  for (float& value : values) {
    if (random->Below(8) == 0) value = std::ldexp(value, -16);
  }
  return Widened(Narrowed<Weight>(values));
}

template <class Weight>
class NarrowWeights : public testing::Test {};
using WeightTypes = testing::Types<
#define WEFT_WEIGHTS(name, Name, ...) Name,
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
    float>;
TYPED_TEST_SUITE(NarrowWeights, WeightTypes);

// `weights` in the narrow type, not aligned to a vector.
template <class Weight>
Array<Weight> Placed(const std::vector<float>& weights) {
  return Array<Weight>(Narrowed<Weight>(weights), 2);
}
template <>
Array<float> Placed<float>(const std::vector<float>& weights) {
  return Array<float>(weights, 1);
}

TYPED_TEST(NarrowWeights, DenseIsItsChain) {
  Random random(1);
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t rows = random.Below(12), inputs = random.Below(40), outputs = random.Below(140);
    DenseShape shape = {rows, inputs, outputs, inputs + 1, outputs + 2, 0, {}};
    const std::vector<float> packed =
        WeightValues<TypeParam>(&random, PackedDenseFloats(outputs, inputs));
    const Array<TypeParam> weights = Placed<TypeParam>(packed);
    const std::vector<float> x = random.Floats(size_t{rows} * (inputs + 1), 2);
    const std::vector<float> bias = random.Floats(outputs, 1);
    const float* start = i % 3 == 0 ? nullptr : bias.data();
    const std::vector<float> y =
        OnEveryTarget<float>(size_t{rows} * (outputs + 2), kMisalignments[i % 3],
                             [&](float* to) { Dense(shape, x.data(), weights.data(), start, to); });
    std::vector<float> must = Unwritten(y.size());
    for (size_t r = 0; r < rows; ++r) {
      for (size_t n = 0; n < outputs; ++n) {
        must[r * (outputs + 2) + n] = DenseReference(shape, x.data(), packed.data(), start, r, n);
      }
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(y, must));
  }
}

template <class Weight>
void ExpectConv(Random* random, const ConvCase& of, uint32_t i) {
  const ConvShape& s = of.shape;
  const std::vector<float> filters = WeightValues<Weight>(
      random, size_t{s.groups} * s.out_channels * s.in_channels * s.kernel_height * s.kernel_width);
  std::vector<float> packed(
      PackedConvFloats(s.groups, s.out_channels, s.in_channels, s.kernel_height, s.kernel_width));
  PackConv(filters.data(), s.groups, s.out_channels, s.in_channels, s.kernel_height, s.kernel_width,
           packed.data());
  const Array<Weight> weights = Placed<Weight>(packed);
  ExpectConvOf(random, of, i, weights.data(), filters);
}

TYPED_TEST(NarrowWeights, ConvIsItsChain) {
  Random random(2);
  for (uint32_t i = 0; i < 400; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectConv<TypeParam>(&random, ConvCase(&random, i), i));
  }
}

TYPED_TEST(NarrowWeights, ConvOfManyPixelsIsItsChain) {
  Random random(4);
  for (int i = 0; i < Rounds(64); ++i) {
    const auto round = static_cast<uint32_t>(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv<TypeParam>(&random, ManyPixelsCase(&random, round), round));
  }
}

TYPED_TEST(NarrowWeights, DepthwiseIsItsChain) {
  Random random(3);
  for (uint32_t i = 0; i < 500; ++i) {
    const AxisCase down(&random, 6), across(&random, i % 2 == 0 ? 60 : 9, i % 7 == 0 ? 20 : 4);
    DepthwiseShape s;
    s.batch = 1 + random.Below(2);
    s.multiplier = 1 + random.Below(3);
    s.channels = (1 + random.Below(i % 3 == 0 ? 70 : 6)) * s.multiplier;
    AssignAxes(down.axis, across.axis, &s);
    const MapCase x_map(kMapOrders[i % 4], s.batch, s.in_height, s.in_width,
                        s.channels / s.multiplier);
    const MapCase y_map(kMapOrders[i / 4 % 4], s.batch, s.out_height, s.out_width, s.channels);
    s.x = x_map.strides;
    s.y = y_map.strides;
    std::vector<float> packed(PackedDepthwiseFloats(s.channels, s.kernel_height, s.kernel_width));
    PackDepthwise(
        WeightValues<TypeParam>(&random, size_t{s.channels} * s.kernel_height * s.kernel_width)
            .data(),
        s.channels, s.kernel_height, s.kernel_width, packed.data());
    const Array<TypeParam> weights = Placed<TypeParam>(packed);
    const std::vector<float> x = random.Floats(x_map.floats, 2);
    const std::vector<float> bias = random.Floats(s.channels, 1);
    const float* start = i % 3 == 0 ? nullptr : bias.data();
    std::vector<float> must = Unwritten(y_map.floats);
    DepthwiseReference(s, x.data(), packed.data(), start, must.data());
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(
        OnEveryTarget<float>(y_map.floats, kMisalignments[i % 3],
                             [&](float* to) { Depthwise(s, x.data(), weights.data(), start, to); }),
        must));
  }
}

// All 65,536 halves except NaNs, also with subnormal floats flushed: no half is subnormal as a
// float.
TEST(F16, EveryHalfIsItsFloat) {
  std::vector<F16> halves(65536);
  for (uint32_t i = 0; i < halves.size(); ++i) {
    const bool is_nan = (i & 0x7C00) == 0x7C00 && (i & 0x03FF) != 0;
    halves[i].bits = static_cast<uint16_t>(is_nan ? 0 : i);
  }
  const uint32_t outputs = 4096;
  const float one = 1.0f, zero = -0.0f;
  const std::vector<float> start(outputs, zero);
  const std::vector<float> must = Widened(halves);
  for (size_t first = 0; first < halves.size(); first += outputs) {
    const auto run = [&](float* y) {
      Dense({1, 1, outputs, 1, outputs, outputs, {}}, &one, halves.data() + first, start.data(), y);
    };
    const auto flushed = [&](float* y) {
      const FloatMode scope;
      run(y);
    };
    const std::vector<float> some(must.begin() + static_cast<ptrdiff_t>(first),
                                  must.begin() + static_cast<ptrdiff_t>(first + outputs));
    ExpectSame(OnEveryTarget<float>(outputs, 0, run), some);
    ExpectSame(OnEveryTarget<float>(outputs, 0, flushed), some);
  }
}

}  // namespace
}  // namespace weft::kernels
