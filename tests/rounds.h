// SPDX-License-Identifier: Apache-2.0
// The number of repetitions of a test that repeats one check. CMake sets WEFT_TEST_THINNING: 1 on
// the build's machine, more where a test runs 5 to 50 times slower (tests/CMakeLists.txt).
#ifndef WEFT_TESTS_ROUNDS_H_
#define WEFT_TESTS_ROUNDS_H_

namespace weft {

inline constexpr int kThinning = WEFT_TEST_THINNING;

constexpr int Rounds(int all) { return all / kThinning; }

// Returns true if element `number` of a list is tested.
constexpr bool IsRound(int number) { return number % kThinning == 0; }

}  // namespace weft

#endif  // WEFT_TESTS_ROUNDS_H_
