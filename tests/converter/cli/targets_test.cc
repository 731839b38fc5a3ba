// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weft::cli {
namespace {

TEST(Targets, KeepScaledWeightsExceptOnBoards) {
  const std::vector<std::string> boards = {"cortex-m0plus", "cortex-m3", "cortex-m33", "cortex-m4f",
                                           "cortex-m55",    "cortex-m7", "riscv32"};
  std::vector<std::string> refusing;
  for (const std::string& name : TargetNames()) {
    if (!TargetOf(name).keeps_i8x32) refusing.push_back(name);
  }
  std::ranges::sort(refusing);
  EXPECT_EQ(refusing, boards);
  EXPECT_TRUE(TargetOf("").keeps_i8x32) << "no target";
}

TEST(Targets, NameLayersWithFloatsOfCoresWithoutFpu) {
  EXPECT_EQ(FloatNote("cortex-m3", {"conv", "softmax"}, /*with_names=*/false),
            "note: cortex-m3 has no FPU: 2 layers compute with floats, at about 145 times the "
            "instructions of a Cortex-M4F; --verbose lists them");
  EXPECT_EQ(FloatNote("cortex-m0plus", {"conv"}, /*with_names=*/true),
            "note: cortex-m0plus has no FPU: 1 layer computes with floats, at about 430 times the "
            "instructions of a Cortex-M4F: conv");
  for (const std::string& name : TargetNames()) {
    const bool has_fpu = name != "cortex-m3" && name != "cortex-m0plus" && name != "riscv32";
    EXPECT_EQ(FloatNote(name, {"conv"}, false).empty(), has_fpu) << name;
    EXPECT_EQ(FloatNote(name, {}, false), "") << name;
  }
  EXPECT_EQ(FloatNote("", {"conv"}, false), "");
}

}  // namespace
}  // namespace weft::cli
