// SPDX-License-Identifier: Apache-2.0
// Messages about other custom operators; tests/tflite compares their results.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/converter/tflite/custom_operator.h"

namespace weft::tflite {
namespace {

using Type = schema::ElementType;

ModelWriter Buffer(std::vector<int32_t> from, std::vector<int32_t> to, int cycles) {
  return OneOperator("CIRCULAR_BUFFER", {{"x", std::move(from), Type::i8}},
                     {{"y", std::move(to), Type::i8}}, MapOf({{"cycles_max", cycles}}));
}

TEST(TfliteCustom, ReportsCircularBuffers) {
  const std::string shapes = "; must be [1,1,n,depth] and [1,slots,n,depth]";
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 1)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 2)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 0)), "0 faults");
  EXPECT_EQ(FaultOf(Buffer({1, 2, 2, 3}, {1, 4, 2, 3}, 1)),
            "input 0 is [1,2,2,3] and output 0 [1,4,2,3]" + shapes);
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 3}, 1)),
            "input 0 is [1,1,2,3] and output 0 [1,4,3]" + shapes);
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 65537)),
            "cycles_max is 65537; must be at most 65536");
  EXPECT_EQ(FaultOf(Buffer({1, 1, 2, 96}, {1, 4, 2, 96}, 0)),
            "cycles_max is 0 for a shape of [1,4,2,96]; must be at least 1");
  ModelWriter model = Buffer({1, 1, 2, 3}, {1, 4, 2, 3}, 1);
  model.tensors[1].scales = {0.1f};
  model.tensors[1].zeros = {0};
  EXPECT_EQ(FaultOf(model),
            "input 0 and output 0 have different codes; must have one type and scale");
}

}  // namespace
}  // namespace weft::tflite
