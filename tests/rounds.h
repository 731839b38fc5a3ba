// SPDX-License-Identifier: Apache-2.0
// The number of repetitions of a test with random numbers. Sanitizer builds run a quarter of the
// rounds: they need five times as long, and any round can reveal the errors that they detect.
#ifndef WEFT_TESTS_ROUNDS_H_
#define WEFT_TESTS_ROUNDS_H_

#include "tests/address_sanitizer.h"

namespace weft {

constexpr int Rounds(int all) { return WEFT_ADDRESS_SANITIZER ? all / 4 : all; }

// Returns true if element `number` of a list is tested: all elements, or every fourth with a
// sanitizer.
constexpr bool IsRound(int number) { return !WEFT_ADDRESS_SANITIZER || number % 4 == 0; }

}  // namespace weft

#endif  // WEFT_TESTS_ROUNDS_H_
