// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/time_length.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::ir {
namespace {

std::string Text(int64_t number) { return std::to_string(number); }

TEST(TimeLength, IsWrittenAsT) {
  EXPECT_EQ(WithTimeSymbol("f32[1," + Text(kTimeLength) + ",40]"), "f32[1,T,40]");
  EXPECT_EQ(WithTimeSymbol(Text(2 * kTimeLength + 3)), "2*T+3");
  EXPECT_EQ(WithTimeSymbol(Text(kTimeLength / 4 - 1) + " rows"), "T/4-1 rows");
  EXPECT_EQ(WithTimeSymbol("(" + Text(3 * kTimeLength / 2) + ")"), "(3*T/2)");
}

TEST(TimeLength, LeavesOtherNumbers) {
  const std::string name = "a_" + Text(kTimeLength) + ".xml:" + Text(kTimeLength);
  for (const std::string& text : {std::string(), std::string("0 1 40"), std::string("30000"),
                                  std::string("99999999999999999999"), name}) {
    EXPECT_EQ(WithTimeSymbol(text), text);
  }
}

TEST(TimeLength, GivesTheExtentsForAnotherNumberOfSteps) {
  OutputPort port;
  port.type.dims = {2, kTimeLength / 4 + 1, 5};
  EXPECT_EQ(OpenAxes(port), 0u);
  EXPECT_EQ(DimsFor(port, 100), port.type.dims);
  port.doubled = {2, kTimeLength / 2 + 1, 5};
  EXPECT_EQ(OpenAxes(port), 2u);
  EXPECT_EQ(DimsFor(port, 100), (Dims{2, 26, 5}));
}

}  // namespace
}  // namespace weft::ir
