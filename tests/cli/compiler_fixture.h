// SPDX-License-Identifier: Apache-2.0
// Compiles C sources that the `weft` command writes.
#ifndef WEFT_TESTS_CLI_COMPILER_FIXTURE_H_
#define WEFT_TESTS_CLI_COMPILER_FIXTURE_H_

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cli/command_fixture.h"

namespace weft::cli {

inline constexpr const char* kC =
    "gcc -std=c99 -Wall -Wextra -Werror -pedantic -I'" WEFT_SOURCE_DIR "' -I. ";
inline constexpr const char* kCxx =
    "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -I'" WEFT_SOURCE_DIR "' -I. ";

class CompilerTest : public CommandTest {
 protected:
  void SetUp() override {
    if (std::system("gcc --version >/dev/null 2>&1 && g++ --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "no gcc and g++ on this machine";
    }
  }
  // Runs a shell command. Returns its stderr, empty on success.
  std::string Shell(const std::string& command) {
    const int status = std::system(("cd '" + Path("") + "' && (" + command + ") 2>said").c_str());
    const std::string said = Text("said");
    std::filesystem::remove(Path("said"));
    return status == 0 ? said : "failed: " + said;
  }
};

}  // namespace weft::cli

#endif  // WEFT_TESTS_CLI_COMPILER_FIXTURE_H_
