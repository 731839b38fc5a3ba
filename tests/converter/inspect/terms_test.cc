// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/runtime/samples.h"

namespace weft::inspect {
namespace {

template <typename Params>
class WindowTerms : public testing::Test {};
using Windows = testing::Types<format::ConvParams, format::ConvI8Params, format::ConvQ8Params,
                               format::DepthwiseParams, format::DepthwiseI8Params,
                               format::DepthwiseQ8Params, format::PoolParams, format::PoolQ8Params>;
TYPED_TEST_SUITE(WindowTerms, Windows);

// The maps of a step without results need no memory, so that its image has any size.
TYPED_TEST(WindowTerms, HaveAnEndWithoutResults) {
  TypeParam p;
  p.mutate_out_height(0x7FFFFFFF);
  p.mutate_out_width(0x7FFFFFFF);
  p.mutate_kernel_height(1);
  p.mutate_kernel_width(1);
  p.mutate_stride_y(1);
  p.mutate_stride_x(1);
  p.mutate_dilation_y(1);
  p.mutate_dilation_x(1);
  if constexpr (requires { p.mutate_multiplier(1); }) p.mutate_multiplier(1);
  for (const KernelSet kernels : {KernelSet::kDsp, KernelSet::kHelium}) {
    Terms terms;
    terms.kernels = kernels;
    AddTerms(p, terms);
    EXPECT_FALSE(terms.variant.empty());
    for (const auto& [name, amount] : terms.amounts) EXPECT_TRUE(std::isfinite(amount)) << name;
  }
}

// A convolution of 40 pixels whose results start `distance` bytes before its input.
Terms ConvTerms(uint32_t distance, KernelSet kernels) {
  const format::MapStrides map(80, 80, 2, 1);
  const format::ConvParams params(1, 1, 2, 2, 1, 40, 1, 40, 1, 1, 1, 1, 1, 1, 0, 0, map, map,
                                  test::Activate(format::UnaryOp::identity),
                                  format::ElementType::f32, 0, 0);
  const auto f32 = format::ElementType::f32;
  test::StepSample sample =
      test::StepSample(format::Kind::conv, {{f32, 80}, {f32, 32}, {f32, 2}, {f32, 80}})
          .With(params);
  sample.builder.region_bytes[2] = 2048;
  sample.builder.slots[sample.operands.front()].mutate_offset_bytes(1024);
  sample.builder.slots[sample.operands.back()].mutate_offset_bytes(1024 - distance);
  const auto file = sample.builder.Finish();
  const format::Model& model = *format::GetModel(file.data());
  return TermsOf(model, format::RowsOf(model.steps())[0], kernels);
}

TEST(Terms, OfStepsOverTheirInputAreThoseOfTheirBlocks) {
  for (const KernelSet kernels : {KernelSet::kDsp, KernelSet::kHelium}) {
    const Terms apart = ConvTerms(320, kernels), over = ConvTerms(160, kernels);
    EXPECT_EQ(apart.variant, "conv f32");
    EXPECT_EQ(over.variant, apart.variant);
    EXPECT_EQ(apart.amounts.at("steps"), 1);
    EXPECT_EQ(over.amounts.at("steps"), 3);  // of 15, 15 and 10 pixels
  }
}

}  // namespace
}  // namespace weft::inspect
