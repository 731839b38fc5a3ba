// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool.h"

#include "kernels/reference/pool.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

constexpr PoolOp kOps[] = {PoolOp::kMax, PoolOp::kMeanExcludePad, PoolOp::kMeanIncludePad};

PoolShape ShapeOf(const AxisCase& down, const AxisCase& across, uint32_t batch, uint32_t channels,
                  PoolOp op) {
  PoolShape shape;
  shape.batch = batch;
  shape.channels = channels;
  AssignAxes(down.axis, across.axis, &shape);
  shape.pad_bottom = down.pad_after;
  shape.pad_right = across.pad_after;
  shape.op = op;
  return shape;
}

// `x_order` and `y_order` give the layouts of the maps.
void ExpectReference(PoolShape shape, MapOrder x_order, MapOrder y_order, size_t misalignment,
                     Random* random) {
  const MapCase x_map(x_order, shape.batch, shape.in_height, shape.in_width, shape.channels);
  const MapCase y_map(y_order, shape.batch, shape.out_height, shape.out_width, shape.channels);
  shape.x = x_map.strides;
  shape.y = y_map.strides;
  const Array<float> x(random->Floats(x_map.floats, 2), misalignment);
  std::vector<float> must = Unwritten(y_map.floats);
  PoolReference(shape, x.data(), must.data());
  ExpectSame(
      OnEveryTarget<float>(must.size(), misalignment, [&](float* y) { Pool(shape, x.data(), y); }),
      must);
}

TEST(Pool, MatchesItsReferenceForAnyWindow) {
  Random random(8);
  constexpr uint32_t kChannels[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100};
  for (uint32_t i = 0; i < 900; ++i) {
    const AxisCase down(&random, 6), across(&random, i % 2 == 0 ? 60 : 9, i % 7 == 0 ? 20 : 4);
    const uint32_t channels = i % 5 == 0 ? kChannels[random.Below(12)] : 1 + random.Below(4);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(
        ExpectReference(ShapeOf(down, across, 1 + random.Below(2), channels, kOps[i % 3]),
                        kMapOrders[i % 4], kMapOrders[i / 4 % 4], kMisalignments[i % 3], &random));
  }
}

TEST(Pool, MatchesItsReferenceForWindowsLongerThanABlock) {
  Random random(6);
  for (const PoolOp op : kOps) {
    for (const MapOrder order : kMapOrders) {
      for (const uint32_t channels : {1u, 5u, 16u}) {
        PoolShape shape;
        shape.batch = 1;
        shape.channels = channels;
        shape.in_height = 40, shape.in_width = 44;
        shape.out_height = 2, shape.out_width = 6;
        shape.kernel_height = shape.kernel_width = 40;
        shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
        shape.pad_bottom = 1, shape.pad_right = 1;
        shape.op = op;
        ASSERT_NO_FATAL_FAILURE(ExpectReference(shape, order, order, 0, &random));
      }
    }
  }
}

TEST(Pool, LetsANanWin) {
  std::vector<float> x(20, 1.0f);
  x[9] = NAN;
  PoolShape shape;
  shape.batch = shape.channels = shape.in_height = shape.out_height = shape.kernel_height = 1;
  shape.in_width = 20, shape.out_width = 18, shape.kernel_width = 3;
  shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
  shape.x = shape.y = {0, 0, 1, 0};
  const std::vector<float> y =
      OnEveryTarget<float>(18, 0, [&](float* out) { Pool(shape, x.data(), out); });
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 7 && i <= 9) << i;
}

}  // namespace
}  // namespace weft::kernels
