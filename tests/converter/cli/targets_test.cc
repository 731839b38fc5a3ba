// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weft::cli {
namespace {

TEST(Targets, KeepScaledWeightsExceptOnBoards) {
  const std::vector<std::string> boards = {"cortex-m0plus", "cortex-m3",  "cortex-m33",
                                           "cortex-m4f",    "cortex-m55", "cortex-m7"};
  std::vector<std::string> refusing;
  for (const std::string& name : TargetNames()) {
    if (!KeepsScaledWeights(name)) refusing.push_back(name);
  }
  std::ranges::sort(refusing);
  EXPECT_EQ(refusing, boards);
  EXPECT_TRUE(KeepsScaledWeights("")) << "no target";
}

}  // namespace
}  // namespace weft::cli
