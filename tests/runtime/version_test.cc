// SPDX-License-Identifier: Apache-2.0
// The headers, the build and the files name one release.
#include <gtest/gtest.h>

#include <string>

#include "runtime/weft.h"
#include "runtime/weft_c.h"

namespace weft {
namespace {

TEST(Version, OfTheHeadersIsTheProjects) {
  EXPECT_STREQ(WEFT_VERSION, WEFT_PROJECT_VERSION)
      << "runtime/version.h and project() in CMakeLists.txt name different releases";
  const std::string numbers = std::to_string(WEFT_VERSION_MAJOR) + "." +
                              std::to_string(WEFT_VERSION_MINOR) + "." +
                              std::to_string(WEFT_VERSION_PATCH);
  EXPECT_EQ(numbers, WEFT_VERSION);
}

}  // namespace
}  // namespace weft
