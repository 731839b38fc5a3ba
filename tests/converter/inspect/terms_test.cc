// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/terms.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace weft::inspect
