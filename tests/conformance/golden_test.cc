// SPDX-License-Identifier: Apache-2.0
// Converts every committed case, runs it and compares with its goldens by the rule of README.md.
// One test per case: its name is a folder in build/fixtures/cases.
#include "tests/conformance/golden.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

const std::filesystem::path kCases = WEFT_FIXTURES_DIR "/cases";

class Golden : public GoldenCase {
 protected:
  Golden() : GoldenCase(kCases) {}
};

TEST_P(Golden, Agrees) { RunAndCompare(); }

INSTANTIATE_TEST_SUITE_P(Conformance, Golden, testing::ValuesIn(CaseNamesIn(kCases)), TestNameOf);

}  // namespace
}  // namespace weft
